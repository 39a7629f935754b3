// Everything of world sessions and their snapshots that open-control.ts mounts.
import type { EndpointSet } from '../catalog/endpoint.js';
import type { ControlServices } from '../core/services.js';
import { createSessionAccess, listSessionAccess, revokeSessionAccess } from './access.js';
import { advanceRunner, advanceTime } from './advance.js';
import { createSession } from './create.js';
import { destroyRunner, destroySession } from './ending.js';
import { extendSession } from './expiry.js';
import { faultRunner, setFault } from './faults.js';
import { forkRunner, forkSession } from './fork.js';
import { createRunner } from './making.js';
import { sessionReads } from './reads.js';
import { resetRunner, resetSession } from './reset.js';
import { createSnapshot, deleteSnapshot, deletionRunner, getSnapshot, listSnapshots, snapshotRunner } from './snapshots.js';

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
