// Clients of a cluster that ask any of its nodes: agents that call tools, readers, makers of sessions, movers of clocks. All they ask goes
// into a history. And what is done with the histories in the end: journals are read, and replayed in an embedded world.
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '../../src/client/client.js';
import { compileProject } from '../../src/compiler/compile.js';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import { chooseStart } from '../../src/contract/run/world-start.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import type { WorldPosition } from '../../src/contract/world/world-protocol.js';
import { recordedSteps } from '../../src/drills/stored/recorded-steps.js';
import { replaySteps } from '../../src/drills/stored/replay.js';
import { openLocalWorld } from '../../src/local-world.js';
import type { ClusterHistory, Journal } from './cluster-history.js';

/** Where a request goes. */
export interface Door {
  name: string;
  url: string;
}

/** Of the process that asks, so that no node's clock counts. */
export const nowMs = (): number => performance.now();

/** One agent, which has one world. */
export class CallingAgent {
  readonly world: string;
  readonly #credential: string;
  readonly #history: ClusterHistory;
  /** Moments of its answers, for the silence after a fault. */
  readonly answeredAtMs: number[] = [];
  /** The last ones, in words. */
  readonly refusals: Refusal[] = [];

  constructor({ world, credential, history }: { world: string; credential: string; history: ClusterHistory }) {
    this.world = world;
    this.#credential = credential;
    this.#history = history;
  }

  /** Whether it was acknowledged. A refusal that is none of a cluster under way is thrown: a credential must not end with its node. */
  async call({ name, url }: Door, { text, key, timeoutMs = 8000 }: { text: string; key?: string; timeoutMs?: number }): Promise<boolean> {
    const asked = { world: this.world, node: name, text, askedAtMs: nowMs(), ...(key === undefined ? {} : { key }) };
    const given = { arguments: { ticketId: 'TKT-1001', body: text }, ...(key === undefined ? {} : { idempotencyKey: key }) };
    const place = this.#history.calls.push(asked) - 1;
    const headers = { authorization: `Bearer ${this.#credential}`, 'content-type': 'application/json' };
    let status: number;
    let body: { callId?: string; outcome?: unknown; code?: string };
    try {
      const target = `${url}/world/v1/operations/ticket-desk/comment.add`;
      const reply = await fetch(target, { method: 'POST', headers, body: JSON.stringify(given), signal: AbortSignal.timeout(timeoutMs) });
      status = reply.status;
      body = (await reply.json()) as typeof body;
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      return this.#refused(asked, `${error}${cause?.code === undefined ? '' : ` (${cause.code})`}`);
    }
    if (status === 200 && body.callId !== undefined) {
      const answer = { atMs: nowMs(), callId: body.callId, outcome: body.outcome };
      this.#history.calls[place] = { ...asked, answer };
      this.answeredAtMs.push(answer.atMs);
      return true;
    }
    if (status === 503 || status === 502 || status === 504) return this.#refused(asked, `${status} ${JSON.stringify(body)}`);
    throw new Error(`${name} answered a call of ${this.world} with ${status} ${JSON.stringify(body)}`);
  }

  #refused({ node, askedAtMs }: { node: string; askedAtMs: number }, why: string): false {
    this.refusals.push({ node, askedAtMs, tookMs: nowMs() - askedAtMs, why });
    this.refusals.splice(0, this.refusals.length - 8);
    return false;
  }
}

interface Refusal {
  node: string;
  askedAtMs: number;
  tookMs: number;
  why: string;
}
/** A line each, of those that were asked for after a moment, with the time since then. */
export function shownRefusals(refusals: readonly Refusal[], fromMs: number): string {
  const since = refusals.filter(({ askedAtMs }) => askedAtMs >= fromMs);
  const lines = since.map(
    ({ node, askedAtMs, tookMs, why }) => `${node} at ${Math.round(askedAtMs - fromMs)} ms, after ${Math.round(tookMs)} ms: ${why}`,
  );
  return lines.join('\n');
}

/** Seeded: the same seed asks the same nodes in the same order, as far as the answers allow. */
export function seededNumbers(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

export const clientAt = (url: string, credential: string): Client =>
  createClient({ baseUrl: url, credential, retries: 0, timeoutMs: 8000 });

/** Every entry of the journal, and where the world stands. */
export async function journalOf(
  client: Client,
  projectId: string,
  sessionId: string,
): Promise<Journal & { seed: string; position: WorldPosition }> {
  const path = { projectId, sessionId };
  const entries: EvidenceEntry[] = [];
  for await (const page of client.pages('listEvidence', { path, query: { limit: 500 } })) entries.push(...page.entries);
  const { position, session } = await client.getSessionRuntime({ path });
  return { world: sessionId, entries, seed: session.seed, position };
}

/** The build that a service publishes at its first start. */
export async function exampleBuild(): Promise<CompiledBuild> {
  const root = fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url));
  const { build } = await compileProject({ root });
  if (build === undefined) throw new Error('the example does not compile');
  return build;
}

/** Asks what the journal says of a world of the same inputs in this process; what differs, in words. Empty: both hashes are the same. */
export async function replayFaults(
  build: CompiledBuild,
  { entries, seed, position }: { entries: readonly EvidenceEntry[]; seed: string; position: WorldPosition },
): Promise<string[]> {
  const local = await openLocalWorld(build, chooseStart(build, {}), { seed, isolate: 'thread' });
  try {
    const { worldInstanceId } = local.world;
    const { differing, differences } = await replaySteps(recordedSteps(each(entries)), {
      world: local.world,
      recordedInstanceId: worldInstanceId,
    });
    const replayed = await local.position();
    return [
      ...(differing === 0 ? [] : [`${differing} answers differ, the first at entry ${differences[0]?.sequence}`]),
      ...(['evidenceSequence', 'stateHash', 'evidenceHash'] as const).flatMap((name) =>
        replayed[name] === position[name] ? [] : [`${name}: ${position[name]} there, ${replayed[name]} here`],
      ),
    ];
  } finally {
    await local.close();
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
