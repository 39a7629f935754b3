// One hosted session from its creation to its end, as a client drives it, each step timed until what it asked for is done.
import type { LongRunningOperation } from '../src/contract/hosted/operation.js';
import type { WorldSession } from '../src/contract/hosted/resources.js';
import type { AccessBundle } from '../src/contract/hosted/sessions.js';
import type { Service } from './service.js';
import { Wire } from './wire-client.js';

const firstPollMs = 20;
/** Of who waits for nothing else. */
const keenPollMs = 2;
const longestPollMs = 250;
interface Started {
  session: WorldSession;
  operation: LongRunningOperation;
}

/** Milliseconds by step. */
export class StepTimes {
  readonly samples = new Map<string, number[]>();

  async timed<T>(step: string, work: () => Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await work();
    const kept = this.samples.get(step);
    if (kept === undefined) this.samples.set(step, [performance.now() - from]);
    else kept.push(performance.now() - from);
    return result;
  }
}

/** A client of one session, with a connection of its own. */
export class SessionLifecycle {
  readonly #service: Service;
  readonly #wire: Wire;
  readonly #times: StepTimes;
  readonly #number: number;
  #requests = 0;
  #session!: WorldSession;
  #access!: AccessBundle;

  static async begin(service: Service, number: number, times: StepTimes): Promise<SessionLifecycle> {
    return new SessionLifecycle(service, await Wire.connect(service.origin), number, times);
  }
  private constructor(service: Service, wire: Wire, number: number, times: StepTimes) {
    this.#service = service;
    this.#wire = wire;
    this.#number = number;
    this.#times = times;
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  async create(): Promise<void> {
    const { environmentId, buildHash } = this.#service;
    const body = { seed: String(this.#number), buildHash };
    this.#session = (await this.#operation('create', 'POST', `/environments/${environmentId}/sessions`, body)).session;
  }

  async open(): Promise<void> {
    const body = { actorId: 'worker', ttlMs: 3_600_000 };
    const { access } = await this.#times.timed('access', () => this.#ask<{ access: AccessBundle }>('POST', `${this.#path}/access`, body));
    this.#access = access;
  }

  async call(operationId: string, args: object, step = 'call'): Promise<void> {
    const { credential } = this.#access;
    const target = `/world/v1/operations/rows/${operationId}`;
    const { status, body } = await this.#times.timed(step, () => this.#wire.request('POST', target, credential, { arguments: args }));
    const { outcome } = body as { outcome?: { kind: string } };
    if (status !== 200 || outcome?.kind !== 'ok') throw new Error(`call: ${status} ${JSON.stringify(body)}`);
  }

  /** Resolves with the operation's result. */
  async advance(targetUs: number, maxEvents: number): Promise<LongRunningOperation> {
    const { environmentId, buildHash } = this.#service;
    const body = { environmentId, buildHash, expectedLeaseGeneration: 1, targetUs, maxEvents };
    return (await this.#operation('advance', 'POST', `${this.#path}/advance`, body)).operation;
  }

  async snapshot(): Promise<void> {
    await this.#operation('snapshot', 'POST', `${this.#path}/snapshots`, { expectedLeaseGeneration: 1 });
  }

  /** Until its agent may call again: a reset ends every access, so it is given a new one. */
  async reset(): Promise<void> {
    await this.#times.timed('resetWhole', async () => {
      const { leaseGeneration } = this.#session;
      await this.#operation('reset', 'POST', `${this.#path}/reset`, { expectedLeaseGeneration: leaseGeneration }, keenPollMs);
      this.#session = (await this.#ask<{ session: WorldSession }>('GET', this.#path)).session;
      await this.open();
    });
  }

  /** Resolves with the id of the new session. */
  async fork(): Promise<string> {
    const body = { environmentId: this.#service.environmentId, expectedLeaseGeneration: 1 };
    return (await this.#operation('fork', 'POST', `${this.#path}/forks`, body)).session.sessionId;
  }

  async destroy(sessionId = this.sessionId): Promise<void> {
    await this.#operation('destroy', 'DELETE', `/sessions/${sessionId}`, { expectedLeaseGeneration: 1, confirm: sessionId });
  }

  leave(): void {
    this.#wire.close();
  }

  get #path(): string {
    return `/sessions/${this.sessionId}`;
  }

  /** Asks, then looks until it has succeeded, ever less often. */
  #operation(step: string, method: string, path: string, body: object, pollMs = firstPollMs): Promise<Started> {
    return this.#times.timed(step, async () => {
      const started = await this.#times.timed(`${step}Admitted`, () => this.#ask<Started>(method, path, body));
      for (let waitMs = pollMs; ; waitMs = Math.min(longestPollMs, waitMs * 1.5)) {
        const { operation } = await this.#ask<{ operation: LongRunningOperation }>('GET', `/operations/${started.operation.operationId}`);
        if (operation.state === 'succeeded') return { ...started, operation };
        if (operation.state === 'failed' || operation.state === 'cancelled') throw new Error(`${step}: ${JSON.stringify(operation)}`);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    });
  }

  async #ask<T>(method: string, path: string, body?: object): Promise<T> {
    const { projectId, credential } = this.#service;
    const key = body === undefined ? undefined : `bench-${this.#number}-${this.#requests++}`;
    const reply = await this.#wire.request(method, `/v1/projects/${projectId}${path}`, credential, body, key);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  }
}
