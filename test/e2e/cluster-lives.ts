// Whole lives of sessions on a cluster, each of the same inputs, and callbacks: what the load of calls does not ask. Each change has a key
// and is asked of any node until it is answered, so it is made once, whatever ends in its midst.
//   rule 1 of the lives. A change that was answered has the same answer whenever it is asked again with its key, at any node.
//   rule 2 of the lives. Every life gives the same verdict and the same evidence: nothing of a fault stands in it.
//   rule 3 of the lives. A callback that a journal calls delivered has arrived, and each that was due arrives.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../src/client/client.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import type { CallbackEntry } from '../../src/contract/world/evidence.js';
import { startReceiver, type TestReceiver } from '../callbacks/receiver-kit.js';
import { type Cluster, endedForSpace } from './cluster-kit.js';
import { journalOf, seededNumbers } from './cluster-load.js';

/** Both captures of the example that wait for their settlement have it by then. */
const afterSettlementsUs = 1_772_500_000_000_000;
const settlements = 2;

/** What a life has led to; the same for all. */
interface Led {
  verdict: string;
  evidenceHash: string;
  /** Of the fork, when it was made. */
  stateHash: string;
}
interface Answered {
  key: string;
  again(client: Client): Promise<unknown>;
  answer: unknown;
}

export class ClusterLives {
  readonly #cluster: Cluster;
  readonly #choose: (below: number) => number;
  readonly #led: Led[] = [];
  readonly #answered: Answered[] = [];
  #receiver: { kit: TestReceiver; bindingId: string } | undefined;
  readonly #called: string[] = [];
  #count = 0;
  #isOver = false;

  constructor(cluster: Cluster, seed: number) {
    this.#cluster = cluster;
    this.#choose = seededNumbers(seed * 700);
  }

  get count(): number {
    return this.#led.length;
  }
  /** Sessions of which a receiver was called. */
  get callbackSessions(): number {
    return this.#called.length;
  }

