// Callbacks of sessions that nobody commands: after a start, what is due for their receivers goes out.
//   DELIVERIES-1. What passes by itself (a host that starts again, a catalog that is changing its owner) leaves no callback behind: the
//     session is asked again, until its home is another's.
import { pause } from '../../async/pause.js';
import { backoffMs } from '../../async/retry.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { homeOf } from '../../worlds/homes.js';
import { sessionTable } from '../catalog/session-records.js';
import { everyListed } from '../catalog/tables.js';
import type { WorldServices } from '../core/services.js';
import { isPassing } from '../core/with-retry.js';
import { isOwnFailure } from '../guard/interruptions.js';
import { tuning } from '../tuning.js';

export interface DeliverAgain {
  /** Of this one alone, which has just been opened; otherwise of those that the service owns. */
  home?: number | undefined;
  /** Aborted when this incarnation ends. */
  signal: AbortSignal;
}
type Ground = Pick<WorldServices, 'catalog' | 'homes' | 'log' | 'sessionMemory'>;

/**
 * At start: what an earlier incarnation had under way, or had not begun, goes out. Resolves when each session was asked once, with `rest`:
 * it resolves when those that could not be asked then have been, or are given up.
 */
export async function deliverAgain(services: Ground, options: DeliverAgain): Promise<{ rest: Promise<void> }> {
  const { catalog, homes } = services;
  const { home, signal } = options;
  const opened = homes && new Set(home === undefined ? homes.owned() : [home]);
  const left: string[] = [];
  const place = { index: 'byReceivers', prefix: [], limit: limits.sessionBatch };
  for (let tries = 1; !isOver(services, options); tries++) {
    left.length = 0;
    try {
      for (const { session } of everyListed(catalog.view, sessionTable, place)) {
        if (homes !== undefined && opened?.has(homeOf(session.sessionId, homes.count)) !== true) continue;
        if (!(await isDelivered(services, session.sessionId, { isLast: false }))) left.push(session.sessionId);
      }
      break;
    } catch (error) {
      if (!isPassing(error) || tries === tuning.deliveryTriesMax) throw error;
      await pause(backoffMs(tuning.askAgainBackoff, tries), signal);
    }
  }
  return { rest: deliverLeft(services, left, options) };
}

async function deliverLeft(services: Ground, left: readonly string[], options: DeliverAgain): Promise<void> {
  let waiting = left;
  for (let tries = 2; waiting.length > 0 && tries <= tuning.deliveryTriesMax; tries++) {
    await pause(backoffMs(tuning.askAgainBackoff, tries - 1), options.signal);
    const still: string[] = [];
    for (const sessionId of waiting) {
      if (isOver(services, options)) return;
      if (!(await isDelivered(services, sessionId, { isLast: tries === tuning.deliveryTriesMax }))) still.push(sessionId);
    }
    waiting = still;
  }
}

/** False where it is to be asked again. */
async function isDelivered({ sessionMemory, log }: Ground, sessionId: string, { isLast }: { isLast: boolean }): Promise<boolean> {
  try {
    await (await sessionMemory.world(sessionId)).deliver();
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (isPassing(error) && !isOwnFailure(error) && !isLast) return false;
    log.warn('callbacks of a session wait for its next command', { sessionId, error: error.code });
    return true;
  }
}

/** The sessions are another's to ask. */
function isOver({ homes }: Ground, { home, signal }: DeliverAgain): boolean {
  return signal.aborted || (home !== undefined && homes?.owned().includes(home) === false);
}
