// Long advances on a cluster, in sessions that are forked and reset at random on the way: each is a command of a hundred thousand turns, so
// that takeovers fall into its midst. Each change has a key and is asked of any node until it is answered.
// A session of which an operation found a full disk is left, and another is begun.
//   rule 1 of the advances. However an advance was interrupted, each of its events happened once: the rows say so.
//   rule 2 of the advances. What was forked or reset on the way leads to the same state, and the same way to the same evidence.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { publishRows } from '../../bench/service.js';
import type { Client } from '../../src/client/client.js';
import type { LongRunningOperation } from '../../src/contract/hosted/operation.js';
import { type Cluster, type ClusterNode, endedForSpace } from './cluster-kit.js';
import { seededNumbers } from './cluster-load.js';

const rows = 50;
const ways = ['straight', 'forked', 'reset'] as const;
type Way = (typeof ways)[number];

export interface AdvancesOptions {
  seed: number;
  /** Of one advance. */
  events: number;
}

export class ClusterAdvances {
  readonly #cluster: Cluster;
  readonly #events: number;
  readonly #choose: (below: number) => number;
  readonly #evidence = new Map<Way, { evidenceHash: string; sessionId: string }>();
  #state: string | undefined;
  #buildHash = '';
  #count = 0;
  #isOver = false;
  /** In the present session an agent has asked again: that is in its evidence too. */
  #isRepeated = false;

  constructor(cluster: Cluster, { seed, events }: AdvancesOptions) {
    this.#cluster = cluster;
    this.#events = events;
    this.#choose = seededNumbers(seed * 900);
  }

  /** Sessions whose advances have ended. */
  get count(): number {
    return this.#count;
  }

  /** Before the first fault. */
  async prepare(): Promise<void> {
    const { projectId } = this.#cluster.ids;
    this.#buildHash = await publishRows(this.#cluster.patientClientOf(await this.#cluster.leader()), { projectId, rows });
  }

  /** One session after the other. */
  async advance(): Promise<void> {
    for (let begun = 1; !this.#isOver; begun++) {
      try {
        await this.#session(`advances-${begun}`, ways[this.#choose(ways.length)] as Way);
        this.#count += 1;
      } catch (error) {
        if (!endedForSpace(error)) throw error;
      }
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  async #session(key: string, way: Way): Promise<void> {
    this.#isRepeated = false;
    const { projectId, environmentId } = this.#cluster.ids;
    const body = { seed: '5', buildHash: this.#buildHash };
    const made = await this.#ask(`${key}-make`, (client, call) =>
      client.send('createSession', { path: { projectId, environmentId }, body }, call),
    );
    await this.#done(made.operation);
    let { sessionId } = made.session;
    if (way === 'reset') {
      await this.#plan('plan-before', sessionId);
      const expectedLeaseGeneration = await this.#lease(sessionId);
      const path = { projectId, sessionId };
      const reset = await this.#ask(`${key}-reset`, (client, call) =>
        client.send('resetSession', { path, body: { expectedLeaseGeneration } }, call),
      );
      await this.#done(reset.operation);
    }
    const fromUs = await this.#plan('plan-events', sessionId);
    const halfUs = fromUs + Math.floor(this.#events / 2);
    await this.#advance(`${key}-half`, sessionId, halfUs);
    if (way === 'forked') {
      const expectedLeaseGeneration = await this.#lease(sessionId);
      const path = { projectId, sessionId };
      const fork = await this.#ask(`${key}-fork`, (client, call) =>
        client.send('forkSession', { path, body: { environmentId, expectedLeaseGeneration } }, call),
      );
      await this.#done(fork.operation);
      ({ sessionId } = fork.session);
    }
    await this.#advance(`${key}-whole`, sessionId, fromUs + this.#events);
    await this.#check(sessionId, way);
  }

