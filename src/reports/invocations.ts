// The runs of one command, found among the stored reports by the id that each of them carries.
//   INVOCATIONS-1. An id begins with its time, and an invocation is older than its runs: no report older than the invocation is read.
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { idTimeMs } from '../contract/ids.js';
import type { RunInvocation, RunReport } from '../contract/run/run-events.js';
import { runIdsIn } from './run-ids.js';
import { readStoredReport } from './stored-reports.js';

export interface StoredInvocation extends RunInvocation {
  /** In the order in which its runs began. */
  reports: RunReport[];
}

/** Default: of the newest run that says to which it belongs. control.NOT_FOUND where there is none. */
export async function readInvocation(directory: string, wanted?: string): Promise<StoredInvocation> {
  let id = wanted;
  let seed: string | undefined;
  const reports: RunReport[] = [];
  for (const runId of runIdsIn(directory)) {
    if (id !== undefined && idTimeMs(runId) < idTimeMs(id)) break;
    const stored = await readStoredReport(join(directory, runId));
    const invocation = stored.kind === 'read' ? stored.report.invocation : undefined;
    if (stored.kind !== 'read' || invocation === undefined) continue;
    id ??= invocation.id;
    if (invocation.id !== id) continue;
    seed = invocation.seed;
    reports.unshift(stored.report);
  }
  if (id !== undefined && seed !== undefined) return { id, seed, reports };
  throw new ServiceError('control.NOT_FOUND', {
    message:
      wanted === undefined
        ? `No report in ${directory} says to which command it belongs: 'drillyard run' writes such reports.`
        : `No run in ${directory} is of the invocation ${wanted}.`,
  });
}
