// `drillyard report check [reports...]`: judges stored runs again with the assertions of the present source. No agent runs, nothing is written.
import { basename, resolve } from 'node:path';
import { counted, grouped } from '../contract/counted.js';
import { ServiceError } from '../contract/errors.js';
import type { Verdict } from '../contract/run.js';
import { type ChangedAssertion, type CheckedReport, checkReport } from '../drills/check-report.js';
import { type CheckedAttempt, type CheckedDrill, checkedDrills } from '../drills/checked-trials.js';
import { sourceInvalid } from '../drills/source-invalid.js';
import { overallVerdict } from '../drills/trials.js';
import { visibleLine } from '../reports/html/visible-text.mjs';
import { rateText } from '../reports/shown-values.js';
import { isReportFolder, listStoredReports } from '../reports/stored-reports.js';
import { compileShown } from './compile-shown.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import { createOutput, type Output } from './output.js';
import { withProgressBar } from './progress-bar.js';
import { reportPath, usualReports } from './report-path.js';

export interface CheckFlags {
  /** Report folders, directories of them, run ids. None: the repository's. */
  reports: string[];
  root: string;
  config?: string;
  json: boolean;
}

export async function checkCommand(flags: CheckFlags): Promise<ExitCode> {
  const output = createOutput(flags);
  try {
    return await check(flags, output);
  } catch (error) {
    return reportFailure(error, output, resolve(flags.root));
  }
}

async function check({ reports, root, config }: CheckFlags, output: Output): Promise<ExitCode> {
  const { build, diagnostics } = await compileShown({ root, ...(config === undefined ? {} : { config }) });
  if (build === undefined) throw sourceInvalid(diagnostics);
  const places = reports.length === 0 ? [usualReports(root)] : reports.map((named) => reportPath(named, root));
  const { folders, more } = await foldersOf(places);
  if (folders.length === 0) throw new ServiceError('control.NOT_FOUND', { message: `There are no reports in ${places.join(', ')}.` });
  const tally = new Tally();
  await withProgressBar('Checking', async (bar) => {
    for (const [index, folder] of folders.entries()) {
      const checked = await checkReport(folder, build, { onProgress: (done, all) => bar.update(index + done / Math.max(all, 1), folders.length) });
      bar.hide();
      tellReport(output, folder, tally.add(checked));
    }
  });
  if (more > 0)
    output.warn(`${counted(more, 'older report')} in the directory ${more === 1 ? 'was' : 'were'} not looked at; name the folders to check them.`);
  return tally.tell(output);
}

async function foldersOf(places: readonly string[]): Promise<{ folders: string[]; more: number }> {
  const folders: string[] = [];
  let left = 0;
  for (const place of places) {
    if (await isReportFolder(place)) {
      folders.push(place);
      continue;
    }
    const stored = await listStoredReports(place);
    // In the order in which they were made.
    folders.push(...stored.folders.reverse());
    left += stored.more;
  }
  return { folders, more: left };
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
  return visibleLine(`${assertionId}${where}: ${sealed ?? 'absent'} -> ${status ?? 'absent'}${message === undefined ? '' : `. ${message}`}`);
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
class Tally {
  readonly #attempts: CheckedAttempt[] = [];
  #unavailable = 0;
  #changed = 0;

  add(checked: CheckedReport): CheckedReport {
    if (checked.kind === 'unavailable') this.#unavailable += 1;
    else {
      const { identity, startedAtMs, judgement, require } = checked;
      this.#attempts.push({ identity, startedAtMs, verdict: judgement.verdict, require });
      if (checked.judgement.verdict !== checked.sealed) this.#changed += 1;
    }
    return checked;
  }

  tell(output: Output): ExitCode {
    const count = (wanted: Verdict): number => this.#attempts.filter(({ verdict }) => verdict === wanted).length;
    const totals = { passed: count('passed'), failed: count('failed'), inconclusive: count('inconclusive') };
    const drills = checkedDrills(this.#attempts);
    for (const drill of drills) tellDrill(output, drill);
    const judged = overallVerdict(drills.map((drill) => drill.verdict));
    const verdict = this.#unavailable > 0 && judged === 'passed' ? 'inconclusive' : judged;
    const flaky = drills.flatMap((drill) => (drill.flaky === true ? [drill.drillId] : []));
    const ids = flaky.length === 0 ? {} : { flaky };
    output.line({ event: 'summary', verdict, ...totals, unavailable: this.#unavailable, changed: this.#changed, ...ids });
    const parts = Object.entries({ ...totals, unavailable: this.#unavailable }).flatMap(([name, many]) => (many > 0 ? [`${many} ${name}`] : []));
    if (!output.json) {
      output.say(
        `${counted(this.#attempts.length + this.#unavailable, 'report')}: ${parts.join(', ')}; ${counted(this.#changed, 'verdict')} changed.`,
      );
    }
    return verdict === 'passed' ? exitCodes.passed : exitCodes.failed;
  }
}
