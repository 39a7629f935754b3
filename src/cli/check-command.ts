// `drillyard report check [reports...]`: judges stored runs again with the assertions of the present source. No agent runs, nothing is written.
import { basename, resolve } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { counted } from '../contract/counted.js';
import { ServiceError } from '../contract/errors.js';
import type { Verdict } from '../contract/run.js';
import { type ChangedAssertion, type CheckedReport, checkReport } from '../drills/check-report.js';
import { sourceInvalid } from '../drills/source-invalid.js';
import { overallVerdict } from '../drills/trials.js';
import { visibleLine } from '../reports/html/visible-text.mjs';
import { isReportFolder, listStoredReports } from '../reports/stored-reports.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { fromHere } from './from-here.js';
import { createOutput, type Output } from './output.js';
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
  const { build, diagnostics } = await compileProject({ root: resolve(root), ...(config === undefined ? {} : { config }) });
  if (build === undefined) throw sourceInvalid(diagnostics);
  const places = reports.length === 0 ? [usualReports(root)] : reports.map((named) => reportPath(named, root));
  const { folders, more } = await foldersOf(places);
  if (folders.length === 0) throw new ServiceError('control.NOT_FOUND', { message: `There are no reports in ${places.join(', ')}.` });
  const tally = new Tally();
  for (const folder of folders) tellReport(output, folder, tally.add(await checkReport(folder, build)));
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

class Tally {
  readonly #verdicts: Verdict[] = [];
  #unavailable = 0;
  #changed = 0;

  add(checked: CheckedReport): CheckedReport {
    if (checked.kind === 'unavailable') this.#unavailable += 1;
    else {
      this.#verdicts.push(checked.judgement.verdict);
      if (checked.judgement.verdict !== checked.sealed) this.#changed += 1;
    }
    return checked;
  }

  tell(output: Output): ExitCode {
    const count = (wanted: Verdict): number => this.#verdicts.filter((verdict) => verdict === wanted).length;
    const totals = { passed: count('passed'), failed: count('failed'), inconclusive: count('inconclusive') };
    const verdict = this.#unavailable > 0 && overallVerdict(this.#verdicts) === 'passed' ? 'inconclusive' : overallVerdict(this.#verdicts);
    output.line({ event: 'summary', verdict, ...totals, unavailable: this.#unavailable, changed: this.#changed });
    const parts = Object.entries({ ...totals, unavailable: this.#unavailable }).flatMap(([name, many]) => (many > 0 ? [`${many} ${name}`] : []));
    if (!output.json) {
      output.say(
        `${counted(this.#verdicts.length + this.#unavailable, 'report')}: ${parts.join(', ')}; ${counted(this.#changed, 'verdict')} changed.`,
      );
    }
    return verdict === 'passed' ? exitCodes.passed : exitCodes.failed;
  }
}
