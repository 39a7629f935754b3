// How long what has ended is remembered: operations, audit events, runs with their results, strikes against builds. A little at a time,
// the oldest first. What others may refer to is purge.ts's.
import { limits } from '../contract/limits.js';
import { auditTable } from './catalog/audit-records.js';
import type { Change, Table } from './catalog/tables.js';
import { operationTable } from './core/operation-records.js';
import type { ControlServices } from './core/services.js';
import { quarantineTable } from './guard/quarantine-records.js';
import { removeRunParts } from './record-parts.js';
import { evidenceTable } from './runs/evidence-records.js';
import { type RunRecord, runTable } from './runs/records.js';

export interface RetentionResult {
  operations: number;
  auditEvents: number;
  runs: number;
  strikes: number;
}

export async function sweepRetention({ catalog, nowMs }: Pick<ControlServices, 'catalog' | 'nowMs'>): Promise<RetentionResult> {
  const inBatches = async (some: (tx: Change) => number): Promise<number> => {
    for (let all = 0; ; ) {
      const count = await catalog.change(some);
      all += count;
      if (count < limits.purgeRecordsMax) return all;
    }
  };
  return {
    operations: await inBatches((tx) => {
      const endedBefore = nowMs() - limits.endedOperationKeptMs;
      return removeOld(tx, operationTable, { index: 'byEnd', isOld: ({ operation }) => (operation.finishedAtMs as number) < endedBefore });
    }),
    auditEvents: await inBatches((tx) => {
      const before = nowMs() - limits.auditEventKeptMs;
      return removeOld(tx, auditTable, { index: 'byTime', isOld: ({ atMs }) => atMs < before });
    }),
    runs: await forgetRuns({ catalog, nowMs }),
    strikes: await inBatches((tx) => {
      const before = nowMs() - limits.quarantineWindowMs;
      return removeOld(tx, quarantineTable, { index: 'byStrike', isOld: ({ strikes }) => (strikes.at(-1)?.atMs ?? 0) < before });
    }),
  };
}

function removeOld<Record>(tx: Change, table: Table<Record>, { index, isOld }: { index: string; isOld(record: Record): boolean }): number {
  const old = tx.list(table, { index, prefix: [], limit: limits.purgeRecordsMax }).records.filter(isOld);
  for (const record of old) tx.remove(table, table.idOf(record));
  return old.length;
}

/** One run in a change, for it may have much to it; one whose evidence is still on the disk waits for the sweep that removes that. */
async function forgetRuns({ catalog, nowMs }: Pick<ControlServices, 'catalog' | 'nowMs'>): Promise<number> {
  const { records } = catalog.view.list(runTable, { index: 'byEnd', prefix: [], limit: limits.runBatch });
  let count = 0;
  for (const record of records) {
    const { finishedAtMs, evidenceRetentionMs } = record.run;
    if ((finishedAtMs as number) + Math.max(limits.endedRunKeptMs, evidenceRetentionMs) > nowMs()) return count;
    let part = await catalog.change((tx) => forgetPart(tx, record));
    while (part === 'more') part = await catalog.change((tx) => forgetPart(tx, record));
    if (part === 'gone') count += 1;
  }
  return count;
}

function forgetPart(tx: Change, record: RunRecord): 'more' | 'gone' | 'waits' {
  const evidence = tx.get(evidenceTable, record.run.evidenceBundleId);
  if (evidence?.folderRemains === true || evidence?.bundle.state === 'sealed') return 'waits';
  if (!removeRunParts(tx, record)) return 'more';
  tx.remove(runTable, record.run.hostedRunId);
  return 'gone';
}
