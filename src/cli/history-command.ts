// `drillyard history`: what the stored reports say of each drill over time. Reads report documents only; runs and writes nothing.
import { resolve } from 'node:path';
import pc from 'picocolors';
import type { Verdict } from '../contract/run/run.js';
import type { TrialStatistics } from '../contract/trial-statistics.js';
import type { DrillHistory, HistoryRun } from '../drills/stored/history.js';
import { type DrillHistories, readHistory } from '../drills/stored/read-history.js';
import { hostDuration, rateText } from '../reports/shown-values.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import type { Output } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { tuning } from './tuning.js';

export interface HistoryFlags {
  drills: string[];
  flaky: boolean;
  last?: number;
  reportDirectory: string;
  root: string;
  json: boolean;
}

/** Ends with 0 whatever the verdicts were: it tells them, it does not give one. */
export function historyCommand(flags: HistoryFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.root), (output) => tell(flags, output));
}

async function tell({ json: _, ...options }: HistoryFlags, output: Output): Promise<ExitCode> {
  const history = await withProgressBar('Reading', ({ update }) => readHistory({ ...options, onProgress: update }));
  for (const drill of history.drills) {
    output.line({ event: 'drill', ...drill });
    if (!output.json) for (const line of drillLines(drill)) output.say(line);
  }
  for (const report of history.unavailable) {
    output.line({ event: 'unavailable', ...report });
    if (!output.json) output.say(visibleLine(`! ${report.report}: ${report.problem}`));
  }
  const { reports, total, unavailable, older } = history;
  output.line({ event: 'summary', reports, ...total, unavailable: unavailable.length, older });
  if (!output.json) output.say(summaryText(history));
  return exitCodes.passed;
}

const marks: { [verdict in Verdict]: string } = { passed: pc.green('✓'), failed: pc.red('✗'), inconclusive: pc.yellow('?') };

function drillLines({ drillId, runs, statistics, latest, lastFailure, medianDurationMs, flaky }: DrillHistory): string[] {
  const marked = latest
    .slice(-tuning.historyMarksShown)
    .map(({ verdict }) => marks[verdict])
    .join('');
  return [
    `${pc.bold(visibleLine(drillId))}  ${marked}  ${pc.dim(`${counted(runs, 'run')}, median ${hostDuration(medianDurationMs)}`)}`,
    ...(statistics === undefined ? [] : [`  ${firstAttempts(statistics)}`]),
    ...(lastFailure === undefined
      ? []
      : [`  last failure ${timeText(lastFailure)}, ${lastFailure.runId}: ${visibleLine(lastFailure.reason)}`]),
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

function summaryText({ reports, total, unavailable, older }: DrillHistories): string {
  if (reports === 0) return 'There are no reports yet.';
  const parts = [
    `${counted(reports, 'report')} of ${counted(total.drills, 'drill')}`,
    `${total.flaky} flaky`,
    ...(unavailable.length > 0 ? [`${unavailable.length} unavailable`] : []),
    ...(older > 0 ? [`${counted(older, 'older report')} not read`] : []),
  ];
  return `${parts.join(', ')}.`;
}
