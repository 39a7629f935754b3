// What an organization has, as its manager sees it from outside: by this a change would show.
import type { Tenants } from './tenants.js';
import { type Body, exchange, type Received } from './wire.js';

/** Everything of the organization that a request could change and nothing else does. */
export class Possessions {
  readonly #tenants: Tenants;
  readonly #project: string;
  /** Of the idle session, when it was looked at last. */
  leaseGeneration = 1;

  constructor(tenants: Tenants) {
    this.#tenants = tenants;
    this.#project = `/v1/projects/${tenants.ids.projectId}`;
  }

  /** A line a list, and one for the world of the idle session. */
  async look(): Promise<string[]> {
    const { idle } = this.#tenants;
    const project = this.#project;
    const lists = ['sessions', 'snapshots', 'runs', 'source-drafts', 'datasets', 'environments', 'authoring-sessions', 'callback-receivers', 'grants'];
    const targets = [
      '/v1/organization/audit-events?limit=1',
      '/v1/projects?limit=100',
      `${project}/operations?limit=100`,
      `${project}/sessions/${idle.sessionId}/runtime`,
      ...lists.map((name) => `${project}/${name}?limit=100`),
    ];
    const replies = await Promise.all(targets.map((target) => this.#get(target)));
    const { session } = replies[3] as { session: { leaseGeneration: number } };
    this.leaseGeneration = session.leaseGeneration;
    // The newest ones that somebody asked for: the service itself ends sessions, and begins runs when theirs are ready.
    const { items } = replies[2] as { items: { kind: string; idempotencyKey: string }[] };
    const asked = items.filter(({ kind, idempotencyKey }) => kind !== 'drill.run' && !idempotencyKey.startsWith('service.'));
    replies[2] = { items: asked.slice(0, 10) };
    return replies.map((json, index) => `${targets[index]} ${JSON.stringify(settled(json))}`);
  }

  /** Until the work that a change has begun is done; a run waits for its agent, and nobody plays one here. */
  async settle({ json }: Received): Promise<void> {
    const { operationId, kind } = (json?.operation ?? {}) as { operationId?: string; kind?: string };
    if (operationId === undefined || kind === 'drill.run') return;
    for (;;) {
      const { operation } = (await this.#get(`${this.#project}/operations/${operationId}`)) as { operation: { state: string } };
      if (!['pending', 'running'].includes(operation.state)) return;
    }
  }

  async #get(target: string): Promise<Body> {
    const { manager, service } = this.#tenants;
    const { status, bytes } = await exchange(service.ready.baseUrl, { method: 'GET', target, headers: { authorization: `Bearer ${manager}` } });
    if (status !== 200) throw new Error(`${target}: ${status} ${bytes}`);
    return JSON.parse(bytes.toString()) as Body;
  }
}

/** Without what goes on by itself after a change was accepted: the work it has begun, the end of what it made. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== 'object' || value === null) return value;
  const { hostedRunId, operationId } = value as { hostedRunId?: string; operationId?: string };
  if (hostedRunId !== undefined) return hostedRunId;
  if (operationId !== undefined) return operationId;
  const kept = Object.entries(value).filter(([name]) => !movesOn.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, settled(member)]));
}
const movesOn = new Set([
  ...['state', 'version', 'leaseGeneration', 'updatedAtMs', 'destroyedAtMs', 'closedAtMs', 'nextCursor', 'warmPool', 'correlationId'],
  ...['activeTurnId', 'currentProposalId', 'pendingActionCount'],
]);
