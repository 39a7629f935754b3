// Snapshots of a session's world: taken and deleted by operations in the session's lane, listed and shown.
import { ServiceError } from '../../contract/errors.js';
import type { HostedSnapshot } from '../../contract/hosted/sessions.js';
import { newId } from '../../contract/ids.js';
import { listPage } from '../catalog/cursors.js';
import type { ChangeEndpoint, ReadEndpoint } from '../catalog/endpoint.js';
import { keepSession } from '../catalog/session-records.js';
import type { Change } from '../catalog/tables.js';
import { requireConfirmation } from '../catalog/versions.js';
import { OperationSuspended, type Runner } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';
import { admit, markDegraded, markRecovered, resultOf, startOperation } from './admission.js';
import { liveWorld } from './live-world.js';
import { endSnapshot, requireAvailable, requireSnapshot, snapshotTable, takeSnapshotPlace } from './snapshot-records.js';
import { claim } from './states.js';

export function createSnapshot(services: ControlServices): ChangeEndpoint<'createSnapshot'> {
  return {
    kind: 'change',
    apply: (tx, call) => {
      const record = admit(tx, services, call);
      const { session } = keepSession(tx, record, claim(record, services.nowMs()));
      const { organizationId, projectId, environmentId, sessionId, buildHash, leaseGeneration } = session;
      takeSnapshotPlace(tx, sessionId);
      const snapshot: HostedSnapshot = {
        schemaVersion: 1,
        hostedSnapshotId: newId('hsnap'),
        organizationId,
        projectId,
        environmentId,
        sessionId,
        buildHash,
        state: 'creating',
        leaseGeneration,
        createdBy: call.caller.userId ?? call.caller.credentialId,
        createdAtMs: services.nowMs(),
      };
      tx.put(snapshotTable, { snapshot });
      const resource = { type: 'snapshot', id: snapshot.hostedSnapshotId };
      const operation = startOperation(tx, services, call, { kind: 'world.session.snapshot', session, resource, input: { sessionId } });
      return { reply: { snapshot, operation }, resource };
    },
  };
}

export function snapshotRunner(services: ControlServices): Runner {
  const { nowMs } = services;
  const giveUp = (tx: Change, hostedSnapshotId: string): null => {
    const record = tx.get(snapshotTable, hostedSnapshotId);
    if (record !== undefined) endSnapshot(tx, record);
    return null;
  };
  return {
    run: async ({ operation, input }) => {
      const { sessionId } = input as { sessionId: string };
      const { resourceId: hostedSnapshotId, operationId } = operation;
      const world = await liveWorld(services, sessionId);
      if (world === undefined) return { state: 'cancelled', apply: (tx) => giveUp(tx, hostedSnapshotId) };
      const { snapshotId, position } = await world.command({ kind: 'snapshot', operationKey: operationId });
      return {
        state: 'succeeded',
        apply: (tx) => {
          const record = tx.get(snapshotTable, hostedSnapshotId);
          // Its session ended meanwhile.
          if (record?.snapshot.state === 'creating') {
            tx.put(snapshotTable, { snapshot: { ...record.snapshot, state: 'available', position }, worldSnapshotId: snapshotId });
          }
          return resultOf(operation, markRecovered(tx, sessionId, nowMs()), { hostedSnapshotId, position: { ...position } });
        },
      };
    },
    onFailure: (tx, { operation, input }, error) => {
      giveUp(tx, operation.resourceId);
      markDegraded(tx, (input as { sessionId: string }).sessionId, { error, nowMs: nowMs() });
    },
    onCancel: (tx, { operation }) => {
      giveUp(tx, operation.resourceId);
    },
  };
}

export function listSnapshots(services: ControlServices): ReadEndpoint<'listSnapshots'> {
  return {
    kind: 'read',
    run: (view, { path: { projectId }, query }) => {
      const { sessionId } = query ?? {};
      const place =
        sessionId === undefined ? { index: 'byProject', prefix: [projectId] } : { index: 'bySession', prefix: [projectId, sessionId] };
      const { items, ...rest } = listPage(services, view, { table: snapshotTable, ...place, reverse: true, query });
      return { items: items.map(({ snapshot }) => snapshot), ...rest };
    },
  };
}

export function getSnapshot(): ReadEndpoint<'getSnapshot'> {
  return { kind: 'read', run: (view, { path, caller }) => ({ snapshot: requireSnapshot(view, { ...path, ...caller }).snapshot }) };
}

/** From the change on nothing can name it; what was accepted before finds it, since the session's operations run in their order. */
export function deleteSnapshot(services: ControlServices): ChangeEndpoint<'deleteSnapshot'> {
  return {
    kind: 'change',
    apply: (tx, call) => {
      const { path, caller, body } = call;
      const record = requireSnapshot(tx, { ...path, ...caller });
      const { hostedSnapshotId, sessionId } = record.snapshot;
      requireConfirmation(hostedSnapshotId, body);
      const worldSnapshotId = requireAvailable(tx, sessionId, hostedSnapshotId);
      const { session } = admit(tx, services, { path: { ...path, sessionId }, caller, body }, { afterRun: true });
      const { snapshot } = endSnapshot(tx, record);
      const resource = { type: 'snapshot', id: hostedSnapshotId };
      const input = { sessionId, worldSnapshotId };
      const operation = startOperation(tx, services, call, { kind: 'world.snapshot.delete', session, resource, input });
      return { reply: { snapshot, operation }, resource };
    },
  };
}

/** Frees what only the snapshot kept in its world. */
export function deletionRunner(services: ControlServices): Runner {
  const { nowMs } = services;
  return {
    run: async ({ operation, input }, { leaving }) => {
      await services.removals.ofWorlds(operation.projectId, leaving);
      if (leaving.aborted) throw new OperationSuspended();
      const { sessionId, worldSnapshotId } = input as { sessionId: string; worldSnapshotId: string };
      const { resourceId: hostedSnapshotId, operationId } = operation;
      // All of its snapshots go with a world.
      const world = await liveWorld(services, sessionId);
      await world?.command({ kind: 'deleteSnapshot', snapshotId: worldSnapshotId, operationKey: operationId });
      return {
        state: 'succeeded',
        apply: (tx) => resultOf(operation, markRecovered(tx, sessionId, nowMs()), { hostedSnapshotId }),
      };
    },
    onFailure: (tx, { input }, error) => markDegraded(tx, (input as { sessionId: string }).sessionId, { error, nowMs: nowMs() }),
    onCancel: (_tx, { operation: { operationId } }) => {
      throw new ServiceError('control.STATE_CONFLICT', { message: 'The deletion of a snapshot cannot be called off.', operationId });
    },
  };
}
