// What an organization has, as its manager sees it from outside: by this a change would show.
import { untilSettled } from '../until.js';
import type { Tenants } from './tenants.js';
import { type Body, exchange, type Received } from './wire.js';

/** Lists of the project, each with the name of its resource's id. */
const lists = {
  sessions: 'sessionId',
  snapshots: 'hostedSnapshotId',
  runs: 'hostedRunId',
  'source-drafts': 'sourceDraftId',
  datasets: 'datasetId',
  environments: 'environmentId',
  'authoring-sessions': 'authoringSessionId',
  'callback-receivers': 'callbackReceiverBindingId',
  grants: 'grantId',
};
type Seen = { version?: number; revision?: number; leaseGeneration?: number; [name: string]: unknown };

/** Everything of the organization that a request could change and nothing else does. */
export class Possessions {
  readonly #tenants: Tenants;
  readonly #project: string;
  /** By the id of the resource, when it was read last: what a change must name. */
  readonly seen = new Map<string, { version: number; leaseGeneration: number }>();

  constructor(tenants: Tenants) {
    this.#tenants = tenants;
    this.#project = `/v1/projects/${tenants.ids.projectId}`;
  }

  /** A line a list, and one for the world of the idle session. */
  async look(): Promise<string[]> {
    const { idle } = this.#tenants;
    const project = this.#project;
    const targets = [
      '/v1/organization/audit-events?limit=1',
      '/v1/projects?limit=100',
      `${project}/operations?limit=100`,
      `${project}/sessions/${idle.sessionId}/runtime`,
      ...Object.keys(lists).map((name) => `${project}/${name}?limit=100`),
    ];
    const replies = await Promise.all(targets.map((target) => this.#get(target)));
    this.#see([replies[3]?.session as Seen], 'sessionId');
    this.#see(replies[1]?.items as Seen[], 'projectId');
    for (const [index, id] of Object.values(lists).entries()) this.#see(replies[4 + index]?.items as Seen[], id);
    // The newest ones that somebody asked for: the service itself ends sessions, and begins runs when theirs are ready.
    const { items } = replies[2] as { items: { kind: string; idempotencyKey: string }[] };
    const asked = items.filter(({ kind, idempotencyKey }) => kind !== 'drill.run' && !idempotencyKey.startsWith('service.'));
    replies[2] = { items: asked.slice(0, 10) };
    return replies.map((json, index) => `${targets[index]} ${JSON.stringify(settled(json))}`);
  }

  #see(records: Seen[], id: string): void {
    for (const { version, revision = 1, leaseGeneration = 1, ...record } of records) {
      this.seen.set(record[id] as string, { version: version ?? revision, leaseGeneration });
    }
  }

  /** Until the work that a change has begun is done; a run waits for its agent, and nobody plays one here. */
  async settle({ json }: Received): Promise<void> {
    const { operationId, kind } = (json?.operation ?? {}) as { operationId?: string; kind?: string };
    if (operationId === undefined || kind === 'drill.run') return;
    await untilSettled(async () => {
      const { operation } = (await this.#get(`${this.#project}/operations/${operationId}`)) as { operation: { state: string } };
      return !['pending', 'running'].includes(operation.state);
    });
  }

  async #get(target: string): Promise<Body> {
    const { manager, service } = this.#tenants;
    const { status, bytes } = await exchange(service.ready.baseUrl, {
      method: 'GET',
      target,
      headers: { authorization: `Bearer ${manager}` },
    });
    if (status !== 200) throw new Error(`${target}: ${status} ${bytes}`);
    return JSON.parse(bytes.toString()) as Body;
  }
}

/** Without what happens by itself after a change was accepted: the work it has begun, the end of what it made. */
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
