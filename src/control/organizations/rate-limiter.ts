// Token buckets, one a credential or organization. A bucket that is full again is the same as none, so only those in use are kept.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { type Bucket, type BucketRate, spendToken } from '../../contract/token-bucket.js';

interface RatedBucket extends Bucket {
  rate: BucketRate;
}

export class RateLimiter {
  readonly #rate: BucketRate;
  readonly #nowMs: () => number;
  /** In the order of last use. */
  readonly #buckets = new Map<string, RatedBucket>();

  constructor(rate: BucketRate, nowMs: () => number) {
    if (!(rate.perSecond > 0 && rate.burst >= 1)) throw new Error('a rate is above zero and its burst at least one');
    this.#rate = rate;
    this.#nowMs = nowMs;
  }

  /**
   * One request; control.RATE_LIMITED when there is no token left. A refused request costs nothing. `rate`: where the id has one of its
   * own. Yields the rate, and how many would be let through now.
   */
  take(id: string, rate: BucketRate = this.#rate): { rate: BucketRate; remaining: number } {
    const { perSecond, burst } = rate;
    const nowMs = this.#nowMs();
    const { bucket, waitMs } = spendToken(this.#buckets.get(id), rate, nowMs);
    this.#buckets.delete(id);
    this.#buckets.set(id, { tokens: bucket.tokens, atMs: bucket.atMs, rate });
    this.#forget(nowMs);
    if (waitMs === 0) return { rate, remaining: Math.floor(bucket.tokens) };
    throw new ServiceError('control.RATE_LIMITED', {
      message: `At most ${perSecond} requests a second, ${burst} at once.`,
      details: { perSecond, burst },
      retryAfterMs: waitMs,
    });
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** A few at a time: those of longest ago that are full again, and in any case those beyond the bound. */
  #forget(nowMs: number): void {
    let looked = 0;
    for (const [id, { rate, tokens, atMs }] of this.#buckets) {
      const { perSecond, burst } = rate;
      const isFull = tokens + ((nowMs - atMs) * perSecond) / 1000 >= burst;
      if (!isFull && this.#buckets.size <= limits.rateBucketsMax) return;
      this.#buckets.delete(id);
      if (++looked === 2) return;
    }
  }
}
