// `drillyard history`: what the stored reports say of each drill over time. Reads report documents only; runs and writes nothing.
import { basename, resolve } from 'node:path';
import pc from 'picocolors';
import { counted, grouped } from '../contract/counted.js';
import { ServiceError } from '../contract/errors.js';
import type { Verdict } from '../contract/run.js';
import type { TrialStatistics } from '../contract/trial-statistics.js';
import { type DrillHistory, History, type HistoryRun } from '../drills/history.js';
import { visibleLine } from '../reports/html/visible-text.mjs';
import { hostDuration, rateText } from '../reports/shown-values.js';
import { listStoredReports, readStoredReport } from '../reports/stored-reports.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput, type Output } from './output.js';
import { withProgressBar } from './progress-bar.js';

export interface HistoryFlags {
  drills: string[];
  flaky: boolean;
  last?: number;
  reportDirectory: string;
  root: string;
  json: boolean;
}

/** Ends with 0 whatever the verdicts were: it tells them, it does not give one. */
export async function historyCommand(flags: HistoryFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    return await tell(flags, output);
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

async function tell({ drills, flaky, last, reportDirectory, root }: HistoryFlags, output: Output): Promise<ExitCode> {
  const directory = resolve(root, reportDirectory);
  const { folders, more } = await listStoredReports(directory, last);
  const history = new History();
  const unavailable: { report: string; problem: string }[] = [];
  await withProgressBar('Reading', async ({ update }) => {
    for (const [index, folder] of folders.entries()) {
      update(index, folders.length);
      const stored = await readStoredReport(folder);
      if (stored.kind === 'read') history.add(stored.report);
      else unavailable.push({ report: basename(folder), problem: stored.problem });
    }
  });
  const all = history.drills();
  refuseUnknown(drills, all, directory);
  const chosen = all.filter((drill) => (drills.length === 0 || drills.includes(drill.drillId)) && (!flaky || drill.flaky !== undefined));
  for (const drill of chosen) {
    output.line({ event: 'drill', ...drill });
    if (!output.json) for (const line of drillLines(drill)) output.say(line);
  }
  for (const report of unavailable) {
    output.line({ event: 'unavailable', ...report });
    if (!output.json) output.say(visibleLine(`! ${report.report}: ${report.problem}`));
  }
  output.line({ event: 'summary', reports: folders.length, drills: all.length, flaky: flakyIn(all), unavailable: unavailable.length, older: more });
  if (!output.json) output.say(summaryText(all, { reports: folders.length, unavailable: unavailable.length, more }));
  return exitCodes.passed;
}

function refuseUnknown(wanted: readonly string[], known: readonly DrillHistory[], directory: string): void {
  const unknown = wanted.find((drillId) => !known.some((drill) => drill.drillId === drillId));
  if (unknown === undefined) return;
  throw new ServiceError('control.NOT_FOUND', { message: `No report in ${directory} is of a drill '${unknown}'.` });
}

function flakyIn(drills: readonly DrillHistory[]): number {
  return drills.filter(({ flaky }) => flaky !== undefined).length;
}

const marksShown = 30;
const marks: { [verdict in Verdict]: string } = { passed: pc.green('✓'), failed: pc.red('✗'), inconclusive: pc.yellow('?') };

function drillLines({ drillId, runs, statistics, latest, lastFailure, medianDurationMs, flaky }: DrillHistory): string[] {
  const marked = latest
    .slice(-marksShown)
    .map(({ verdict }) => marks[verdict])
    .join('');
  return [
    `${pc.bold(visibleLine(drillId))}  ${marked}  ${pc.dim(`${counted(runs, 'run')}, median ${hostDuration(medianDurationMs)}`)}`,
    ...(statistics === undefined ? [] : [`  ${firstAttempts(statistics)}`]),
    ...(lastFailure === undefined ? [] : [`  last failure ${timeText(lastFailure)}, ${lastFailure.runId}: ${visibleLine(lastFailure.reason)}`]),
    ...(flaky?.passedAtRetry ?? [])
      .slice(-3)
      .map((run) => pc.yellow(`  flaky: passed only at attempt ${run.attempt}, ${timeText(run)}, ${run.runId}`)),
    ...(flaky?.inconsistent ?? []).slice(0, 3).map((same) =>
      pc.yellow(
        `  flaky: with seed ${same.seed} and the same build ${same.runs
          .slice(-8)
          .map(({ verdict }) => verdict)
          .join(', ')}`,
      ),
    ),
  ];
}

function firstAttempts(statistics: TrialStatistics): string {
  return `${grouped(statistics.passed)} of ${counted(statistics.trials, 'first attempt')} passed: ${rateText(statistics)}`;
}

function timeText({ startedAtMs }: HistoryRun): string {
  return new Date(startedAtMs).toISOString().slice(0, 16).replace('T', ' ');
}

function summaryText(
  drills: readonly DrillHistory[],
  { reports, unavailable, more }: { reports: number; unavailable: number; more: number },
): string {
  if (reports === 0) return 'There are no reports yet.';
  const parts = [
    `${counted(reports, 'report')} of ${counted(drills.length, 'drill')}`,
    `${flakyIn(drills)} flaky`,
    ...(unavailable > 0 ? [`${unavailable} unavailable`] : []),
    ...(more > 0 ? [`${counted(more, 'older report')} not looked at`] : []),
  ];
  return `${parts.join(', ')}.`;
}
