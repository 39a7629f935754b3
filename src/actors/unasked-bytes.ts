// How much a host in a process of its own may send that is no answer: progress, reports of failures, heartbeats. Its parent reads for
// all; what answers is bounded by what was asked.
import { limits } from '../contract/limits.js';
import { monotonicMs } from './board.js';

export class UnaskedBytes {
  #left: number = limits.hostUnaskedBytesMax;
  #seenMs: number;

  constructor(nowMs = monotonicMs()) {
    this.#seenMs = nowMs;
  }

  /** False when it is more than it may send. */
  spend(bytes: number, nowMs = monotonicMs()): boolean {
    const regained = ((nowMs - this.#seenMs) / 1000) * limits.hostUnaskedBytesPerSecond;
    this.#seenMs = nowMs;
    this.#left = Math.min(limits.hostUnaskedBytesMax, this.#left + regained) - bytes;
    return this.#left >= 0;
  }
}
