// How long what has ended is remembered: operations, audit events, runs with their results, strikes against builds. A little at a time,
// the oldest first. What others may refer to is purge.ts's.
import { limits } from '../contract/limits.js';
import { auditTable } from './catalog/audit-records.js';
import type { Change, Table } from './catalog/tables.js';
import { operationTable } from './core/operation-records.js';
import type { ControlServices } from './core/services.js';
import { DamageOfPass, sweepListed } from './core/sweep-listed.js';
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

type Needs = Pick<ControlServices, 'catalog' | 'nowMs' | 'log' | 'damageLogged'>;

export async function sweepRetention(services: Needs): Promise<RetentionResult> {
  const { nowMs } = services;
  return {
    operations: await removeOld(services, operationTable, {
      index: 'byEnd',
      isOld: ({ operation }) => (operation.finishedAtMs as number) < nowMs() - limits.endedOperationKeptMs,
    }),
    auditEvents: await removeOld(services, auditTable, { index: 'byTime', isOld: ({ atMs }) => atMs < nowMs() - limits.auditEventKeptMs }),
    runs: await forgetRuns(services),
    strikes: await removeOld(services, quarantineTable, {
      index: 'byStrike',
      isOld: ({ strikes }) => (strikes.at(-1)?.atMs ?? 0) < nowMs() - limits.quarantineWindowMs,
    }),
  };
}

function removeOld<Record>(
  services: Needs,
  table: Table<Record>,
  { index, isOld }: { index: string; isOld(record: Record): boolean },
): Promise<number> {
  const work = (tx: Change, record: Record): boolean => {
    tx.remove(table, table.idOf(record));
    return true;
  };
  return sweepListed(services, { table, index, limit: limits.purgeRecordsMax, isDue: isOld, work });
}

/** One run in a change, for it may have much to it; one whose evidence is still on the disk waits for the sweep that removes that. */
async function forgetRuns(needs: Needs): Promise<number> {
  const { catalog, nowMs } = needs;
  const damage = new DamageOfPass(needs);
  const { records } = catalog.view.list(runTable, { index: 'byEnd', prefix: [], limit: limits.runBatch, onDamage: damage.note });
  let count = 0;
  for (const record of records) {
    const { finishedAtMs, evidenceRetentionMs, hostedRunId } = record.run;
    if ((finishedAtMs as number) + Math.max(limits.endedRunKeptMs, evidenceRetentionMs) > nowMs()) break;
    try {
      let part = await catalog.change((tx) => forgetPart(tx, record));
      while (part === 'more') part = await catalog.change((tx) => forgetPart(tx, record));
      if (part === 'gone') count += 1;
    } catch (error) {
      damage.noteOrThrow(hostedRunId, error);
    }
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
