// How long tool code has held a host of late, as the looks of its watchdog see it. It drains while nothing holds the host.
//   HELD-TIME-1. Where the system keeps account, time counts in which the host ran. What it waits for a processor is no tool's doing, and
//     a host that yields for it would wait longer still.
//   HELD-TIME-2. Of a hold the time from its first look to the look after its last one counts: an account costs reads of files, and is
//     not read while nothing holds the host.
import { limits } from '../contract/limits.js';
import type { ProcessorTime } from '../processes/processor-wait.js';
import { monotonicMs } from './board.js';

export class HeldTime {
  readonly #read: () => ProcessorTime | undefined;
  readonly #nowMs: () => number;
  #heldMs = 0;
  #lookedMs: number;
  /** What the host had run by the last look, where that saw it held. */
  #ranMs: number | undefined;

  /** `read` yields what the host has had of a processor so far; undefined where that is not known. */
  constructor(read: () => ProcessorTime | undefined, nowMs: () => number = monotonicMs) {
    this.#read = read;
    this.#nowMs = nowMs;
    this.#lookedMs = nowMs();
  }

  /** A host that is held more than now and then leaves the processors to others until that has drained. */
  get yields(): boolean {
    return this.#heldMs > limits.heldFreeMs;
  }

  /** Takes in a look; yields the milliseconds that it counts. */
  look(isHeld: boolean): number {
    const nowMs = this.#nowMs();
    const sinceMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    const countedMs = this.#countedMs(isHeld, sinceMs);
    const drainedMs = isHeld ? 0 : sinceMs * limits.heldShare;
    this.#heldMs = Math.min(Math.max(0, this.#heldMs - drainedMs) + countedMs, limits.heldWaitMsMax);
    return countedMs;
  }

  #countedMs(isHeld: boolean, sinceMs: number): number {
    const before = this.#ranMs;
    this.#ranMs = undefined;
    if (!isHeld && before === undefined) return 0;
    const ranMs = this.#read()?.ranMs;
    if (isHeld) this.#ranMs = ranMs;
    if (ranMs === undefined) return isHeld ? sinceMs : 0;
    return before === undefined ? 0 : Math.min(sinceMs, Math.max(0, ranMs - before));
  }
}
