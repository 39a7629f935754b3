// Everything of world sessions and their snapshots that control.ts mounts.
import type { EndpointSet } from './endpoint.js';
import type { ControlServices } from './services.js';
import { createSessionAccess, listSessionAccess, revokeSessionAccess } from './session-access.js';
import { advanceRunner, advanceTime } from './session-advance.js';
import { createSession } from './session-create.js';
import { destroyRunner, destroySession } from './session-ending.js';
import { extendSession } from './session-expiry.js';
import { faultRunner, setFault } from './session-faults.js';
import { forkRunner, forkSession } from './session-fork.js';
import { createRunner } from './session-making.js';
import { sessionReads } from './session-reads.js';
import { resetRunner, resetSession } from './session-reset.js';
import { createSnapshot, deleteSnapshot, deletionRunner, getSnapshot, listSnapshots, snapshotRunner } from './session-snapshots.js';

type SessionEndpoints =
  | keyof ReturnType<typeof sessionReads>
  | 'createSession'
  | 'destroySession'
  | 'createSessionAccess'
  | 'listSessionAccess'
  | 'revokeSessionAccess'
  | 'advanceTime'
  | 'setFault'
  | 'resetSession'
  | 'forkSession'
  | 'extendSession'
  | 'createSnapshot'
  | 'listSnapshots'
  | 'getSnapshot'
  | 'deleteSnapshot';

export function sessionEndpoints(services: ControlServices): EndpointSet<SessionEndpoints> {
  return {
    ...sessionReads(services),
    createSession: createSession(services),
    destroySession: destroySession(services),
    createSessionAccess: createSessionAccess(services),
    listSessionAccess: listSessionAccess(services),
    revokeSessionAccess: revokeSessionAccess(services),
    advanceTime: advanceTime(services),
    setFault: setFault(services),
    resetSession: resetSession(services),
    forkSession: forkSession(services),
    extendSession: extendSession(services),
    createSnapshot: createSnapshot(services),
    listSnapshots: listSnapshots(services),
    getSnapshot: getSnapshot(),
    deleteSnapshot: deleteSnapshot(services),
  };
}

export function defineSessionRunners(services: ControlServices): void {
  const { operations } = services;
  operations.define('world.session.create', createRunner(services));
  operations.define('world.session.destroy', destroyRunner(services));
  operations.define('world.time.advance', advanceRunner(services));
  operations.define('world.fault.set', faultRunner(services));
  operations.define('world.session.reset', resetRunner(services));
  operations.define('world.session.snapshot', snapshotRunner(services));
  operations.define('world.snapshot.delete', deletionRunner(services));
  operations.define('world.session.fork', forkRunner(services));
}
