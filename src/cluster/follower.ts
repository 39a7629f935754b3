// Copies of homes that others own: what is appended is read and applied, often enough that a taker has little left to read.
//   FOLLOWER-1. The keeper gets each record once and in order, with no gap; where the log no longer reaches back, a snapshot first.
//   FOLLOWER-2. A home is applied by one at a time: `reach` waits for a look that has it, and looks leave it alone until it is done.
//   FOLLOWER-3. A copy counts as whole only with what it then had, and with what was in the log behind it: a snapshot alone is no end.
import type { ClusterClock } from './clock.js';
import type { HomeKeeper } from './home-keeper.js';
import { type ClusterLog, catalogHome, type HomeState, type LogEntry, LogUnavailable } from './log.js';
import { type FollowedRecord, PartJoiner } from './record-parts.js';
import { logWentBack } from './refusals.js';
import { tuning } from './tuning.js';

export interface FollowerOptions {
  log: ClusterLog;
  clock: ClusterClock;
  keeper: HomeKeeper;
  /** As of the last beat. */
  stateOf(home: number): HomeState | undefined;
  /** A copy that cannot follow. It is not read again until it is followed again. */
  onFailed(home: number, error: unknown): void;
}

interface Copy {
  /** The next sequence to read. Ahead of the keeper's within a record of many parts. */
  next: number;
  joiner: PartJoiner;
  /** The last look found no more than it could read. */
  isAtEnd: boolean;
  /** When the look began that was the last to find so; when the copy is first followed, if none has. */
  wholeAtMs: number;
  /** Where the copy was then; undefined if none has. */
  wholeTo: number | undefined;
  busy: Promise<void> | undefined;
}

