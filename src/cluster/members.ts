// Who is alive, by this node's own monotonic clock, and whether it may answer reads.
// Owns the beats. Does not own what follows from them (node-homes.ts).
//   MEMBERS-1. A node is alive while its beat changed within `aliveMs` of this node's seeing it; one that is seen first is alive at first,
//              also by a node that was away itself.
//   MEMBERS-2. A read may be answered only within `readLeaseMs` of the sending of the last beat that was answered, which is shorter than
//              any other node waits before it takes a home.
//   MEMBERS-3. Beats are sent one at a time, also while the log does not answer. One is sent when a node has been silent for `aliveMs`.
//   MEMBERS-4. The time in which the log did not answer is counted from the sending of the first beat that was in vain.
//              An outage is reported once when reads end for it, and once when it is over.
//   MEMBERS-5. A node is cut off where most of the others that are alive, and two of them at least, say that they cannot reach it, and can
//              reach each other: of two that cannot reach each other neither is, and where nobody reaches anybody nobody is.
//   MEMBERS-6. Of two processes with one name the one that came later is refused, and of two nodes with one address.
import { randomUUID } from 'node:crypto';
import type { ClusterClock } from './clock.js';
import { type Beat, type ClusterLog, LogUnavailable, LogUnknown, NameHeld, type NodeState, type OwnState } from './log.js';
import { NameWait } from './name-wait.js';
import { nodeAddressInUse, nodeNameInUse } from './refusals.js';
import { tuning } from './tuning.js';

export interface MembersOptions {
  log: ClusterLog;
  clock: ClusterClock;
  node: string;
  /** What this node says of itself, at the moment of the beat. */
  state(): Omit<OwnState, 'node' | 'incarnation' | 'unreached'>;
  /** Of the addresses of nodes those that could not be reached. */
  cutAmong?: ((addresses: readonly string[]) => readonly string[]) | undefined;
  /** After each answered beat. */
  onBeat(beat: Beat): void;
  /** This node is refused for good (as: the cluster writes a newer format). No beat is sent after it. */
  onRefused(error: unknown): void;
  /** Default: nobody notes it. */
  onOutage?: ((change: OutageChange) => void) | undefined;
}

/** The log answers no beat any more, for a reason in words; or it answers again, after so long. */
export type OutageChange = { isOver: false; reason: string } | { isOver: true; awayMs: number };

interface Sight {
  beat: number;
  /** When it was first seen with this beat. */
  seenMs: number;
  /** It changed at least once: somebody writes it. */
  isProven: boolean;
}

