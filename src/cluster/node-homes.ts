// The homes of a node: each is following (its copy follows another's), taking, owned, leaving, or closed for good.
// Owns who takes and gives what. Does not own what lies in a home (home-keeper.ts), nor the sequences (appender.ts).
//   NODE-HOMES-1. A home is opened only after a claim, with everything in its copy that was appended before, and behind a fence.
//   NODE-HOMES-2. At most one node answers reads of a home at a time, by its own knowledge.
//   NODE-HOMES-3. A home is given away by plan only to a node whose copy is warm, at most `handoversAtOnceMax` at once.
//   NODE-HOMES-4. When nodes neither come nor leave, each home comes to be owned by the first of its rank among the ready ones, which is
//               the node that an operator wants to have it where that is one of them.
//   NODE-HOMES-5. A copy that is above the log stays closed.
//   NODE-HOMES-6. A drained node (candidates.ts) gives what it has to those that are ready, and keeps its copies.
//   NODE-HOMES-7. A node whose disk is short of space gives what it has to those that are ready, and follows the catalog alone. What it
//               could not store for lack of space closes no home.
//   NODE-HOMES-8. A node that others cannot reach (members.ts) gives what it has to those that are ready, and keeps its copies.
import { within } from '../async/deadline.js';
import { Semaphore } from '../async/semaphore.js';
import { errorTable, isServiceError } from '../contract/errors.js';
import { Appender, type RecordOutcome } from './appender.js';
import { candidates, isDrainedIn, type Judged, rankOfHome, readyNodes } from './candidates.js';
import { waitOn } from './clock.js';
import { EngineWatch, type OwnedHome } from './engine-watch.js';
import { Follower } from './follower.js';
import type { HomesOptions } from './homes-options.js';
import {
  type Beat,
  catalogHome,
  type HeldHome,
  type HomePhase,
  type HomeState,
  LogUnavailable,
  LogUnknown,
  type NodeState,
} from './log.js';
import { ClusterMembers } from './members.js';
import { silentClusterMeter } from './meter.js';
import { type NodeHome, untilLeft } from './node-home.js';
import { Placement } from './placement.js';
import type { LogRecord } from './record-parts.js';
import { Shortage } from './shortage.js';
import { type Taker, takeHome } from './take-home.js';
import { tuning } from './tuning.js';

export class Homes {
  readonly appender: Appender;
  readonly members: ClusterMembers;
  readonly follower: Follower;
  readonly #options: HomesOptions;
  readonly #mine = new Map<number, NodeHome>();
  readonly #placement = new Placement();
  readonly #takes = new Semaphore(tuning.takesAtOnceMax);
  readonly #engine: EngineWatch;
  readonly #taker: Taker;
  #states: readonly HomeState[] = [];
  /** What the log had as this node's when it started, until it is taken up. */
  #ownedBefore: Set<number> | undefined;
  #isReady = false;
  #isWarm = false;
  readonly #shortage: Shortage;
  /** Of the members, when it was judged last. */
  #returns = 0;
  #isDraining = false;
  #isOver = false;
  /** Taking, leaving and closing, so that `stop` waits for them. */
  readonly #work = new Set<Promise<void>>();

