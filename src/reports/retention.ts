// Which runs of a repository are kept: the newest, and those of a period that did not pass. A run is its world and its report, which go
// together.
//   RETENTION-1. What an invocation that is alive may have made is never chosen (runs-in-progress.ts).
//   RETENTION-2. The world goes first: where a removal is cut short, the report still says what the run was.
//   RETENTION-3. A run without a readable report did not pass: nobody knows what it was.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { idTimeMs } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { dayMs } from '../contract/units.js';
import { hasCode } from '../files/file-faults.js';
import { folderBytes } from '../files/folder-bytes.js';
import { isRunId } from './report-folder.js';
import { inProgressSince } from './runs-in-progress.js';
import { readStoredReport } from './stored-reports.js';
import { removeOldUnstarted } from './unstarted-trials.js';

export interface ReportRetention {
  /** Of all runs, the newest so many. Default limits.keptRuns. */
  runs?: number;
  /** Of older runs, those that did not pass in so many days. Default limits.keptFailedDays. */
  failedDays?: number;
}
export interface RunFolders {
  runDirectory: string;
  /** Undefined where no reports are written. */
  reportDirectory: string | undefined;
}
export interface RetentionChoice {
  /** In both folders together. */
  runs: number;
  /** Those that need not be kept, oldest first. */
  old: string[];
}

/** `before`: only runs that sort before it. */
export async function chooseOldRuns(
  { runDirectory, reportDirectory }: RunFolders,
  { runs: kept = limits.keptRuns, failedDays = limits.keptFailedDays }: ReportRetention,
  { nowMs, before }: { nowMs: number; before?: string | undefined },
): Promise<RetentionChoice> {
  const names = await namesIn(runDirectory);
  const reports = reportDirectory === undefined ? [] : await namesIn(reportDirectory);
  const ids = [...new Set([...names, ...reports].filter(isRunId))].sort();
  const overdue = ids.slice(0, Math.max(ids.length - kept, 0));
  const bounds = [before, inProgressSince(runDirectory, names)].filter((id) => id !== undefined);
  const old: string[] = [];
  for (const runId of overdue) {
    if (bounds.some((bound) => runId >= bound)) break;
    const isRecent = nowMs - idTimeMs(runId) < failedDays * dayMs;
    if (!isRecent || (reportDirectory !== undefined && (await hasPassed(join(reportDirectory, runId))))) old.push(runId);
  }
  return { runs: ids.length, old };
}

async function hasPassed(folder: string): Promise<boolean> {
  const stored = await readStoredReport(folder);
  return stored.kind === 'read' && stored.report.result.verdict === 'passed';
}

export async function removeRuns({ runDirectory, reportDirectory }: RunFolders, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    await rm(join(runDirectory, runId), { recursive: true, force: true });
    if (reportDirectory !== undefined) await rm(join(reportDirectory, runId), { recursive: true, force: true });
  }
  if (reportDirectory !== undefined && runIds.length > 0) removeOldUnstarted(reportDirectory);
}

export async function bytesOfRuns({ runDirectory, reportDirectory }: RunFolders, runIds: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const runId of runIds)
    for (const directory of [runDirectory, reportDirectory])
      if (directory !== undefined) bytes += await folderBytes(join(directory, runId)).catch(() => 0);
  return bytes;
}

/** A folder that is not there holds nothing. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
