// What a run does to those before it: when it has ended, runs that need not be kept are removed. They are never a reason for the run to
// fail.
import { resolve } from 'node:path';
import { newId } from '../../contract/ids.js';
import { localFolders } from '../../contract/local-folders.js';
import { chooseOldRuns, type RunFolders, removeRuns } from '../../reports/retention.js';
import type { RunDrillsOptions } from '../plan/options.js';

function runFolders({ root, runDirectory = localFolders.runs, reportDirectory = localFolders.reports }: RunDrillsOptions): RunFolders {
  return {
    runDirectory: resolve(root, runDirectory),
    reportDirectory: reportDirectory === false ? undefined : resolve(root, reportDirectory),
  };
}

/** Removes what is old when the run has ended; the runs of `play` itself stay. A cancelled run ends at once instead. */
export async function thenPrune<T>(options: RunDrillsOptions, play: () => Promise<T>): Promise<T> {
  const before = newId('run');
  const result = await play();
  if (options.retention !== false && options.signal?.aborted !== true) await prune(options, before);
  return result;
}

async function prune(options: RunDrillsOptions, before: string): Promise<void> {
  const folders = runFolders(options);
  try {
    const { old } = await chooseOldRuns(folders, options.retention || {}, { nowMs: Date.now(), before });
    await removeRuns(folders, old);
  } catch (error) {
    options.onNotice?.(`Old runs could not be removed: ${(error as Error).message}`);
  }
}