export class ClusterMembers {
  readonly #options: MembersOptions;
  readonly #sights = new Map<string, Sight>();
  #beat: Beat | undefined;
  #leaseFromMs = Number.NEGATIVE_INFINITY;
  /** Since when it was answered without a break that others could have taken for its end. */
  #steadySinceMs: number | undefined;
  #cameBack = false;
  #returns = 0;
  #cancelNext: (() => void) | undefined;
  #beating: Promise<void> | undefined;
  #isOver = false;
  #refusal: unknown;
  /** Of its process. */
  readonly incarnation = randomUUID();
  readonly #nameWait: NameWait;
  #isAddressOwn = false;
  #readySinceMs: number | undefined;
  #vainSinceMs: number | undefined;
  #vainMs = 0;
  #failure: string | undefined;
  #isOutageReported = false;
  #cutOffMs: number | undefined;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#nameWait = new NameWait(options.clock);
  }

  start(): void {
    this.beatSoon();
  }

  /** The next beat at once: somebody says that it has news. */
  beatSoon(): void {
    this.#cancelNext?.();
    if (this.#isOver || this.#beating !== undefined) return;
    this.#beating = this.#send().finally(() => {
      this.#beating = undefined;
      if (!this.#isOver) this.#cancelNext = this.#options.clock.after(this.#nextBeatInMs(), () => this.beatSoon());
    });
  }

  /** Resolves with what a beat shows that was sent after this call; undefined where it was not answered. */
  async refresh(): Promise<Beat | undefined> {
    await this.#beating;
    const seen = this.#beat;
    this.beatSoon();
    await this.#beating;
    return this.#beat === seen ? undefined : this.#beat;
  }

  /** The last answered beat. */
  get last(): Beat | undefined {
    return this.#beat;
  }

  isAlive(node: string): boolean {
    if (node === this.#options.node) return true;
    const sight = this.#sights.get(node);
    return sight !== undefined && this.#options.clock.now() - sight.seenMs < tuning.aliveMs;
  }

  /** Of every node it is known whether it is alive: its beat was seen to change, or was not for long enough. */
  get isSettled(): boolean {
    return (
      this.#beat?.nodes.every(
        ({ node }) => node === this.#options.node || this.#sights.get(node)?.isProven === true || !this.isAlive(node),
      ) ?? false
    );
  }

  /** Milliseconds since the last answered beat was sent; undefined before the first. */
  get beatAgeMs(): number | undefined {
    return this.#beat === undefined ? undefined : this.#options.clock.now() - this.#leaseFromMs;
  }

  /** Of this node's time, how long the log did not answer. */
  get unavailableMs(): number {
    return this.#vainMs + (this.#vainSinceMs === undefined ? 0 : this.#options.clock.now() - this.#vainSinceMs);
  }

  /** Why the last beat was not answered, if it was not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Why the cluster takes no beats of this node, if it does not. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** When a beat of the node was seen last that was another than before. */
  seenMsOf(node: string): number | undefined {
    return this.#sights.get(node)?.seenMs;
  }

  /** What the log knows of this node. */
  get own(): NodeState | undefined {
    return this.#beat?.nodes.find(({ node }) => node === this.#options.node);
  }

  /** Since when this node knows that all others see it as ready; undefined where they may not. */
  get readySinceMs(): number | undefined {
    return this.#readySinceMs;
  }

  /** Nodes that are alive, this one as the log has it. */
  get alive(): NodeState[] {
    return (this.#beat?.nodes ?? []).filter(({ node }) => this.isAlive(node));
  }

  /**
   * Nodes that may answer somebody: who is alive, and who has homes as far as is known. This one is left out. `mayServe`: it may answer for
   * homes; any other has to take one first.
   */
  get others(): { node: string; address: string; mayServe: boolean }[] {
    const { nodes = [], homes = [] } = this.#beat ?? {};
    const owners = new Set(homes.map(({ owner }) => owner));
    return nodes
      .filter(({ node }) => node !== this.#options.node && (owners.has(node) || this.isAlive(node)))
      .map(({ node, address, state }) => ({ node, address, mayServe: owners.has(node) || state === 'ready' }));
  }

  /** Whether what a home of this node says is still its newest. */
  get mayRead(): boolean {
    return this.#options.clock.now() - this.#leaseFromMs < tuning.readLeaseMs;
  }

  /** Whether this name was in the cluster before, and has not been there for long enough since: it gets no homes yet. */
  get isReturning(): boolean {
    return this.#cameBack && this.#options.clock.now() - (this.#steadySinceMs as number) < tuning.returnedMs;
  }

  /** Others cannot reach it, or could not until a moment ago: what it owns they ask for in vain. */
  get isCutOff(): boolean {
    return this.#cutOffMs !== undefined && this.#options.clock.now() - this.#cutOffMs < tuning.returnedMs;
  }

  /** Clients are served better by another node: one is ready, and this one is cut off. */
  get isOutdone(): boolean {
    return this.isCutOff && this.alive.some(({ node, state }) => node !== this.#options.node && state === 'ready');
  }

  /** How often this name was found to have been away. */
  get returns(): number {
    return this.#returns;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#cancelNext?.();
    await this.#beating;
  }

  async #send(): Promise<void> {
    const { log, clock, node, state, onBeat } = this.#options;
    const sentMs = clock.now();
    let beat: Beat;
    try {
      const own = { node, incarnation: this.incarnation, unreached: this.#unreached(), ...state() };
      beat = await log.beat(own, this.#nameWait.silent);
    } catch (error) {
      if (error instanceof LogUnknown || error instanceof LogUnavailable) {
        this.#noteVain(sentMs, error.message);
        return;
      }
      if (!(error instanceof NameHeld)) this.#refuse(error);
      else if (this.#nameWait.see(error.holder)) this.#refuse(nodeNameInUse(node));
      return;
    }
    this.#nameWait.end();
    this.#noteAnswered();
    const isFirst = this.#beat === undefined;
    const wasAway = !isFirst && sentMs - this.#leaseFromMs >= tuning.aliveMs;
    this.#leaseFromMs = sentMs;
    this.#beat = beat;
    // Of the time in which it saw nobody it knows nothing of the others: the log may have been away for all.
    if (wasAway) this.#sights.clear();
    this.#look(beat);
    if (this.#isCutOffBy(this.alive.filter((other) => other.node !== node))) this.#cutOffMs = clock.now();
    this.#readySinceMs = this.own?.state === 'ready' ? (this.#readySinceMs ?? clock.now()) : undefined;
    // More beats than its own one: an earlier incarnation was here.
    if (isFirst) this.#cameBack = beat.nodes.some((seen) => seen.node === node && seen.beat > 1);
    if (wasAway) this.#cameBack = true;
    if (wasAway || (isFirst && this.#cameBack)) this.#returns += 1;
    if (isFirst || wasAway) this.#steadySinceMs = sentMs;
    this.#requireOwnAddress();
    if (!this.#isOver) onBeat(beat);
  }

  #noteVain(sentMs: number, reason: string): void {
    this.#vainSinceMs ??= sentMs;
    this.#failure = reason;
    // A beat alone that was lost is no outage.
    if (this.mayRead || this.#isOutageReported) return;
    this.#isOutageReported = true;
    this.#options.onOutage?.({ isOver: false, reason });
  }

  #noteAnswered(): void {
    if (this.#vainSinceMs === undefined) return;
    const awayMs = this.#options.clock.now() - this.#vainSinceMs;
    this.#vainMs += awayMs;
    this.#vainSinceMs = undefined;
    this.#failure = undefined;
    if (this.#isOutageReported) this.#options.onOutage?.({ isOver: true, awayMs });
    this.#isOutageReported = false;
  }

  #refuse(error: unknown): void {
    this.#isOver = true;
    this.#refusal = error;
    this.#options.onRefused(error);
  }

  /** Once, before this node takes anything: who comes later with the same one is refused by the same rule. */
  #requireOwnAddress(): void {
    if (this.#isAddressOwn || !this.isSettled) return;
    this.#isAddressOwn = true;
    const { address } = this.#options.state();
    const other = this.alive.find((one) => one.node !== this.#options.node && one.address === address);
    if (other !== undefined) this.#refuse(nodeAddressInUse(address, other.node));
  }

  /** Sooner than usual where one becomes silent for too long before that: what it owns waits for this look. */
  #nextBeatInMs(): number {
    const now = this.#options.clock.now();
    const leftMs = [...this.#sights].filter(([node]) => node !== this.#options.node).map(([, { seenMs }]) => seenMs + tuning.aliveMs - now);
    return Math.min(tuning.beatMs, ...leftMs.filter((ms) => ms > 0).map(Math.ceil));
  }

  #unreached(): string[] {
    const others = this.alive.filter(({ node }) => node !== this.#options.node);
    const cut = this.#options.cutAmong?.(others.map(({ address }) => address)) ?? [];
    return others.filter(({ address }) => cut.includes(address)).map(({ node }) => node);
  }

  #isCutOffBy(others: readonly NodeState[]): boolean {
    const isReached = (voice: NodeState): boolean => others.some((one) => one !== voice && !one.unreached.includes(voice.node));
    const count = others.filter((voice) => voice.unreached.includes(this.#options.node) && isReached(voice)).length;
    return count >= tuning.cutOffVoicesMin && count > others.length / 2;
  }

  #look({ nodes }: Beat): void {
    const now = this.#options.clock.now();
    for (const { node, beat } of nodes) {
      const sight = this.#sights.get(node);
      if (sight?.beat !== beat) this.#sights.set(node, { beat, seenMs: now, isProven: sight !== undefined });
    }
    // As many as there are rows.
    for (const node of this.#sights.keys()) if (!nodes.some((row) => row.node === node)) this.#sights.delete(node);
  }
}
