// How a session ends: destroyed by its owner, expired, or given up because its world could not be made. The state says so in the change
// that decides it, access ends with that commit, and an operation of the session's own lane then removes the world.
import { backoffMs, retry } from '../../async/retry.js';
import { sha256Digest } from '../../contract/digest.js';
import { isServiceError, ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import { newId } from '../../contract/ids.js';
import type { JsonValue } from '../../contract/json.js';
import type { ChangeEndpoint } from '../catalog/endpoint.js';
import { returnQuota } from '../catalog/quotas.js';
import { isLive, requireRecord, requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import { noteStorage } from '../catalog/storage-use.js';
import type { Change } from '../catalog/tables.js';
import { requireConfirmation } from '../catalog/versions.js';
import { OperationSuspended, type Runner } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';
import { operationBackoff } from '../core/with-retry.js';
import { type AskedBy, resultOf, startOperation } from './admission.js';
import { endSnapshots } from './snapshot-records.js';
import { requireFreeLease, requireLease, touch, transition } from './states.js';

/** Who asks when nobody does: the service itself. */
export function askedByService(reason: string): AskedBy {
  return { idempotencyKey: `service.${reason}`, requestHash: sha256Digest(reason), correlationId: newId('corr') };
}

/** DELETE: in every state of the session, but not during a run. */
export function destroySession(services: ControlServices): ChangeEndpoint<'destroySession'> {
  return {
    kind: 'change',
    apply: (tx, call) => {
      const { path, caller, body } = call;
      const record = requireSession(tx, { ...path, ...caller });
      const { sessionId, state } = record.session;
      requireConfirmation(sessionId, body);
      requireLease(record, body.expectedLeaseGeneration);
      if (!isLive(record)) throw new ServiceError('control.STATE_CONFLICT', { message: `The session is ${state}.`, details: { state } });
      requireFreeLease(record, { afterRun: true });
      const ended = endSession(tx, services, record, { to: 'destroying', askedBy: call });
      return { reply: { session: ended.record.session, operation: ended.operation }, resource: { type: 'session', id: sessionId } };
    },
  };
}

export function endSession(
  tx: Change,
  services: ControlServices,
  record: SessionRecord,
  { to, askedBy }: { to: 'destroying' | 'expired'; askedBy: AskedBy },
): { record: SessionRecord; operation: LongRunningOperation } {
  const operation = startOperation(tx, services, askedBy, { kind: 'world.session.destroy', session: record.session });
  return { record: closeSession(tx, services, record, to), operation };
}

/** Its end, and that of all access to it; its world is to be removed by who asks. */
export function closeSession(
  tx: Change,
  services: ControlServices,
  record: SessionRecord,
  to: 'destroying' | 'expired' = 'destroying',
): SessionRecord {
  const { sessionId, organizationId, warmPool } = record.session;
  const ended = transition(record, to, services.nowMs(), warmPool === undefined ? {} : { warmPool: { ...warmPool, state: 'retired' } });
  tx.put(sessionTable, ended);
  returnQuota(tx, { organizationId, name: 'sessionsLiveMax' });
  tx.afterCommit(() => services.sessionMemory.ended(sessionId));
  return ended;
}

/** Once it is decided a destruction is always carried to its end. */
export function destroyRunner(services: ControlServices): Runner {
  return {
    // It runs no tool code, so what ends while it runs is another's doing.
    startsMax: Number.POSITIVE_INFINITY,
    run: async ({ operation }, { leaving }) => {
      const sessionId = operation.resourceId;
      const memory = services.sessionMemory;
      memory.ended(sessionId);
      await removeWorld(services, sessionId, leaving);
      memory.forget(sessionId);
      return { state: 'succeeded', apply: (tx) => destroyed(tx, services, operation) };
    },
    onCancel: (_tx, { operation: { operationId } }) => {
      throw new ServiceError('control.STATE_CONFLICT', { message: 'The end of a session cannot be called off.', operationId });
    },
  };
}

/** Whether there is one or not. What stands in the way is waited for: a world that nobody reaches any more must not stay. */
export async function removeWorld(services: ControlServices, sessionId: string, leaving: AbortSignal): Promise<void> {
  const { worlds, log, disk, catalog, removals } = services;
  await removals.ofWorlds(requireRecord(catalog.view, sessionId).session.projectId, leaving);
  if (leaving.aborted) throw new OperationSuspended();
  const waitMs = (error: unknown, attempts: number): number => {
    if (isServiceError(error, 'control.STORAGE_FULL') && disk.release()) return 0;
    log.warn('a world was not removed yet', { sessionId, err: error });
    return backoffMs(operationBackoff, attempts);
  };
  try {
    await retry({ isRetryable: (error) => !isServiceError(error, 'control.NOT_FOUND'), waitMs, signal: leaving }, async () =>
      (await worlds.open(sessionId)).destroy(),
    );
  } catch (error) {
    if (isServiceError(error, 'control.NOT_FOUND')) return;
    throw leaving.aborted ? new OperationSuspended() : error;
  }
}

function destroyed(tx: Change, services: ControlServices, operation: LongRunningOperation): JsonValue {
  const record = requireRecord(tx, operation.resourceId);
  const destroyedAtMs = services.nowMs();
  const isExpired = record.session.state === 'expired';
  tx.put(
    sessionTable,
    isExpired ? touch(record, destroyedAtMs, { destroyedAtMs }) : transition(record, 'destroyed', destroyedAtMs, { destroyedAtMs }),
  );
  endSnapshots(tx, operation.resourceId);
  const { organizationId, projectId } = record.session;
  noteStorage(tx, { ownerId: operation.resourceId, organizationId, projectId, bytes: 0 });
  return resultOf(operation, record, { destroyedAtMs });
}
