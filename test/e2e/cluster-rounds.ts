// A load on a cluster, faults in its midst, and what must be true in the end. The same for the short test and for the long one.
//   rule 1 of the rounds. A request that was answered with a stored change has the same answer whenever it is asked again, at any node.
//   rule 2 of the rounds. What a client was answered to have made, every node shows it from then on.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { CompiledBuild } from '../../src/contract/run/build.js';
import { ClusterAdvances } from './cluster-advances.js';
import { ClusterHistory, type HistoryResult } from './cluster-history.js';
import { type Cluster, type ClusterNode, endedForSpace } from './cluster-kit.js';
import { ClusterLives } from './cluster-lives.js';
import { CallingAgent, journalOf, nowMs, replayFaults, seededNumbers, shownRefusals } from './cluster-load.js';

interface MadeSession {
  key: string;
  seed: string;
  /** Empty until it is known, and where the disk of its node was full. */
  sessionId: string;
}
interface AskedAdvance {
  key: string;
  sessionId: string;
  targetUs: number;
  operationId?: string;
}
export interface LoadOptions {
  seed?: number;
  worlds?: number;
  /** Between two requests of one client: the nodes share the machine with the test. */
  pauseMs?: number;
  /** Brings a port of this process's loopback to that of each node. Default: nodes do not reach it, and no receiver is called. */
  bringPort?: (port: number) => Promise<void>;
  /** Of one long advance. Default: there are none. */
  events?: number;
}
export interface LoadResult extends HistoryResult {
  creations: number;
  advances: number;
  /** Whole lives of sessions, with a reset, a fork and a run. */
  lives: number;
  /** Sessions whose receiver was called. */
  called: number;
  /** Sessions with a long advance. */
  longAdvances: number;
  /** Worlds that were replayed in an embedded world. */
  replayed: number;
  /** Besides those of the history: refusals, answers that changed, hashes that differ. */
  faults: string[];
}

const secondUs = 1_000_000;
/** Between two requests that look for the end of a silence. */
const askedEachMs = 200;
/** Between two looks at answers, which have their moments whenever they are looked at. */
const lookMs = 25;
/** The example's worlds begin here. */
const firstUs = 1_772_442_000 * secondUs;

export class ClusterLoad {
  readonly history = new ClusterHistory();
  readonly agents: CallingAgent[] = [];
  readonly #cluster: Cluster;
  readonly #seed: number;
  readonly #pauseMs: number;
  readonly #made: MadeSession[] = [];
  readonly #advances: AskedAdvance[] = [];
  readonly #working: Promise<void>[] = [];
  readonly #faults: string[] = [];
  readonly #lives: ClusterLives;
  readonly #bringPort: LoadOptions['bringPort'];
  readonly #longAdvances: ClusterAdvances | undefined;
  /** The world with the clock that moves. */
  #moved: string | undefined;
  #isOver = false;
  #count = 0;

  private constructor(cluster: Cluster, { seed = 1, pauseMs = 20, bringPort, events = 0 }: LoadOptions) {
    this.#cluster = cluster;
    this.#lives = new ClusterLives(cluster, seed);
    this.#bringPort = bringPort;
    if (events > 0) this.#longAdvances = new ClusterAdvances(cluster, { seed, events });
    this.#seed = seed;
    this.#pauseMs = pauseMs;
  }

  /** Sessions made through each node in turn, and an agent of each. */
  static async prepare(cluster: Cluster, options: LoadOptions = {}): Promise<ClusterLoad> {
    const load = new ClusterLoad(cluster, options);
    await load.#longAdvances?.prepare();
    for (let index = 0; index < (options.worlds ?? 2); index++) {
      const { sessionId } = await load.#make();
      load.agents.push(await load.agentOf(sessionId));
    }
    return load;
  }

  async agentOf(sessionId: string): Promise<CallingAgent> {
    const { projectId } = this.#cluster.ids;
    const body = { actorId: 'support-agent', ttlMs: 3_600_000 };
    const { access } = await this.#cluster.settle((client) => client.createSessionAccess({ path: { projectId, sessionId }, body }));
    return new CallingAgent({ world: sessionId, credential: access.credential, history: this.history });
  }

