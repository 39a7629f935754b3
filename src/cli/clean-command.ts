// `drillyard clean`: what the runs of a repository take that need not be kept, and their removal.
import { resolve } from 'node:path';
import { bytesOfRuns, chooseOldRuns, type ReportRetention, removeRuns } from '../reports/retention.js';
import { counted, grouped } from '../text/counted.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';

export interface CleanCommandFlags {
  yes: boolean;
  json: boolean;
  root: string;
  reportDirectory: string;
  runDirectory: string;
  retention: ReportRetention;
}

export async function cleanCommand({ yes, json, root, reportDirectory, runDirectory, retention }: CleanCommandFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  try {
    const folders = { runDirectory: resolve(root, runDirectory), reportDirectory: resolve(root, reportDirectory) };
    const { runs, old } = await chooseOldRuns(folders, retention, { nowMs: Date.now() });
    const bytes = await bytesOfRuns(folders, old);
    for (const runId of old) output.line({ event: 'old_run', runId });
    if (yes) await removeRuns(folders, old);
    output.line({ event: 'summary', runs, old: old.length, bytes, removed: yes });
    if (!json) output.say(summary({ runs, old: old.length, bytes, removed: yes }));
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, resolve(root));
  }
}

function summary({ runs, old, bytes, removed }: { runs: number; old: number; bytes: number; removed: boolean }): string {
  if (old === 0) return `Nothing to remove: ${counted(runs, 'run')}, all kept. --keep and --keep-failed-days say what is.`;
  const what = `${counted(old, 'run')} of ${grouped(runs)}, with worlds and reports: ${megabytes(bytes)}`;
  return removed ? `Removed ${what}.` : `Old are ${what}. Nothing was removed; --yes removes them.`;
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
