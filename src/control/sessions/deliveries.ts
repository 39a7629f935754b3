// Callbacks of sessions that nobody commands: after a start, what is due for their receivers goes out.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { homeOf } from '../../worlds/homes.js';
import { sessionTable } from '../catalog/session-records.js';
import { everyListed } from '../catalog/tables.js';
import type { WorldServices } from '../core/services.js';

/**
 * At start: what an earlier incarnation had under way, or had not begun, goes out. Resolves when all of it is done or given up for now.
 * `home`: of this one alone, which has just been opened; otherwise of those that the service owns.
 */
export async function deliverAgain(services: WorldServices, home?: number): Promise<void> {
  const { catalog, log, homes } = services;
  const opened = homes && new Set(home === undefined ? homes.owned() : [home]);
  const memory = services.sessionMemory;
  const place = { index: 'byReceivers', prefix: [], limit: limits.sessionBatch };
  for (const { session } of everyListed(catalog.view, sessionTable, place)) {
    if (homes !== undefined && opened?.has(homeOf(session.sessionId, homes.count)) !== true) continue;
    try {
      await (await memory.world(session.sessionId)).deliver();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      log.warn('callbacks of a session wait for its next command', { sessionId: session.sessionId, error: error.code });
    }
  }
}