  /** All events of the advance, as an agent asks for them, in parts. Yields the moment of the first. The keys are in the evidence. */
  async #plan(key: string, sessionId: string): Promise<number> {
    const path = { projectId: this.#cluster.ids.projectId, sessionId };
    const { position } = await this.#cluster.settle((client) => client.getSessionRuntime({ path }), { withinMs });
    const fromUs = position.virtualTimeUs + 1;
    const access = await this.#cluster.settle(
      async (client) => (await client.createSessionAccess({ path, body: { actorId: 'worker', ttlMs: 3_600_000 } })).access,
      { withinMs },
    );
    for (let from = 0; from < this.#events; from += eventsOfCall) {
      const count = Math.min(eventsOfCall, this.#events - from);
      const given = { arguments: { fromUs: fromUs + from, count, rows }, idempotencyKey: `${key}-${from}` };
      let asked = 0;
      await this.#cluster.settle(
        (_, node) => {
          asked += 1;
          return planned(node, access.credential, given);
        },
        { withinMs },
      );
      this.#isRepeated ||= asked > 1;
    }
    return fromUs;
  }

  async #advance(key: string, sessionId: string, targetUs: number): Promise<void> {
    const { projectId, environmentId } = this.#cluster.ids;
    const expectedLeaseGeneration = await this.#lease(sessionId);
    const fence = { environmentId, buildHash: this.#buildHash, expectedLeaseGeneration };
    const body = { ...fence, targetUs, maxEvents: this.#events };
    const moved = await this.#ask(key, (client, call) => client.send('advanceTime', { path: { projectId, sessionId }, body }, call));
    await this.#done(moved.operation);
  }

  async #check(sessionId: string, way: Way): Promise<void> {
    const path = { projectId: this.#cluster.ids.projectId, sessionId };
    const { position } = await this.#cluster.settle((client) => client.getSessionRuntime({ path }), { withinMs });
    const query = { packageId: 'rows', namespace: 'rows' };
    const state = await this.#cluster.settle((client) => client.listState({ path, query }), { withinMs });
    // rule 1 of the advances
    assert.equal(
      state.rows.reduce((sum, { value }) => sum + Number(value.count), 0),
      this.#events,
      `${way}: events of ${sessionId}`,
    );
    // rule 2 of the advances
    this.#state ??= position.stateHash;
    assert.equal(position.stateHash, this.#state, `${way}: the state of ${sessionId}: ${JSON.stringify(position)}`);
    if (this.#isRepeated) return;
    const { evidenceHash } = position;
    const known = this.#evidence.get(way) ?? { evidenceHash, sessionId };
    this.#evidence.set(way, known);
    if (evidenceHash !== known.evidenceHash)
      assert.fail(`${way}: the evidence differs: ${await this.#difference(known.sessionId, sessionId)}`);
  }

  /** The first entries of two journals that are not the same. */
  async #difference(one: string, other: string): Promise<string> {
    const { projectId } = this.#cluster.ids;
    const limit = 500;
    for (let from = 1; ; from += limit) {
      const pages = await Promise.all(
        [one, other].map((sessionId) =>
          this.#cluster.settle((client) => client.listEvidence({ path: { projectId, sessionId }, query: { fromSequence: from, limit } })),
        ),
      );
      const [left = [], right = []] = pages.map(({ entries }) => entries.map((entry) => JSON.stringify(entry)));
      const at = left.findIndex((text, index) => text !== right[index]);
      if (at >= 0) return `${one} ${left[at]}\n${other} ${right[at]}`;
      if (left.length < limit) return `${one} ends at ${from + left.length}, ${other} at ${from + right.length}`;
    }
  }

  async #lease(sessionId: string): Promise<number> {
    const path = { projectId: this.#cluster.ids.projectId, sessionId };
    return (await this.#cluster.settle((client) => client.getSession({ path }), { withinMs })).session.leaseGeneration;
  }

  async #ask<T>(key: string, send: (client: Client, call: { idempotencyKey: string }) => Promise<{ reply: T }>): Promise<T> {
    const seed = this.#choose(1000) + 1;
    return await this.#cluster.settle(async (client) => (await send(client, { idempotencyKey: key })).reply, { withinMs, seed });
  }

  async #done({ operationId, kind }: LongRunningOperation): Promise<void> {
    const { projectId } = this.#cluster.ids;
    const { state, error } = await this.#cluster.settle((client) => client.waitForOperation({ projectId, operationId }), { withinMs });
    assert.equal(state, 'succeeded', `${kind}: ${JSON.stringify(error)}`);
    await pause(20);
  }
}

/** So few that a step of the tool is far from its time on a loaded machine, too: a build whose steps take longer is quarantined. */
const eventsOfCall = 5000;

/** An advance is long, and may begin again with each fault. */
const withinMs = 180_000;

async function planned({ url }: ClusterNode, credential: string, given: object): Promise<void> {
  const reply = await fetch(`${url}/world/v1/operations/rows/plan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(given),
    signal: AbortSignal.timeout(answerMs),
  });
  const text = await reply.text();
  // The watchdog counts the time of a loaded machine too. It has kept nothing, so the same key may be asked again.
  const status = text.includes('world.HANDLER_TIMEOUT') ? 503 : reply.status;
  if (!reply.ok) throw Object.assign(new Error(`${reply.status} ${text}`), { status });
}
const answerMs = 8000;
