// What a suspension stops at once. Credentials and worlds are refused where they are asked (requireActive); what runs is asked to stop.

import { limits } from '../contract/limits.js';
import type { OperationKind } from '../contract/operation.js';
import { operationTable } from './operation-records.js';
import type { OperationRecord } from './operations.js';
import type { ControlServices } from './services.js';
import type { Change } from './tables.js';

/** Work that costs time for as long as it runs. What makes, ends or resets a session is short, and is finished. */
const stopped: ReadonlySet<OperationKind> = new Set<OperationKind>(['world.time.advance', 'build.compile', 'authoring.turn']);

export function stopWork(tx: Change, { operations }: Pick<ControlServices, 'operations'>, organizationId: string): void {
  const found: OperationRecord[] = [];
  for (let after: string | undefined; ; ) {
    const page = tx.list(operationTable, {
      index: 'unfinished',
      prefix: [],
      limit: limits.purgeRecordsMax,
      ...(after === undefined ? {} : { after }),
    });
    found.push(...page.records.filter(({ operation }) => operation.organizationId === organizationId && stopped.has(operation.kind)));
    if (page.next === undefined) break;
    after = page.next;
  }
  for (const { operation } of found) operations.cancel(tx, operation.operationId);
}
