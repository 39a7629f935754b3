// Token buckets, one a credential. A bucket that is full again is the same as none, so only those in use are kept.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';

export interface Rate {
  perSecond: number;
  burst: number;
}
interface Bucket {
  tokens: number;
  atMs: number;
}

export class RateLimiter {
  readonly #rate: Rate;
  readonly #nowMs: () => number;
  /** In the order of last use. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, nowMs: () => number) {
    if (!(rate.perSecond > 0 && rate.burst >= 1)) throw new Error('a rate is above zero and its burst at least one');
    this.#rate = rate;
    this.#nowMs = nowMs;
  }

  /** One request; control.RATE_LIMITED when there is no token left. A refused request costs nothing. */
  take(id: string): void {
    const { perSecond, burst } = this.#rate;
    const nowMs = this.#nowMs();
    const { tokens, atMs } = this.#buckets.get(id) ?? { tokens: burst, atMs: nowMs };
    // A clock that was set back gives nothing, and counts from where it stands now.
    const held = Math.min(burst, tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1000);
    this.#buckets.delete(id);
    this.#buckets.set(id, { tokens: held < 1 ? held : held - 1, atMs: nowMs });
    this.#forget(nowMs);
    if (held >= 1) return;
    throw new ServiceError('control.RATE_LIMITED', {
      message: `At most ${perSecond} requests a second, ${burst} at once.`,
      retryAfterMs: Math.max(1, Math.ceil(((1 - held) * 1000) / perSecond)),
    });
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** A few at a time: those of longest ago that are full again, and in any case those beyond the bound. */
  #forget(nowMs: number): void {
    const { perSecond, burst } = this.#rate;
    let looked = 0;
    for (const [id, { tokens, atMs }] of this.#buckets) {
      const isFull = tokens + ((nowMs - atMs) * perSecond) / 1000 >= burst;
      if (!isFull && this.#buckets.size <= limits.rateBucketsMax) return;
      this.#buckets.delete(id);
      if (++looked === 2) return;
    }
  }
}