  begin(): void {
    // Two of each: where one waits for a node that stands still, the other shows whether the world answers.
    const agents = [0, 1].flatMap((index) => this.agents.map((agent, place) => this.#calls(agent, place * 2 + index)));
    const readers = this.agents.map(({ world }, index) => this.#reads(world, index));
    const callbacks = this.#bringPort === undefined ? [] : [this.#lives.callBack(this.#bringPort)];
    const advances = this.#longAdvances === undefined ? [] : [this.#longAdvances.advance()];
    for (const work of [...agents, ...readers, ...callbacks, ...advances, this.#makes(), this.#moves(), this.#lives.live()])
      this.#working.push(this.#noted(work));
  }

  /**
   * Resolves when each agent was answered a call that was asked after now, and `/v1` a change: how long that took, for each. Besides what
   * the load asks there is a request in each `askedEachMs`, of any node: a client that waits at a node that stands still says nothing of
   * its world.
   */
  async answersAgain({ fromMs = nowMs(), withinMs = 30_000 } = {}): Promise<number[]> {
    return await Promise.all([
      this.#controlAnswers({ fromMs, withinMs }),
      ...this.agents.map((agent, index) => this.#worldAnswers(agent, { index, fromMs, withinMs })),
    ]);
  }

  async #worldAnswers(
    agent: CallingAgent,
    { index, fromMs, withinMs }: { index: number; fromMs: number; withinMs: number },
  ): Promise<number> {
    const { world, refusals } = agent;
    const choose = seededNumbers(this.#seed * 600 + index);
    const { calls } = this.history;
    let first = calls.length;
    while (first > 0 && calls[first - 1]!.askedAtMs >= fromMs) first -= 1;
    const asked: Promise<unknown>[] = [];
    try {
      for (let nextMs = fromMs + askedEachMs; nowMs() < fromMs + withinMs; await pause(lookMs)) {
        if (this.#faults.length > 0) throw new Error([...this.#faults, ...(await this.#cluster.describe())].join('\n'));
        // Answers are written in the place of what was asked, however long they take: all places are looked at again.
        const answered = calls.slice(first).find((call) => call.world === world && call.answer !== undefined);
        if (answered?.answer !== undefined) return answered.answer.atMs - fromMs;
        if (nowMs() < nextMs) continue;
        nextMs += askedEachMs;
        this.#count += 1;
        asked.push(this.#noted(agent.call(this.#doorOf(choose), { text: `${world} ${this.#count}` })));
      }
    } finally {
      this.#working.push(Promise.all(asked).then(() => {}));
    }
    const seen = [shownRefusals(refusals, fromMs), ...(await this.#cluster.describe())].join('\n');
    throw new Error(`${world} answered nothing for ${withinMs} ms\n${seen}`);
  }

  /** Asks for a creation again that is known by its key: the leader alone answers it, and nothing is made. */
  async #controlAnswers({ fromMs, withinMs }: { fromMs: number; withinMs: number }): Promise<number> {
    const choose = seededNumbers(this.#seed * 500);
    const { projectId, environmentId } = this.#cluster.ids;
    const made = this.#made.find(({ sessionId }) => sessionId !== '');
    if (made === undefined) throw new Error('no session was made');
    const ask = { path: { projectId, environmentId }, body: { seed: made.seed } };
    const asked: Promise<unknown>[] = [];
    let answeredAtMs: number | undefined;
    for (let nextMs = 0; answeredAtMs === undefined && nowMs() < fromMs + withinMs; await pause(lookMs)) {
      if (nowMs() < nextMs) continue;
      nextMs = nowMs() + askedEachMs;
      const reply = mayFail(this.#cluster.clientOf(this.#doorOf(choose)).send('createSession', ask, { idempotencyKey: made.key }));
      asked.push(
        this.#noted(
          reply.then((answer) => {
            if (answer !== undefined) answeredAtMs ??= nowMs();
          }),
        ),
      );
    }
    this.#working.push(Promise.all(asked).then(() => {}));
    if (answeredAtMs !== undefined) return answeredAtMs - fromMs;
    throw new Error(`/v1 answered nothing for ${withinMs} ms\n${(await this.#cluster.describe()).join('\n')}`);
  }

  /** Ends the load; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#lives.stop();
    this.#longAdvances?.stop();
    await Promise.all(this.#working);
    await this.#lives.close();
  }

  /** Ends the load and checks all of it. */
  async end({ build }: { build: CompiledBuild }): Promise<LoadResult> {
    this.#isOver = true;
    this.#lives.stop();
    this.#longAdvances?.stop();
    await Promise.all(this.#working);
    const { projectId } = this.#cluster.ids;
    await this.#noted(this.#lives.check());
    await this.#lives.close();
    await this.#noted(this.#checkCreations());
    await this.#noted(this.#checkAdvances());
    const worlds = [...this.agents.map(({ world }) => world), ...(this.#moved === undefined ? [] : [this.#moved])];
    const journals = [];
    for (const world of worlds) journals.push(await this.#cluster.settle((client) => journalOf(client, projectId, world)));
    for (const journal of journals) {
      const different = await replayFaults(build, journal);
      this.#faults.push(...different.map((fault) => `${journal.world}, replayed: ${fault}`));
    }
    const { count: lives, callbackSessions: called } = this.#lives;
    const counts = {
      creations: this.#made.length,
      advances: this.#advances.length,
      lives,
      called,
      longAdvances: this.#longAdvances?.count ?? 0,
      replayed: journals.length,
    };
    return { ...this.history.check(journals), ...counts, faults: this.#faults };
  }

  /** A failure is seen in the end, and by who waits for answers; the rest of the load continues. */
  async #noted(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }

  /** With keys and without in turns; one with a key is asked again, of another node, until it is answered. */
  async #calls(agent: CallingAgent, index: number): Promise<void> {
    const choose = seededNumbers(this.#seed * 100 + index);
    while (!this.#isOver) {
      this.#count += 1;
      const text = `${agent.world} ${this.#count}`;
      const key = choose(2) === 0 ? undefined : `key-${this.#count}`;
      for (let isAnswered = false; !isAnswered && !this.#isOver; ) {
        isAnswered = await agent.call(this.#doorOf(choose), { text, ...(key === undefined ? {} : { key }) });
        await pause(this.#pauseMs);
        if (key === undefined) break;
      }
    }
  }

  async #reads(world: string, index: number): Promise<void> {
    const choose = seededNumbers(this.#seed * 200 + index);
    const { projectId } = this.#cluster.ids;
    while (!this.#isOver) {
      const node = this.#doorOf(choose);
      const askedAtMs = nowMs();
      const reply = await mayFail(this.#cluster.clientOf(node).getSessionRuntime({ path: { projectId, sessionId: world } }));
      if (reply !== undefined) {
        const { evidenceSequence: sequence } = reply.position;
        this.history.reads.push({ world, node: node.name, askedAtMs, answeredAtMs: nowMs(), sequence });
      }
      await pause(this.#pauseMs * 2);
    }
  }

  async #makes(): Promise<void> {
    const choose = seededNumbers(this.#seed * 300);
    const { projectId } = this.#cluster.ids;
    while (!this.#isOver) {
      const { sessionId } = await this.#make();
      const node = this.#doorOf(choose);
      // rule 2 of the rounds
      const seen = await mayFail(this.#cluster.clientOf(node).getSession({ path: { projectId, sessionId } }));
      assert.ok(seen === undefined || seen.session.sessionId === sessionId);
      await pause(this.#pauseMs * 20);
    }
  }

  /** A world of its own, whose clock alone moves, and which is replayed as the others are. */
  async #moves(): Promise<void> {
    const choose = seededNumbers(this.#seed * 400);
    const { projectId, environmentId, buildHash } = this.#cluster.ids;
    const { sessionId } = await this.#make();
    this.#moved = sessionId;
    for (let step = 1; !this.#isOver; step++) {
      const advance: AskedAdvance = { key: `advance-${sessionId}-${step}`, sessionId, targetUs: firstUs + step * 60 * secondUs };
      this.#advances.push(advance);
      const { targetUs } = advance;
      const body = { environmentId, buildHash, expectedLeaseGeneration: 1, targetUs, maxEvents: 1000 };
      const ask = { path: { projectId, sessionId }, body };
      while (advance.operationId === undefined && !this.#isOver) {
        const client = this.#cluster.clientOf(this.#doorOf(choose));
        const reply = await mayFail(client.advanceTime(ask, { idempotencyKey: advance.key }));
        if (reply === undefined) await pause(this.#pauseMs);
        else advance.operationId = reply.operation.operationId;
      }
      await pause(this.#pauseMs * 10);
    }
  }

  async #make(): Promise<MadeSession> {
    const number = this.#made.length + 1;
    const asked = { key: `make-${this.#seed}-${number}`, seed: String(this.#seed * 100_000 + number) };
    const place = this.#made.push({ ...asked, sessionId: '' }) - 1;
    try {
      const { sessionId } = await this.#create(asked, number);
      this.#made[place] = { ...asked, sessionId };
      return this.#made[place];
    } catch (error) {
      if (!endedForSpace(error)) throw error;
      return await this.#make();
    }
  }

  async #create({ key, seed }: Pick<MadeSession, 'key' | 'seed'>, choice: number) {
    const { projectId, environmentId } = this.#cluster.ids;
    const ask = { path: { projectId, environmentId }, body: { seed } };
    const answer = await this.#cluster.settle((client) => client.send('createSession', ask, { idempotencyKey: key }), { seed: choice });
    const { operationId } = answer.reply.operation;
    await this.#cluster.settle((client) => client.waitForOperation({ projectId, operationId }), { seed: choice });
    return { sessionId: answer.reply.session.sessionId, replayed: answer.replayed };
  }

  // rule 1 of the rounds
  async #checkCreations(): Promise<void> {
    const { projectId } = this.#cluster.ids;
    for (const [index, { key, seed, sessionId }] of this.#made.entries()) {
      if (sessionId === '') continue;
      const again = await this.#create({ key, seed }, index + 7);
      assert.deepEqual([again.sessionId, again.replayed], [sessionId, true], `${key} was acknowledged`);
    }
    const seeds = await this.#cluster.settle(async (client) => {
      const all: string[] = [];
      for await (const page of client.pages('listSessions', { path: { projectId } })) all.push(...page.items.map(({ seed }) => seed));
      return all;
    });
    for (const { key, seed, sessionId } of this.#made) {
      const count = seeds.filter((one) => one === seed).length;
      assert.ok(count === 1 || (count === 0 && sessionId === ''), `${key} is there once`);
    }
  }

  /** Those that were acknowledged have ended, and the clock is where the last of them went. */
  async #checkAdvances(): Promise<void> {
    const { projectId } = this.#cluster.ids;
    const known = this.#advances.flatMap(({ operationId, ...advance }) => (operationId === undefined ? [] : [{ ...advance, operationId }]));
    let last: AskedAdvance | undefined;
    for (const advance of known) {
      const { operationId, key } = advance;
      const path = { projectId, operationId };
      const waited = await this.#cluster
        .settle((client) => client.waitForOperation(path))
        .catch((error: unknown) => {
          if (!endedForSpace(error)) throw error;
        });
      if (waited === undefined) continue;
      assert.equal(waited.state, 'succeeded', key);
      last = advance;
    }
    if (last === undefined) return;
    const path = { projectId, sessionId: last.sessionId };
    const { position } = await this.#cluster.settle((client) => client.getSessionRuntime({ path }));
    assert.ok(position.virtualTimeUs >= last.targetUs);
  }

  #doorOf(choose: (below: number) => number): ClusterNode {
    const { nodes } = this.#cluster;
    const chosen = nodes[choose(nodes.length)] as ClusterNode;
    // Clients come through something that knows which nodes answer, but for some that do not know yet.
    if (!(chosen.isPaused || chosen.isCut) || choose(8) === 0) return chosen;
    return nodes.find(({ isPaused, isCut, isRunning }) => isRunning && !isPaused && !isCut) ?? chosen;
  }
}

/** Undefined: there is no answer, or one that says to ask again. Any other refusal is a fault. */
async function mayFail<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const { status } = error as { status?: number };
    if (status === undefined || status === 503) return undefined;
    throw error;
  }
}
