// Work that is attempted again where another attempt may help. What is retried, how often and after which wait is a policy; a caller that
// retries knows that the work may be done twice. The error of the last attempt is thrown as it is.
import { pause } from './pause.js';
import { tuning } from './tuning.js';

export interface RetryPolicy {
  /** Attempts in all, the first included. Default: as many as `isRetryable` and the signal allow. */
  attemptsMax?: number;
  /** Whether another attempt may help. Called after each attempt that failed but the last. */
  isRetryable(error: unknown): boolean;
  /** Milliseconds until the next attempt; `attempts`: made so far. Default: none. */
  waitMs?(error: unknown, attempts: number): number;
  /** Aborted while an attempt runs: it is the last one. Aborted while it waits: the wait is over, and one more attempt is made. */
  signal?: AbortSignal | undefined;
}

export async function retry<T>(policy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  const { attemptsMax = Number.POSITIVE_INFINITY, signal } = policy;
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts >= attemptsMax || signal?.aborted === true || !policy.isRetryable(error)) throw error;
      const waitMs = policy.waitMs?.(error, attempts) ?? 0;
      if (waitMs > 0) await pause(waitMs, signal);
    }
  }
}

export interface Backoff {
  /** After the first attempt; twice as long after each other one. */
  firstMs: number;
  /** The longest wait. */
  maxMs: number;
}

/** How long to wait after so many attempts. */
export function backoffMs({ firstMs, maxMs }: Backoff, attempts: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempts - 1, tuning.doublingsMax));
}
