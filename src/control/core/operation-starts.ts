// How often an operation was started: counted on the disk before its runner starts, uncounted when an incarnation ends in order. So one
// that brings down the process, or the host of its world, each time it runs fails after `startsMax` starts (limits.operationStartsMax,
// unless its kind has another bound), however many incarnations they were in.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import type { Change, View } from '../catalog/tables.js';
import { hasEnded, moveOperation, operationTable } from './operation-records.js';
import type { OperationRecord } from './operations.js';

export type CountedStart = { record: OperationRecord; isSpent: boolean };

/** Counts one more start; `isSpent`: there were as many as there may be, and it is not to be started. Undefined for one that has ended. */
export function countStart(
  tx: Change,
  operationId: string,
  { startsMax, nowMs }: { startsMax: number; nowMs: number },
): CountedStart | undefined {
  const record = tx.get(operationTable, operationId);
  if (record === undefined || hasEnded(record.operation)) return undefined;
  const { starts = 0 } = record;
  if (starts >= startsMax) return { record, isSpent: true };
  const begun = { ...running(record, nowMs), starts: starts + 1 };
  tx.put(operationTable, begun);
  return { record: begun, isSpent: false };
}

/** What begins one whose start was counted when it was recorded. Undefined for one that was cancelled while it waited. */
export function beginCounted(view: View, operationId: string, nowMs: number): CountedStart | undefined {
  const record = view.get(operationTable, operationId);
  return record === undefined || hasEnded(record.operation) ? undefined : { record: running(record, nowMs), isSpent: false };
}

/** What its record does not know yet: that it runs. `begun`: as it runs; undefined where it does not. */
export function asBegun(operation: LongRunningOperation, begun: OperationRecord | undefined): LongRunningOperation {
  if (begun === undefined) return operation;
  const { state, startedAtMs } = begun.operation;
  return { ...operation, state, ...defined({ startedAtMs }) };
}

/** Writes what `beginCounted` yielded. */
export function noteRunning(tx: Change, operationId: string, startedAtMs: number): void {
  const record = tx.get(operationTable, operationId);
  if (record === undefined || hasEnded(record.operation)) return;
  const begun = running(record, startedAtMs);
  if (begun !== record) tx.put(operationTable, begun);
}

/** An operation whose start was counted; `startedAtMs` where it runs. */
export type Begun = Pick<LongRunningOperation, 'operationId' | 'startedAtMs'>;

/** It was left in order: that start says nothing against it. */
export function giveStartBack(tx: Change, { operationId, startedAtMs }: Begun): void {
  const record = tx.get(operationTable, operationId);
  if (record === undefined || hasEnded(record.operation) || !record.starts) return;
  tx.put(operationTable, { ...(startedAtMs === undefined ? record : running(record, startedAtMs)), starts: record.starts - 1 });
}

export function forgetStarts(tx: Change, operationId: string): void {
  const record = tx.get(operationTable, operationId);
  if (record?.starts) tx.put(operationTable, { ...record, starts: 0 });
}

export function spent({ starts = 0 }: OperationRecord, cause?: unknown): ServiceError {
  return new ServiceError('control.ATTEMPTS_EXHAUSTED', {
    message: `The operation was started ${starts} times, and each time the process or the host of its world ended before it did.`,
    details: { starts },
    cause,
  });
}

const running = (record: OperationRecord, nowMs: number): OperationRecord =>
  record.operation.state === 'running' ? record : { ...record, operation: moveOperation(record.operation, 'running', nowMs) };
