// Stored runs judged again with the assertions of the present source. No agent runs, no world is opened, nothing is written.
import { resolve } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { type OptionShapes, optionShapes, requireOptions } from '../contract/known-options.js';
import { limits } from '../contract/limits.js';
import type { Diagnostic } from '../contract/run/build.js';
import type { Verdict } from '../contract/run/run.js';
import { reportPaths, usualReports } from '../reports/report-path.js';
import { isReportFolder, listStoredReports } from '../reports/stored-reports.js';
import { overallVerdict } from './plan/trials.js';
import { SourceInvalidError } from './source-invalid.js';
import { type CheckedReport, checkReport } from './stored/check-report.js';
import { type CheckedAttempt, type CheckedDrill, checkedDrills } from './stored/checked-trials.js';

export interface CheckReportsOptions {
  /** The repository, whose drills judge. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /** Report folders, directories of them, names of runs, or invocations: all of their runs. Default: the reports of the repository. */
  reports?: readonly string[];
  /** Of each directory, the newest reports, this many. Default: up to limits.storedReportsMax. */
  last?: number;
  onCompiling?: (done: number, total: number) => void;
  /** Each report when it has been judged, in order. */
  onReport?: (folder: string, checked: CheckedReport) => void;
  onProgress?: (done: number, total: number) => void;
}
const shapes: OptionShapes<CheckReportsOptions> = {
  root: optionShapes.root,
  config: 'text',
  reports: optionShapes.texts,
  last: 'number',
  onCompiling: 'function',
  onReport: 'function',
  onProgress: 'function',
};

export interface CheckReportsResult {
  /** Of the drills, by the rules of a run; a report that is unavailable makes what has passed inconclusive. */
  verdict: Verdict;
  /** Reports. */
  passed: number;
  failed: number;
  inconclusive: number;
  unavailable: number;
  /** Reports whose verdict is another than the sealed one. */
  changed: number;
  reports: { folder: string; checked: CheckedReport }[];
  drills: CheckedDrill[];
  /** Reports of directories that were not read. */
  older: number;
  /** Warnings of the compiler. */
  diagnostics: Diagnostic[];
}

/**
 * Rejects with control.SOURCE_INVALID for a repository that does not compile, and with control.NOT_FOUND where there is nothing to check.
 */
export async function checkReports(options: CheckReportsOptions): Promise<CheckReportsResult> {
  requireOptions('checkReports', options, shapes);
  const { root, config, reports = [], last, onCompiling, onReport = () => {}, onProgress = () => {} } = options;
  const progress = defined({ onProgress: onCompiling });
  const { build, diagnostics } = await compileProject({ root: resolve(root), ...defined({ config }), ...progress });
  if (build === undefined) throw new SourceInvalidError(diagnostics);
  const places = reports.length === 0 ? [usualReports(root)] : reports.flatMap((named) => reportPaths(named, root));
  const { folders, older } = await foldersOf(places, lastOf(last));
  if (folders.length === 0) throw new ServiceError('control.NOT_FOUND', { message: `There are no reports in ${places.join(', ')}.` });
  const checked: CheckReportsResult['reports'] = [];
  for (const [index, folder] of folders.entries()) {
    const progress = { onProgress: (done: number, all: number) => onProgress(index + done / Math.max(all, 1), folders.length) };
    const report = await checkReport(folder, build, progress);
    checked.push({ folder, checked: report });
    onReport(folder, report);
  }
  return { ...resultOf(checked), reports: checked, older, diagnostics };
}

function lastOf(last: number | undefined): number {
  if (last === undefined) return limits.storedReportsMax;
  if (Number.isInteger(last) && last >= 1 && last <= limits.storedReportsMax) return last;
  throw new ServiceError('control.INVALID_REQUEST', { message: `"last" is an integer from 1 to ${limits.storedReportsMax}.` });
}

async function foldersOf(places: readonly string[], last: number): Promise<{ folders: string[]; older: number }> {
  const folders: string[] = [];
  let older = 0;
  for (const place of places) {
    if (await isReportFolder(place)) {
      folders.push(place);
      continue;
    }
    const stored = await listStoredReports(place, last);
    // In the order in which they were made.
    folders.push(...stored.folders.reverse());
    older += stored.more;
  }
  return { folders, older };
}

function resultOf(reports: CheckReportsResult['reports']): Omit<CheckReportsResult, 'reports' | 'older' | 'diagnostics'> {
  const attempts: CheckedAttempt[] = [];
  let changed = 0;
  for (const { checked } of reports) {
    if (checked.kind === 'unavailable') continue;
    const { identity, startedAtMs, judgement, require, sealed } = checked;
    attempts.push({ identity, startedAtMs, verdict: judgement.verdict, require });
    if (judgement.verdict !== sealed) changed += 1;
  }
  const count = (wanted: Verdict): number => attempts.filter(({ verdict }) => verdict === wanted).length;
  const unavailable = reports.length - attempts.length;
  const drills = checkedDrills(attempts);
  const judged = overallVerdict(drills.map((drill) => drill.verdict));
  return {
    verdict: unavailable > 0 && judged === 'passed' ? 'inconclusive' : judged,
    passed: count('passed'),
    failed: count('failed'),
    inconclusive: count('inconclusive'),
    unavailable,
    changed,
    drills,
  };
}
