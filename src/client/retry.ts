// Again, when it may help: refusals that say so, after as long as they say, and connections that broke. A retry carries the idempotency key
// of the first try, so nothing is done twice.
//   RETRY-1. Where nobody says how often, a service has the time of a restart: a call is given up after so many tries and so long a time.
import { type Backoff, backoffMs, retry } from '../async/retry.js';
import { ControlError } from './control-error.js';
import { tuning } from './tuning.js';

export interface RetryRules {
  /** Tries after the first one. Absent: `tuning.retriesMin`, and further ones within `tuning.retryBudgetMs`. */
  retries?: number | undefined;
  /** Of one try, its reply included. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const backoff: Backoff = { firstMs: tuning.retryFirstMs, maxMs: tuning.retryMaxMs };

export async function withRetries<T>({ retries, timeoutMs, signal }: RetryRules, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const untilMs = performance.now() + tuning.retryBudgetMs;
  let tries = 0;
  const mayRetry = (error: unknown): boolean =>
    isRetryable(error) && (retries === undefined ? tries <= tuning.retriesMin || performance.now() < untilMs : tries <= retries);
  return await retry({ isRetryable: mayRetry, waitMs, signal }, async () => {
    signal?.throwIfAborted();
    tries += 1;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await attempt(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  });
}

function isRetryable(error: unknown): boolean {
  return error instanceof ControlError ? error.retryable && askedMs(error) <= tuning.retryPatienceMs : isBrokenConnection(error);
}

function waitMs(error: unknown, attempts: number): number {
  // Half of it by chance, so that many clients do not come back together.
  const own = backoffMs(backoff, attempts) * (0.5 + Math.random() / 2);
  return error instanceof ControlError ? Math.max(askedMs(error), own) : own;
}

const askedMs = ({ envelope }: ControlError): number => envelope.retryAfterMs ?? 0;

/** fetch throws a TypeError with a cause for a connection that failed, a TimeoutError for one that is too slow. */
function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.cause !== undefined);
}