  /** One life after the other. */
  async live(): Promise<void> {
    while (!this.#isOver) await orForSpace(this.#life(++this.#count));
  }

  /** One session with a receiver after the other. `bringPort`: to the loopback of the nodes, which may call there. */
  async callBack(bringPort: (port: number) => Promise<void>): Promise<void> {
    const kit = await startReceiver(async () => {
      await pause(20);
      return kit.arrivals.length % 7 === 3 ? 503 : 204;
    });
    await bringPort(Number(new URL(kit.url).port));
    const { projectId } = this.#cluster.ids;
    // Its secret is in the first answer alone, so it is not asked again.
    const body = { receiverId: 'merchant', origin: kit.url };
    const made = await this.#cluster.settle(
      async (client) => (await client.send('createCallbackReceiver', { path: { projectId }, body }, { idempotencyKey: 'receiver' })).reply,
    );
    const { callbackReceiverBindingId: bindingId, version } = made.callbackReceiver;
    const path = { projectId, callbackReceiverBindingId: bindingId };
    await this.#ask('approval', (client, call) =>
      client.send('approveCallbackReceiver', { path, body: { expectedVersion: version } }, call),
    );
    this.#receiver = { kit, bindingId };
    for (let number = 1; !this.#isOver; number++) {
      const called = await orForSpace(this.#callback(number));
      if (called !== undefined) this.#called.push(called);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  async check(): Promise<void> {
    const [first, ...others] = this.#led;
    for (const led of others) assert.deepEqual(led, first, 'a life led to something else');
    for (const { key, again, answer } of this.#answered)
      assert.deepEqual(await this.#cluster.settle(again, { seed: this.#choose(1000) + 1 }), answer, `${key} was answered`);
    await this.#checkCallbacks();
  }

  async close(): Promise<void> {
    await this.#receiver?.kit.close();
  }

  async #life(number: number): Promise<void> {
    const { projectId, environmentId } = this.#cluster.ids;
    const of = (what: string): string => `life-${number}-${what}`;
    const body = { seed: '42', drillId: 'auditor-cannot-refund' };
    const made = await this.#ask(of('create'), (client, call) =>
      client.send('createSession', { path: { projectId, environmentId }, body }, call),
    );
    await this.#done(made.operation);
    const { sessionId } = made.session;
    const path = { projectId, sessionId };
    const reset = await this.#ask(of('reset'), (client, call) =>
      client.send('resetSession', { path, body: { expectedLeaseGeneration: 1 } }, call),
    );
    await this.#done(reset.operation);
    const fork = await this.#ask(of('fork'), (client, call) =>
      client.send('forkSession', { path, body: { environmentId, expectedLeaseGeneration: 2 } }, call),
    );
    await this.#done(fork.operation);
    const forked = { projectId, sessionId: fork.session.sessionId };
    const { position } = await this.#cluster.settle((client) => client.getSessionRuntime({ path: forked }));
    const started = await this.#ask(of('run'), (client, call) =>
      client.send('startRun', { path: { ...path, environmentId }, body: { expectedLeaseGeneration: 2 } }, call),
    );
    const { result } = await this.#play(of('interaction'), { projectId, hostedRunId: started.run.hostedRunId }, started.operation);
    this.#led.push({ verdict: result.verdict, evidenceHash: result.evidenceHash, stateHash: position.stateHash });
    for (const [what, session, expectedLeaseGeneration] of [
      ['end', path, 2],
      ['end-fork', forked, 1],
    ] as const) {
      const ended = await this.#ask(of(what), (client, call) =>
        client.send('destroySession', { path: session, body: { expectedLeaseGeneration, confirm: session.sessionId } }, call),
      );
      await this.#done(ended.operation);
    }
  }

  /** Its agent does nothing. */
  async #play(key: string, path: { projectId: string; hostedRunId: string }, operation: LongRunningOperation) {
    const read = () => this.#cluster.settle((client) => client.getRun({ path }), { seed: this.#choose(1000) + 1 });
    let { run } = await read();
    for (; run.pendingInteraction === undefined; { run } = await read()) {
      assert.equal(run.finishedAtMs, undefined, `the run is ${run.state}: ${JSON.stringify(run.failure)}`);
      await pause(20);
    }
    const expectedRevision = run.revision;
    const targetResult = { status: 'completed' as const, attachments: [] };
    await this.#ask(key, (client, call) =>
      client.send('completeInteraction', { path, body: { interactionId: 'main', expectedRevision, targetResult } }, call),
    );
    await this.#done(operation);
    const { run: ended } = await read();
    assert.ok(ended.result !== undefined, `the run is ${ended.state}: ${JSON.stringify(ended.failure)}`);
    return { result: ended.result };
  }

  async #callback(number: number): Promise<string> {
    const { projectId, environmentId } = this.#cluster.ids;
    const body = { seed: '42', callbackReceiverBindingIds: [this.#receiver?.bindingId as string] };
    const made = await this.#ask(`callback-${number}-create`, (client, call) =>
      client.send('createSession', { path: { projectId, environmentId }, body }, call),
    );
    await this.#done(made.operation);
    const { sessionId } = made.session;
    await this.#advance(`callback-${number}-advance`, sessionId, afterSettlementsUs);
    return sessionId;
  }

  async #advance(key: string, sessionId: string, targetUs: number): Promise<void> {
    const { projectId, environmentId, buildHash } = this.#cluster.ids;
    const body = { environmentId, buildHash, expectedLeaseGeneration: 1, targetUs, maxEvents: 1000 };
    const moved = await this.#ask(key, (client, call) => client.send('advanceTime', { path: { projectId, sessionId }, body }, call));
    await this.#done(moved.operation);
  }

  async #checkCallbacks(): Promise<void> {
    if (this.#receiver === undefined) return;
    const { arrivals } = this.#receiver.kit;
    for (const sessionId of this.#called) {
      const { projectId } = this.#cluster.ids;
      for (const until = Date.now() + 60_000; ; await pause(100)) {
        const path = { projectId, sessionId };
        const { deliveriesTotal, deliveries } = await this.#cluster.settle((client) => client.getPending({ path }));
        if (deliveriesTotal === 0) break;
        assert.ok(Date.now() < until, `callbacks of ${sessionId} wait for ever: ${JSON.stringify(deliveries)}`);
        // Attempts that ended with their node were made again so often that the next is due behind where the clock stands.
        const { position } = await this.#cluster.settle((client) => client.getSessionRuntime({ path }));
        const last = Math.max(...deliveries.map(({ dueUs }) => dueUs));
        if (deliveries.every(({ inFlight, dueUs }) => !inFlight && dueUs > position.virtualTimeUs))
          await this.#advance(`${sessionId}-${last}`, sessionId, last);
      }
      const { entries } = await this.#cluster.settle((client) => journalOf(client, projectId, sessionId));
      const delivered = entries.filter((entry): entry is CallbackEntry => entry.kind === 'callback' && entry.phase === 'delivered');
      assert.equal(new Set(delivered.map(({ deliveryId }) => deliveryId)).size, settlements, sessionId);
      assert.equal(delivered.length, settlements, `${sessionId}: each is delivered once`);
    }
    // An attempt that was recorded is sent again where nobody knows its answer, so at least as many arrive.
    assert.ok(arrivals.length >= this.#called.length * settlements, `${arrivals.length} arrived of ${this.#called.length} sessions`);
  }

  async #done({ operationId, kind }: LongRunningOperation): Promise<void> {
    const { projectId } = this.#cluster.ids;
    const { state, error } = await this.#cluster.settle((client) => client.waitForOperation({ projectId, operationId }), {
      withinMs: 60_000,
    });
    assert.equal(state, 'succeeded', `${kind}: ${JSON.stringify(error)}`);
  }

  /** Until it is answered; remembered, so that it can be asked again in the end. */
  async #ask<T>(key: string, send: (client: Client, call: { idempotencyKey: string }) => Promise<{ reply: T }>): Promise<T> {
    const ask = async (client: Client): Promise<T> => (await send(client, { idempotencyKey: key })).reply;
    const answer = await this.#cluster.settle(ask, { withinMs: 60_000, seed: this.#choose(1000) + 1 });
    this.#answered.push({ key, again: ask, answer });
    return answer;
  }
}

/** Undefined where the disk of a node was full: the next one starts from the beginning. */
async function orForSpace<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (endedForSpace(error)) return undefined;
    throw error;
  }
}
