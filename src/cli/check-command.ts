// `drillyard report check [reports...]`: judges stored runs again with the assertions of the present source. No agent runs, nothing is
// written.
import { basename, resolve } from 'node:path';
import { defined } from '../contract/defined.js';
import { type CheckReportsResult, checkReports } from '../drills/check-reports.js';
import type { ChangedAssertion, CheckedReport } from '../drills/stored/check-report.js';
import type { CheckedDrill } from '../drills/stored/checked-trials.js';
import { rateText } from '../reports/shown-values.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { sayFailures } from './failure.js';
import { fromHere } from './from-here.js';
import type { Output } from './output.js';
import { withProgressBar } from './progress-bar.js';

export interface CheckFlags {
  /** Report folders, directories of them, run ids. None: the repository's. */
  reports: string[];
  /** Of each directory, the newest so many. */
  last?: number;
  root: string;
  config?: string;
  json: boolean;
}

export function checkCommand(flags: CheckFlags): Promise<ExitCode> {
  return sayFailures(flags, resolve(flags.root), (output) => check(flags, output));
}

async function check({ reports, last, root, config }: CheckFlags, output: Output): Promise<ExitCode> {
  const result = await withProgressBar('Checking', (bar) =>
    checkReports({
      root,
      reports,
      ...defined({ config, last }),
      onProgress: bar.update,
      onReport: (folder, checked) => {
        bar.hide();
        tellReport(output, folder, checked);
      },
    }),
  );
  const { older } = result;
  if (older > 0)
    output.warn(
      `${counted(older, 'older report')} in the directory ${older === 1 ? 'was' : 'were'} not read; name the folders to check them.`,
    );
  return tellTotals(result, output);
}

function tellReport(output: Output, folder: string, checked: CheckedReport): void {
  if (checked.kind === 'unavailable') {
    output.line({ event: 'unavailable', report: folder, runId: checked.runId, problems: checked.problems });
    if (!output.json)
      for (const { file, code, message } of checked.problems)
        output.say(`! ${fromHere(resolve(folder))}: ${visibleLine(`${file} ${code}: ${message}`).trim()}`);
    return;
  }
  const { runId, drillId, sealed, judgement, changed, setupChanged } = checked;
  const { verdict, assertionResults, checkpoints } = judgement;
  output.line({ event: 'check', runId, drillId, report: folder, sealed, verdict, changed, setupChanged, assertionResults, checkpoints });
  if (output.json) return;
  const change = sealed === verdict ? verdict : `${sealed} -> ${verdict}`;
  output.say(`${basename(runId)}  ${visibleLine(drillId)}  ${change}${setupChanged ? '  (the drill starts from another setup now)' : ''}`);
  for (const assertion of changed) output.say(`  ${changeText(assertion)}`);
}

function changeText({ assertionId, checkpointId, sealed, status, message }: ChangedAssertion): string {
  const where = checkpointId === undefined ? '' : ` at ${checkpointId}`;
  return visibleLine(
    `${assertionId}${where}: ${sealed ?? 'absent'} -> ${status ?? 'absent'}${message === undefined ? '' : `. ${message}`}`,
  );
}

function tellDrill(output: Output, drill: CheckedDrill): void {
  output.line({ event: 'drill', ...drill });
  const { drillId, verdict, trialsPassed, trialCount, flaky = false, statistics } = drill;
  if (output.json || (trialCount < 2 && !flaky)) return;
  const rate = statistics === undefined ? '' : `, first attempts ${rateText(statistics)}`;
  const how = flaky ? '; flaky: passed only when tried again' : '';
  output.say(`${visibleLine(drillId)}  ${verdict}: ${grouped(trialsPassed)} of ${counted(trialCount, 'trial')}${rate}${how}`);
}

/** Reports are counted; the verdict is that of their drills, by the rules of a run. */
function tellTotals(result: CheckReportsResult, output: Output): ExitCode {
  const { verdict, passed, failed, inconclusive, unavailable, changed, drills, reports } = result;
  for (const drill of drills) tellDrill(output, drill);
  const flaky = drills.flatMap((drill) => (drill.flaky === true ? [drill.drillId] : []));
  const totals = { passed, failed, inconclusive, unavailable };
  output.line({ event: 'summary', verdict, ...totals, changed, ...(flaky.length === 0 ? {} : { flaky }) });
  const parts = Object.entries(totals).flatMap(([name, many]) => (many > 0 ? [`${many} ${name}`] : []));
  if (!output.json) output.say(`${counted(reports.length, 'report')}: ${parts.join(', ')}; ${counted(changed, 'verdict')} changed.`);
  return verdict === 'passed' ? exitCodes.passed : exitCodes.failed;
}
