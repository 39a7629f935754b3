// Snapshots of hosted sessions as they lie in the catalog. The world that was snapshotted holds the snapshot; both go together.
import { ServiceError } from '../../contract/errors.js';
import type { HostedSnapshot } from '../../contract/hosted/sessions.js';
import { limits } from '../../contract/limits.js';
import { countOf, moveCount } from '../catalog/quotas.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';

export interface SnapshotRecord {
  snapshot: HostedSnapshot;
  /** The world's own id of it, once there is one. */
  worldSnapshotId?: string;
}

export const snapshotTable = defineTable<SnapshotRecord>({
  name: 'snapshot',
  idOf: ({ snapshot }) => snapshot.hostedSnapshotId,
  indexes: {
    byProject: ({ snapshot }) => [snapshot.projectId],
    bySession: ({ snapshot }) => [snapshot.projectId, snapshot.sessionId],
    heldBySession: ({ snapshot }) => (snapshot.state === 'deleted' ? undefined : [snapshot.sessionId]),
  },
});

const unknown = (): ServiceError => new ServiceError('control.NOT_FOUND', { message: 'There is no such snapshot.' });

/** control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireSnapshot(
  view: View,
  place: { organizationId: string; projectId: string; hostedSnapshotId: string },
): SnapshotRecord {
  const record = view.get(snapshotTable, place.hostedSnapshotId);
  const isThere = record?.snapshot.organizationId === place.organizationId && record.snapshot.projectId === place.projectId;
  if (record === undefined || !isThere) throw unknown();
  return record;
}

/** The world's id of a snapshot that one of its session's operations names. */
export function requireAvailable(view: View, sessionId: string, hostedSnapshotId: string): string {
  const record = view.get(snapshotTable, hostedSnapshotId);
  if (record === undefined || record.snapshot.sessionId !== sessionId) throw unknown();
  const { state } = record.snapshot;
  if (state === 'available' && record.worldSnapshotId !== undefined) return record.worldSnapshotId;
  throw new ServiceError('control.STATE_CONFLICT', { message: `The snapshot is ${state}.`, details: { hostedSnapshotId, state } });
}

const counter = (sessionId: string): string => `snapshots ${sessionId}`;

/** Counts one more of a session; control.QUOTA_EXCEEDED when there would be too many. */
export function takeSnapshotPlace(tx: Change, sessionId: string): void {
  const used = countOf(tx, counter(sessionId));
  if (used >= limits.sessionSnapshotsMax) {
    const details = { quota: 'sessionSnapshotsMax', max: limits.sessionSnapshotsMax, used };
    // They go with their session, or when they are deleted.
    const message = 'The session has as many snapshots as it may: delete one, or continue in a fork, which begins without any.';
    throw new ServiceError('control.QUOTA_EXCEEDED', { message, details, isFinal: true });
  }
  moveCount(tx, counter(sessionId), 1);
}

export function endSnapshot(tx: Change, record: SnapshotRecord): SnapshotRecord {
  if (record.snapshot.state === 'deleted') return record;
  const ended: SnapshotRecord = { ...record, snapshot: { ...record.snapshot, state: 'deleted' } };
  tx.put(snapshotTable, ended);
  moveCount(tx, counter(record.snapshot.sessionId), -1);
  return ended;
}

/** The world has gone, and its snapshots with it. */
export function endSnapshots(tx: Change, sessionId: string): void {
  const { records } = tx.list(snapshotTable, { index: 'heldBySession', prefix: [sessionId], limit: limits.sessionSnapshotsMax });
  for (const record of records) endSnapshot(tx, record);
}

/** The session is forgotten, and its snapshots with it. */
export function forgetSnapshots(tx: Change, { projectId, sessionId }: { projectId: string; sessionId: string }): void {
  const few: number = limits.purgeRecordsMax;
  for (let page = few; page === few; ) {
    const { records } = tx.list(snapshotTable, { index: 'bySession', prefix: [projectId, sessionId], limit: few });
    for (const { snapshot } of records) tx.remove(snapshotTable, snapshot.hostedSnapshotId);
    page = records.length;
  }
}
