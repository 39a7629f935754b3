// What a suspension stops at once. Credentials and worlds are refused where they are asked (requireActive); what runs is asked to stop.
import type { OperationKind } from '../../contract/hosted/operation.js';
import { type Change, everyListed } from '../catalog/tables.js';
import { operationTable } from '../core/operation-records.js';
import type { OperationRecord } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';

/** Work that costs time for as long as it runs. What makes, ends or resets a session is short, and is finished. */
const stopped: ReadonlySet<OperationKind> = new Set<OperationKind>(['world.time.advance', 'build.compile', 'authoring.turn']);

export function stopWork(tx: Change, { operations }: Pick<ControlServices, 'operations'>, organizationId: string): void {
  // All of them are found before the first is cancelled, which leaves the index.
  const found: OperationRecord[] = [];
  for (const record of everyListed(tx, operationTable, { index: 'unfinished', prefix: [] })) {
    if (record.operation.organizationId === organizationId && stopped.has(record.operation.kind)) found.push(record);
  }
  for (const { operation } of found) operations.cancel(tx, operation.operationId);
}