  constructor(options: HomesOptions) {
    const { log, clock, keeper, node, address, format, cutAmong, meter = silentClusterMeter, onProblem, onOutage } = options;
    this.#options = options;
    this.#shortage = new Shortage(options.space);
    this.#engine = new EngineWatch(log, (home) => this.#lose(home));
    this.appender = new Appender({ log, clock, meter, onLost: (home) => this.#lose(home) });
    this.follower = new Follower({
      log,
      clock,
      keeper,
      stateOf: (home) => this.#states[home],
      onFailed: (home, error) => this.#shut(home, error),
    });
    this.members = new ClusterMembers({
      ...{ log, clock, node, cutAmong, onOutage },
      state: () => ({ address, format, state: this.#state(), followed: this.follower.positions, held: this.#held }),
      onBeat: (beat) => this.#consider(beat),
      onRefused: (error) => onProblem({ kind: 'refused', error }),
    });
    this.#taker = {
      ...{ log, clock, node, keeper, meter, members: this.members, appender: this.appender, follower: this.follower },
      startedMs: clock.now(),
      takesUp: (home) => this.#ownedBefore?.delete(home) === true,
      isOver: () => this.#isOver,
    };
  }

  start(): void {
    this.members.start();
    this.follower.start();
  }

  phaseOf(home: number): HomePhase {
    return this.#mine.get(home)?.phase ?? 'following';
  }

  /** Whether commands of the home may come to this node. */
  owns(home: number): boolean {
    return !this.#isOver && this.phaseOf(home) === 'owned';
  }

  get ownedCount(): number {
    let count = 0;
    for (const { phase } of this.#mine.values()) if (phase === 'owned') count += 1;
    return count;
  }

  /** Asked when an answer leaves: what came before the home is given away is answered while that is under way. */
  mayRead(home: number): boolean {
    const mine = this.#mine.get(home);
    const holds = !this.#isOver && mine !== undefined && (mine.phase === 'owned' || mine.phase === 'leaving') && !mine.isLost;
    return holds && this.members.mayRead && !this.#engine.isInDoubt;
  }

  /** Who has the home as far as this node knows; undefined while nobody does who is alive. */
  ownerOf(home: number): NodeState | undefined {
    const owner = this.#states[home]?.owner;
    return this.members.alive.find(({ node }) => node === owner);
  }

  get areTogether(): boolean {
    return this.#options.areTogether === true;
  }

  get isReady(): boolean {
    return this.#isReady;
  }
  /** Its copies are complete: it answers as well as any. One that was away does so before it is ready. */
  get isWarm(): boolean {
    return this.#isReady || this.#isWarm;
  }

  append(record: LogRecord): Promise<RecordOutcome> {
    return this.appender.append(record);
  }

  /** Gives everything away. Resolves when nothing is left, or when nobody is there who could take it. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const { clock, node } = this.#options;
    // Those that came back lately become ready when they see that nobody else is.
    const untilMs = clock.now() + tuning.aliveMs;
    while (!this.#isOver && this.#holds.length > 0) {
      await this.members.refresh();
      const isAlone = this.members.alive.every((other) => other.node === node || other.state === 'leaving');
      const isTakenByNone = this.#holds.every((home) => this.#rank(readyNodes(this.#judged), home).length === 0);
      if (this.members.isSettled && isTakenByNone && (isAlone || clock.now() >= untilMs)) return;
      await waitOn(this.#options.clock, tuning.followMs);
    }
  }

  /** Stops at once. Nothing is answered after it, so what is owned still may be taken as soon as others see that the node has left. */
  async stop(): Promise<void> {
    this.#isOver = true;
    // First: work and copies that wait for an append would wait for as long as the log does not answer.
    this.appender.close();
    await Promise.all([this.members.stop(), this.follower.stop()]);
    await Promise.all(this.#work);
    // Where the log does not answer, others see by its silence that this node is gone.
    await within(
      tuning.beatAnswerMs,
      this.#options.log.leave(this.members.incarnation).catch(() => undefined),
    );
  }

  get #holds(): number[] {
    return [...this.#mine].filter(([, { phase }]) => phase !== 'following' && phase !== 'closed').map(([home]) => home);
  }

  get #held(): { [home: string]: HeldHome } {
    const { keeper } = this.#options;
    const held: { [home: string]: HeldHome } = {};
    for (const [home, { phase }] of this.#mine)
      if (phase !== 'following')
        held[home] = { phase, end: this.appender.endOf(home) ?? keeper.position(home), logBytes: keeper.logBytes(home) };
    return held;
  }

  get #judged(): Judged {
    const own = { node: this.#options.node, isReady: this.#isReady && this.#mayOwn, isLeaving: this.#isDraining };
    return { alive: this.members.alive, own };
  }
  get #isGivingUp(): boolean {
    return this.#isDraining || !this.#mayOwn || isDrainedIn(this.members.alive, this.#options.node);
  }
  get #mayOwn(): boolean {
    return this.#shortage.hasSpace && !this.members.isCutOff;
  }

  #state(): NodeState['state'] {
    if (this.#isDraining) return 'leaving';
    return this.#isReady && this.#mayOwn ? 'ready' : 'joining';
  }

  #consider(beat: Beat): void {
    this.#ownedBefore ??= new Set(beat.homes.filter(({ owner }) => owner === this.#options.node).map(({ home }) => home));
    this.#states = beat.homes;
    this.#shortage.look();
    // Also where it is not known who else is there: the same beat has renewed the lease by which this node reads. A beat that began before
    // this node's claim shows a lower epoch, and says nothing.
    for (const { home, epoch } of beat.homes) {
      const mine = this.#mine.get(home);
      if (mine !== undefined && (mine.phase === 'owned' || mine.phase === 'leaving') && epoch > mine.epoch) this.#lose(home);
    }
    this.#track(this.#engine.see(beat, this.#owned));
    if (!this.members.isSettled) return;
    this.#judgeReadiness();
    this.#followRanks();
    for (const state of beat.homes) this.#considerHome(state);
  }

  get #owned(): OwnedHome[] {
    const owned = [...this.#mine].filter(([, { phase }]) => phase === 'owned');
    return owned.map(([home, { epoch }]) => ({ home, epoch, end: this.appender.endOf(home) ?? 0 }));
  }

  #rank(nodes: readonly string[], home: number): string[] {
    const [placement, states, judged, areTogether] = [this.#placement, this.#states, this.#judged, this.areTogether];
    return rankOfHome(nodes, home, { placement, states, judged, areTogether });
  }

  /**
   * Ready once it is warm for what would be its own; not for a while after it was away, unless nobody else is. What it has become by then
   * it stays: two that are back would else give way to each other for ever.
   */
  #judgeReadiness(): void {
    const { node } = this.#options;
    const others = readyNodes(this.#judged).filter((other) => other !== node);
    const { returns, isReturning } = this.members;
    if (returns !== this.#returns && others.length > 0) this.#isReady = false;
    this.#returns = returns;
    if (this.#isReady) return;
    this.#isWarm = this.#states.every(
      ({ home }) => others.length === 0 || this.owns(home) || this.#rank([...others, node], home)[0] !== node || this.follower.isWarm(home),
    );
    this.#isReady = this.#isWarm && !(isReturning && others.length > 0);
  }

  /** The homes of which this node is first or second, or would be, and the catalog's. */
  #followRanks(): void {
    const { node } = this.#options;
    const nodes = [...new Set([...candidates(this.#judged), node])];
    const followed = this.#states
      .map(({ home }) => home)
      .filter((home) => this.phaseOf(home) === 'following')
      .filter((home) => home === catalogHome || (this.#shortage.hasSpace && this.#rank(nodes, home).slice(0, 2).includes(node)));
    this.follower.follow(this.#isDraining ? [] : followed);
  }

  #considerHome(state: HomeState): void {
    const { home, owner, epoch } = state;
    const { node } = this.#options;
    const phase = this.phaseOf(home);
    if (phase === 'owned') this.#considerLeaving(home);
    else if (phase === 'following' && owner === node) {
      const successor = this.#isReady && !this.#isGivingUp ? undefined : this.#rank(readyNodes(this.#judged), home)[0];
      if (successor !== undefined && successor !== node) this.#do(home, 'leaving', (given) => this.#give(home, epoch, successor, given));
      else if (!this.#isDraining) this.#take(state);
    } else if (
      phase === 'following' &&
      (owner === undefined || !this.members.isAlive(owner)) &&
      this.#rank(candidates(this.#judged), home)[0] === node
    )
      this.#take(state);
  }

  #considerLeaving(home: number): void {
    const { node, keeper } = this.#options;
    // One that is not ready itself was away, like perhaps all others: what it has stays until it is seen who is there.
    if (!this.#isReady && !this.#isGivingUp && !this.areTogether) return;
    const target = this.#rank(readyNodes(this.#judged), home)[0];
    if (target === undefined || target === node) return;
    // Moved with all others it would only stand still: its owner keeps it for as long as it can.
    const isKept = this.areTogether && home === catalogHome && !this.#isGivingUp;
    if (isKept && this.#states[home]?.wanted !== target) return;
    const atOnceMax = this.areTogether ? this.#states.length : tuning.handoversAtOnceMax;
    if ([...this.#mine.values()].filter(({ phase }) => phase === 'leaving').length >= atOnceMax) return;
    const followed = this.members.alive.find((other) => other.node === target)?.followed[home];
    if (followed === undefined || followed + tuning.warmEntriesMax < (this.appender.endOf(home) ?? Number.POSITIVE_INFINITY)) return;
    this.#do(home, 'leaving', async (mine) => {
      await keeper.close(home, 'given');
      this.appender.disown(home);
      if (!mine.isLost) await this.#give(home, mine.epoch, target, mine);
    });
  }

  async #give(home: number, epoch: number, to: string, mine: NodeHome): Promise<void> {
    await this.#options.log.give(home, epoch, to);
    await mine.closing;
    mine.phase = 'following';
    // The next may leave now, and the one that has it sees so with its own beat.
    this.members.beatSoon();
  }

  #take(state: HomeState): void {
    this.#do(state.home, 'taking', (mine) => this.#takes.run(() => takeHome(this.#taker, state, mine)));
  }

  /** The home is another's: nothing of it is answered from here on. */
  #lose(home: number): void {
    const mine = this.#mine.get(home);
    if (mine === undefined || mine.isLost) return;
    mine.isLost = true;
    if (mine.phase !== 'owned' && mine.phase !== 'leaving') return;
    const wasOwned = mine.phase === 'owned';
    mine.phase = 'leaving';
    this.appender.disown(home);
    const closed = this.#options.keeper.close(home, 'lost');
    if (wasOwned) this.#do(home, 'leaving', () => closed);
    else {
      mine.closing = closed;
      // The work that gives it away waits for it, and fails as it does.
      closed.catch(() => {});
    }
  }

  /** One thing at a time with a home; afterwards it follows, unless the work says otherwise. */
  #do(home: number, phase: HomePhase, work: (mine: NodeHome) => Promise<void>): void {
    if (this.#isOver) return;
    const before = this.#mine.get(home);
    const mine: NodeHome = { phase, epoch: before?.epoch ?? 0, isLost: before?.isLost ?? false, quietUntilMs: before?.quietUntilMs ?? 0 };
    if (phase === 'taking') mine.isLost = false;
    this.#mine.set(home, mine);
    const run = async (): Promise<void> => {
      try {
        await untilLeft(mine, work);
        if (mine.phase === phase) mine.phase = 'following';
      } catch (error) {
        // The next beat shows how it stands.
        if (error instanceof LogUnknown || error instanceof LogUnavailable) mine.phase = 'following';
        else this.#shut(home, error);
      }
      if (mine.phase !== 'owned') this.appender.disown(home);
    };
    this.#track(run());
  }

  #shut(home: number, error: unknown): void {
    const mine = this.#mine.get(home) ?? { phase: 'closed', epoch: 0, isLost: false, quietUntilMs: 0 };
    // For lack of space, or of what else comes back: the next beat tries again, or gives the home away.
    const isShort = this.#shortage.isReasonOf(error);
    const isClosed = !isShort && !mayPass(error);
    mine.phase = isClosed ? 'closed' : 'following';
    this.#mine.set(home, mine);
    if (!isShort) this.#options.onProblem({ kind: isClosed ? 'closed' : 'failed', home, error });
    else if (this.#shortage.isNewsOf(home)) this.#options.onProblem({ kind: 'unstored', home, error });
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }
}

/** It is refused with a code that says so. */
const mayPass = (error: unknown): boolean => isServiceError(error) && errorTable[error.code].retryable && error.extra.isFinal !== true;
