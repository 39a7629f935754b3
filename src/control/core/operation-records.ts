// Where operations lie in the catalog, and the one place that says which moves an operation may make.
import { invariant, ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation, OperationState } from '../../contract/hosted/operation.js';
import { defineTable, type View } from '../catalog/tables.js';
import type { OperationRecord } from './operations.js';

const isUnfinished = ({ operation: { state } }: OperationRecord): boolean => state === 'pending' || state === 'running';

export const operationTable = defineTable<OperationRecord>({
  name: 'operation',
  idOf: ({ operation }) => operation.operationId,
  indexes: {
    byProject: ({ operation }) => [operation.organizationId, operation.projectId],
    byResource: ({ operation }) => [operation.organizationId, operation.projectId, operation.resourceId],
    byEnd: ({ operation: { finishedAtMs } }) => (finishedAtMs === undefined ? undefined : [finishedAtMs]),
    /** What the next incarnation takes up, in the order of the ids, which is the order in which they were recorded. */
    unfinished: (record) => (isUnfinished(record) ? [] : undefined),
  },
});

/** The last that was recorded about a resource. */
export function newestAbout(
  view: View,
  { organizationId, projectId, resourceId }: { organizationId: string; projectId: string; resourceId: string },
): LongRunningOperation | undefined {
  const place = { index: 'byResource', prefix: [organizationId, projectId, resourceId] };
  return view.list(operationTable, { ...place, limit: 1, reverse: true }).records[0]?.operation;
}

/** docs/hosted-api.md draws it. */
export const operationMoves: { readonly [State in OperationState]: readonly OperationState[] } = {
  pending: ['running', 'failed', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
};

export const hasEnded = ({ state }: LongRunningOperation): boolean => operationMoves[state].length === 0;

/** The operation in another state, its times with it. */
export function moveOperation(operation: LongRunningOperation, state: OperationState, nowMs: number): LongRunningOperation {
  invariant(operationMoves[operation.state].includes(state), `an operation goes from ${operation.state} to ${state}`);
  const times = state === 'running' ? { startedAtMs: nowMs } : { finishedAtMs: nowMs };
  return { ...operation, state, updatedAtMs: nowMs, ...times };
}

export function requireUnended(operation: LongRunningOperation): void {
  if (!hasEnded(operation)) return;
  const { state, operationId } = operation;
  throw new ServiceError('control.STATE_CONFLICT', { message: 'The operation has ended.', details: { state }, operationId });
}

export function requireOperation(record: OperationRecord | undefined): OperationRecord {
  if (record === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such operation.' });
  return record;
}
