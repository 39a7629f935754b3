// A world as a coordinator drives it: what its host lost, or had no capacity for, is asked again. Only for commands that may be sent twice.
import { type Backoff, backoffMs, type RetryPolicy, retry } from '../../async/retry.js';
import { type ErrorCode, ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { Interruption } from '../../drills/attempt/interruption.js';
import type { WorldRef } from '../../worlds/api.js';
import { isOwnFailure } from '../guard/interruptions.js';

const retryable = new Set<ErrorCode>(['world.ACTOR_RESTARTED', 'control.WORLD_BUSY', 'control.STORAGE_FULL', 'control.UNAVAILABLE']);

/** What does not pass in limits.worldTriesMax tries, or before this incarnation ends, interrupts. */
export function withRetry(world: WorldRef, leaving: AbortSignal): WorldRef {
  const policy: RetryPolicy = {
    attemptsMax: limits.worldTriesMax,
    isRetryable: (error) => isPassing(error) && !isOwnFailure(error),
    waitMs: operationWaitMs,
    signal: leaving,
  };
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await retry(policy, work);
    } catch (error) {
      throw isPassing(error) ? new Interruption(error) : error;
    }
  };
  return {
    worldId: world.worldId,
    worldInstanceId: world.worldInstanceId,
    command: (command, options) => ask(() => world.command(command, options)),
    query: (query) => ask(() => world.query(query)),
    fork: (request) => world.fork(request),
    passivate: () => world.passivate(),
    destroy: () => world.destroy(),
  };
}

/** What another attempt may not meet. */
export function isPassing(error: unknown): error is ServiceError {
  return error instanceof ServiceError && retryable.has(error.code);
}

/** What stands in the way of an operation is waited for, longer each time. */
export const operationBackoff: Backoff = { firstMs: limits.operationRetryMs, maxMs: limits.operationRetryMaxMs };

/** As long as a refusal asks for, where that is longer; never longer than the bound. */
export function operationWaitMs(error: unknown, attempts: number): number {
  const askedMs = error instanceof ServiceError ? (error.extra.retryAfterMs ?? 0) : 0;
  return Math.min(Math.max(backoffMs(operationBackoff, attempts), askedMs), operationBackoff.maxMs);
}
