// The world of a session, for an operation that began when the session still had one.
import type { WorldRef } from '../../worlds/api.js';
import { isLive, requireRecord } from '../catalog/session-records.js';
import type { Ending, OperationRecord, Runner, RunnerContext } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';

/** Undefined: the session has ended meanwhile. */
export async function liveWorld({ catalog, sessionMemory }: ControlServices, sessionId: string): Promise<WorldRef | undefined> {
  return isLive(requireRecord(catalog.view, sessionId)) ? await sessionMemory.world(sessionId) : undefined;
}

/** Of an operation that did nothing. */
export const cancelled: Ending = { state: 'cancelled', apply: () => null };

/** Runs an operation in the world of its session; one whose session has ended does nothing. */
export function inLiveWorld(
  services: ControlServices,
  run: (world: WorldRef, record: OperationRecord, context: RunnerContext) => Promise<Ending>,
): Runner['run'] {
  return async (record, context) => {
    const world = await liveWorld(services, record.operation.resourceId);
    return world === undefined ? cancelled : run(world, record, context);
  };
}
