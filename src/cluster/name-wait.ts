// A process that comes under a name waits for the one that had it: whether that is at work still.
//   NAME-WAIT-1. The name is taken over from a process that has been silent for `aliveMs`, and from no other. One whose beat moves twice
//     is at work: the first may have been under way when it ended.
import type { ClusterClock } from './clock.js';
import type { NameHolder } from './log.js';
import { tuning } from './tuning.js';

const movesOfNone = 1;

export class NameWait {
  readonly #clock: ClusterClock;
  #holder: NameHolder | undefined;
  #seenMs = 0;
  #moves = 0;

  constructor(clock: ClusterClock) {
    this.#clock = clock;
  }

  /** The name is held so. Whether its holder is at work. */
  see(holder: NameHolder): boolean {
    const { incarnation, beat } = this.#holder ?? {};
    if (incarnation === holder.incarnation && beat === holder.beat) return false;
    this.#moves = incarnation === holder.incarnation ? this.#moves + 1 : 0;
    this.#holder = { incarnation: holder.incarnation, beat: holder.beat };
    this.#seenMs = this.#clock.now();
    return this.#moves > movesOfNone;
  }

  /** From whom the name may be taken. */
  get silent(): NameHolder | undefined {
    return this.#clock.now() - this.#seenMs < tuning.aliveMs ? undefined : this.#holder;
  }

  end(): void {
    this.#holder = undefined;
  }
}
