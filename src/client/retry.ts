// Again, when it may help: refusals that say so, after as long as they say, and connections that broke. A retry carries the idempotency key
// of the first try, so nothing is done twice.
import { ControlError } from './control-error.js';

export interface RetryRules {
  /** Tries after the first one. */
  retries: number;
  /** Of one try, its reply included. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const firstWaitMs = 100;
const longestWaitMs = 5_000;
/** A refusal that asks for more patience than this is thrown instead. */
const patienceMs = 60_000;

export async function withRetries<T>({ retries, timeoutMs, signal }: RetryRules, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await attempt(signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal?.throwIfAborted();
      const waitMs = tries < retries ? waitBefore(error, tries) : undefined;
      if (waitMs === undefined) throw error;
      await pause(waitMs, signal);
    }
  }
}

/** Undefined: another try would end as this one. */
function waitBefore(error: unknown, tries: number): number | undefined {
  // Half of it by chance, so that many clients do not come back together.
  const own = Math.min(longestWaitMs, firstWaitMs * 2 ** tries) * (0.5 + Math.random() / 2);
  if (!(error instanceof ControlError)) return isBrokenConnection(error) ? own : undefined;
  if (!error.retryable) return undefined;
  const asked = error.envelope.retryAfterMs ?? 0;
  return asked > patienceMs ? undefined : Math.max(asked, own);
}

/** fetch throws a TypeError with a cause for a connection that failed, a TimeoutError for one that is too slow. */
function isBrokenConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.cause !== undefined);
}

/** Rejects at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
