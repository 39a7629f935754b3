// A world as a coordinator drives it: what its host lost, or had no room for, is asked again. Only for commands that may be sent twice.
import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { Interruption } from '../drills/interruption.js';
import type { WorldRef } from '../worlds/api.js';
import { isOwnFailure } from './interruptions.js';

const retryable = new Set<ErrorCode>(['world.ACTOR_RESTARTED', 'control.WORLD_BUSY', 'control.STORAGE_FULL', 'control.UNAVAILABLE']);

/** What does not pass in limits.worldTriesMax tries, or before this incarnation ends, interrupts. */
export function withRetry(world: WorldRef, leaving: AbortSignal): WorldRef {
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ServiceError) || !retryable.has(error.code)) throw error;
        if (leaving.aborted || isOwnFailure(error) || tries === limits.worldTriesMax) throw new Interruption(error);
        await backoff(tries, { leaving, retryAfterMs: error.extra.retryAfterMs });
      }
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

/** Longer each time; over at once when this incarnation is to end. */
export async function backoff(
  tries: number,
  { leaving, retryAfterMs = 0 }: { leaving: AbortSignal; retryAfterMs?: number | undefined },
): Promise<void> {
  const ms = Math.min(Math.max(limits.operationRetryMs * 2 ** (tries - 1), retryAfterMs), limits.operationRetryMaxMs);
  await pause(ms, undefined, { signal: leaving }).catch(() => {});
}
