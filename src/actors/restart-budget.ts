// How often a host may end by itself before it is left alone for a while: a host that only ever crashes must not keep a core busy
// restarting.
export interface RestartLimits {
  max: number;
  windowMs: number;
  coolDownMs: number;
}

export class RestartBudget {
  readonly limits: RestartLimits;
  /** When the latest ends were, oldest first; at most `max` of them. */
  #endsMs: number[] = [];

  constructor(limits: RestartLimits) {
    this.limits = limits;
  }

  /** Notes an end; false when it was one too many, and then the count restarts after the cool-down. */
  spend(nowMs: number): boolean {
    this.#endsMs = this.#endsMs.filter((endMs) => endMs > nowMs - this.limits.windowMs);
    if (this.#endsMs.length >= this.limits.max) {
      this.#endsMs = [];
      return false;
    }
    this.#endsMs.push(nowMs);
    return true;
  }
}