export class Follower {
  readonly #options: FollowerOptions;
  readonly #copies = new Map<number, Copy>();
  #followed: number[] = [];
  #cancelNext: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #isOver = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  /** From now on these, and no others. */
  follow(homes: readonly number[]): void {
    this.#followed = homes.filter((home) => !this.#followed.includes(home)).concat(this.#followed.filter((home) => homes.includes(home)));
    for (const [home, copy] of this.#copies) if (!homes.includes(home) && copy.busy === undefined) this.#copies.delete(home);
  }

  /** By home, how far its copy is. */
  get positions(): { [home: string]: number } {
    return Object.fromEntries(this.#followed.map((home) => [home, this.#options.keeper.position(home)]));
  }

  /** Of each followed home, for how long its copy may have missed something. */
  get ages(): Map<number, number> {
    const now = this.#options.clock.now();
    return new Map(this.#followed.map((home) => [home, now - this.#copyOf(home).wholeAtMs]));
  }

  /** Whether the copy had everything at the last look. */
  isWarm(home: number): boolean {
    return this.#copies.get(home)?.isAtEnd === true;
  }

  /** Whether the copy has everything that was in the log so long ago; unless said otherwise, as long as a read lease lasts. */
  isWithin(home: number, ms: number = tuning.readLeaseMs): boolean {
    const { keeper, clock } = this.#options;
    const copy = this.#copies.get(home);
    if (copy?.wholeTo === undefined || keeper.position(home) < copy.wholeTo) return false;
    return clock.now() - copy.wholeAtMs < ms;
  }

  /** The next look at once. */
  lookSoon(): void {
    if (this.#isOver || this.#looking !== undefined) return;
    this.#cancelNext?.();
    this.#look();
  }

  /** Applies everything up to `end`. The home should not be followed by then. */
  async reach(home: number, end: number): Promise<void> {
    const { log, keeper } = this.#options;
    const copy = this.#copyOf(home);
    while (copy.busy !== undefined) await copy.busy;
    let release = (): void => {};
    copy.busy = new Promise((resolve) => {
      release = resolve;
    });
    try {
      this.#begin(home, copy);
      if (keeper.seen(home) > end) throw logWentBack(home, keeper.seen(home), end);
      while (keeper.position(home) < end) {
        const entries = await log.read([{ home, sequence: copy.next }], tuning.readBytesMax);
        const wanted = entries.filter(({ sequence }) => sequence <= end);
        if ((await this.#apply(home, copy, wanted)) === undefined && wanted.length === 0)
          throw new LogUnavailable(`the log of home ${home} has nothing at ${copy.next}`);
      }
    } finally {
      copy.busy = undefined;
      this.#copies.delete(home);
      release();
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#cancelNext?.();
    await this.#looking;
  }

  #look(): void {
    this.#looking = this.#readAll().finally(() => {
      this.#looking = undefined;
      if (!this.#isOver) this.#cancelNext = this.#options.clock.after(tuning.followMs, () => this.#look());
    });
  }

  async #readAll(): Promise<void> {
    const { log, clock, keeper, onFailed } = this.#options;
    const beganMs = clock.now();
    // All that is answered here waits for the catalog, if for anything.
    const inOrder = [...this.#followed].sort((one, other) => Number(other === catalogHome) - Number(one === catalogHome));
    const looked = inOrder.filter((home) => this.#copyOf(home).busy === undefined);
    if (looked.length === 0) return;
    const work = looked.map((home): [number, Copy] => [home, this.#copyOf(home)]);
    let release = (): void => {};
    const busy = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const [home, copy] of work) {
      copy.busy = busy;
      this.#begin(home, copy);
    }
    try {
      const entries = await log.read(
        work.map(([home, { next }]) => ({ home, sequence: next })),
        tuning.readBytesMax,
      );
      let [bytes, last] = [0, 0];
      for (const { body, home } of entries) [bytes, last] = [bytes + body.length, home];
      // What was cut off belongs to the last home that was read and to those behind it: they are first at the next look.
      const isCut = bytes >= tuning.readBytesMax;
      for (const [index, [home, copy]] of work.entries()) {
        const own = entries.filter((entry) => entry.home === home);
        let isHeld = false;
        const moved = await this.#apply(home, copy, own).catch((error: unknown) => {
          isHeld = true;
          // As: no snapshot is there yet. A later look may find one.
          if (error instanceof LogUnavailable) return;
          this.#followed = this.#followed.filter((followed) => followed !== home);
          onFailed(home, error);
        });
        // What was read was not applied to a snapshot: the next look reads what is behind that.
        isHeld ||= moved === 'restored';
        copy.isAtEnd = !isHeld && own.length < tuning.readEntriesMax && (!isCut || index < work.findIndex(([read]) => read === last));
        if (copy.isAtEnd) [copy.wholeAtMs, copy.wholeTo] = [beganMs, keeper.position(home)];
      }
      const late = work.filter(([, { isAtEnd }]) => !isAtEnd).map(([home]) => home);
      this.#followed = [...late.filter((home) => this.#followed.includes(home)), ...this.#followed.filter((home) => !late.includes(home))];
    } catch {
      // The log cannot be reached: the next look asks again, and until then nothing is known of how far it is.
      for (const [, copy] of work) copy.isAtEnd = false;
    } finally {
      for (const [, copy] of work) copy.busy = undefined;
      release();
    }
  }

  /** How the keeper's copy moved, if it did. */
  async #apply(home: number, copy: Copy, entries: readonly LogEntry[]): Promise<'applied' | 'restored' | undefined> {
    const { keeper, stateOf } = this.#options;
    const first = entries[0]?.sequence ?? copy.next;
    const state = stateOf(home);
    if (first > copy.next || (entries.length === 0 && state !== undefined && state.firstSequence > copy.next)) {
      if (state === undefined || state.snapshotSequence <= keeper.position(home))
        throw new LogUnavailable(`home ${home} has no snapshot behind ${keeper.position(home)}`);
      await keeper.restore(state);
      copy.joiner.reset();
      copy.next = keeper.position(home) + 1;
      return 'restored';
    }
    const records: FollowedRecord[] = [];
    const after = keeper.position(home);
    let upTo = after;
    for (const entry of entries) {
      const record = copy.joiner.join(entry);
      if (record !== undefined) records.push(record);
      if (copy.joiner.isWhole) upTo = entry.sequence;
      copy.next = entry.sequence + 1;
    }
    if (upTo === after) return undefined;
    try {
      await keeper.apply(home, records, { after, upTo });
    } catch (error) {
      // What was joined is read again, should the home be followed again: the copy has none of it.
      copy.joiner.reset();
      copy.next = keeper.position(home) + 1;
      throw error;
    }
    return 'applied';
  }

  /** Where the keeper's copy is not where this left it, it is read again from the keeper's. */
  #begin(home: number, copy: Copy): void {
    const position = this.#options.keeper.position(home);
    if (copy.joiner.isWhole ? copy.next === position + 1 : copy.next > position) return;
    copy.joiner.reset();
    copy.next = position + 1;
  }

  #copyOf(home: number): Copy {
    const found = this.#copies.get(home);
    if (found !== undefined) return found;
    const { keeper, clock } = this.#options;
    const next = keeper.position(home) + 1;
    const made: Copy = { next, joiner: new PartJoiner(), isAtEnd: false, wholeAtMs: clock.now(), wholeTo: undefined, busy: undefined };
    this.#copies.set(home, made);
    return made;
  }
}
