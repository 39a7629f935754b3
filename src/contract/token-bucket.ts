// A rate as a bucket of tokens: what one request leaves of it. Pure; its owner keeps it.

export interface BucketRate {
  perSecond: number;
  /** At once. */
  burst: number;
}
export interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * One token; `waitMs` is 0 where there was one, else how long until there is. A request that is refused costs nothing. No bucket is a full
 * one.
 */
export function spendToken(
  bucket: Bucket | undefined,
  { perSecond, burst }: BucketRate,
  nowMs: number,
): { bucket: Bucket; waitMs: number } {
  const { tokens, atMs } = bucket ?? { tokens: burst, atMs: nowMs };
  // A clock that was set back gives nothing, and counts from where it stands now.
  const held = Math.min(burst, tokens + (Math.max(0, nowMs - atMs) * perSecond) / 1000);
  const isThere = held >= 1;
  return {
    bucket: { tokens: isThere ? held - 1 : held, atMs: nowMs },
    waitMs: isThere ? 0 : Math.max(1, Math.ceil(((1 - held) * 1000) / perSecond)),
  };
}
