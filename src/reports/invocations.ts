// The runs of one command, found among the stored reports by the id that each of them carries.
//   INVOCATIONS-1. An id begins with its time, and an invocation is older than its runs: no report older than the invocation is read.
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { idTimeMs } from '../contract/ids.js';
import type { RunInvocation, RunReport } from '../contract/run/run-events.js';
import { runIdsIn } from './run-ids.js';
import { readStoredReport } from './stored-reports.js';
import { readUnstarted, type UnstartedTrials } from './unstarted-trials.js';

export interface StoredInvocation extends RunInvocation {
  /** In the order in which its runs began. */
  reports: RunReport[];
  /** What it had planned and never began, by drill. */
  notStarted: UnstartedTrials['notStarted'];
}

/** Default: the newest that has runs which say to which they belong, or trials that never began. control.NOT_FOUND where there is none. */
export async function readInvocation(directory: string, wanted?: string): Promise<StoredInvocation> {
  const unstarted = readUnstarted(directory, wanted);
  let id = wanted;
  let seed: string | undefined;
  const reports: RunReport[] = [];
  for (const runId of runIdsIn(directory)) {
    if (id !== undefined && idTimeMs(runId) < idTimeMs(id)) break;
    const stored = await readStoredReport(join(directory, runId));
    const invocation = stored.kind === 'read' ? stored.report.invocation : undefined;
    if (stored.kind !== 'read' || invocation === undefined) continue;
    id ??= newer(invocation.id, unstarted?.id);
    if (invocation.id !== id) continue;
    seed = invocation.seed;
    reports.unshift(stored.report);
  }
  id ??= unstarted?.id;
  const { notStarted = [], seed: planned } = unstarted?.id === id ? (unstarted ?? {}) : {};
  seed ??= planned;
  if (id !== undefined && seed !== undefined) return { id, seed, reports, notStarted };
  throw new ServiceError('control.NOT_FOUND', {
    message:
      wanted === undefined
        ? `No report in ${directory} says to which command it belongs: 'drillyard run' writes such reports.`
        : `No run in ${directory} is of the invocation ${wanted}.`,
  });
}

function newer(id: string, other: string | undefined): string {
  return other === undefined || id > other ? id : other;
}
