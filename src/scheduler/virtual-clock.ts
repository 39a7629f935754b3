// Virtual time of one world, in integer microseconds. Nothing here knows the host's clock. Why: docs/decisions/012.
//   VIRTUAL-CLOCK-1. The clock never goes back. A reset or a fork starts a new clock at the time it continues from.
import { invariant } from '../contract/errors.js';

export class VirtualClock {
  #nowUs: number;

  constructor(startUs: number) {
    invariant(Number.isSafeInteger(startUs), 'virtual time is a safe integer');
    this.#nowUs = startUs;
  }

  get nowUs(): number {
    return this.#nowUs;
  }

  /** Moves to `toUs`; true when that is later than now. */
  advanceTo(toUs: number): boolean {
    invariant(Number.isSafeInteger(toUs) && toUs >= this.#nowUs, 'virtual time never goes back');
    if (toUs === this.#nowUs) return false;
    this.#nowUs = toUs;
    return true;
  }

  /** When something asked for at `atUs` can happen: not in the past. */
  notBeforeNow(atUs: number): number {
    return Math.max(atUs, this.#nowUs);
  }
}
