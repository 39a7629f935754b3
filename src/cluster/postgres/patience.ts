// How long an answer is waited for.
//   PATIENCE-1. Each wait that was in vain makes the next twice as long, up to a bound, until something was written: while the standby is
//     away, each session that was given up still waits for it in the server, which has few.
import { tuning } from '../tuning.js';

export class Patience {
  readonly #firstMs: number;
  #ms: number;

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
    this.#ms = firstMs;
  }

  get ms(): number {
    return this.#ms;
  }

  lost(): void {
    this.#ms = Math.min(2 * this.#ms, tuning.answerMaxMs);
  }

  /** Durable, that is: what waits for no standby shows nothing. */
  written(): void {
    this.#ms = this.#firstMs;
  }
}
