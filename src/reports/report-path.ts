// Where a report lies that somebody names: a folder, the id of a run at its usual place, or a name for a run.
//   REPORT-PATH-1. `latest` is the newest run, `latest~n` the n-th before it. An invocation is its run that did not pass, or its only one;
//     where it has several, a name for one run is refused with them.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { idTimeMs } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import { localFolders } from '../contract/local-folders.js';
import type { RunReport } from '../contract/run/run-events.js';
import { readPlainSync } from '../files/plain-file.js';
import { counted } from '../text/counted.js';
import { isInvocationId } from './invocation-id.js';
import { isRunId, manifestFile, reportFile } from './report-folder.js';
import { runIdsIn } from './run-ids.js';

/** `latest`, and `latest~n`: so many runs before it. */
const latestPattern = /^latest(?:~(\d{1,5}))?$/;

export const usualReports = (root: string): string => join(root, localFolders.reports);

/** A path of the present folder, the name of a run, or a path of the root, as results have it. Throws control.NOT_FOUND. */
function reportPath(named: string, root: string): string {
  if (existsSync(named)) return named;
  const reports = usualReports(root);
  const runId = findRun(named, reports);
  // A run that was not reported has an empty name, which is no path.
  const path = runId !== undefined ? join(reports, runId) : named ? resolve(root, named) : '';
  if (existsSync(path)) return path;
  throw new ServiceError('control.NOT_FOUND', { message: whyNoReport(named, usualReports(root)) });
}

/** As `reportPath`; of an invocation the folder of each of its runs. */
export function reportPaths(named: string, root: string): string[] {
  const reports = usualReports(root);
  if (!isInvocationId(named) || existsSync(named)) return [reportPath(named, root)];
  return requireRuns(named, reports).map(({ runId }) => join(reports, runId));
}

/** The id of the run that the name stands for in a directory of reports; undefined where it stands for none. */
export function findRun(named: string, reports: string): string | undefined {
  const back = latestPattern.exec(named);
  if (back !== null) return runIdsIn(reports)[Number(back[1] ?? 0)];
  if (isInvocationId(named)) return oneOfInvocation(named, { runs: requireRuns(named, reports), reports });
  return isRunId(named) ? named : undefined;
}

/** Throws control.NOT_FOUND for what no run here is called: none with a report, and none whose world is kept. */
export function requireKnownRun(named: string, { reports, runs }: { reports: string; runs: string }): void {
  if (isInvocationId(named)) {
    requireRuns(named, reports);
    return;
  }
  const runId = findRun(named, reports);
  if (runId !== undefined && [reports, runs].some((folder) => existsSync(join(folder, runId)))) return;
  throw new ServiceError('control.NOT_FOUND', { message: whyNoReport(named, reports) });
}

/** The folder of one report. Throws control.NOT_FOUND for a directory of them, too. */
export function oneReportPath(named: string, root: string): string {
  const path = reportPath(named, root);
  if (existsSync(join(path, manifestFile)) || !statSync(path).isDirectory()) return path;
  const inside = newestIn(path);
  if (inside.length === 0) return path;
  throw new ServiceError('control.NOT_FOUND', {
    message: `${named} is a folder of reports. Name one of them; the newest: ${inside.join(', ')}.`,
  });
}

export interface NamedRun {
  runId: string;
  passed: boolean;
}

function requireRuns(invocationId: string, reports: string): NamedRun[] {
  const runs: NamedRun[] = [];
  for (const runId of runIdsIn(reports)) {
    // Its runs are no older than itself.
    if (idTimeMs(runId) < idTimeMs(invocationId)) break;
    const report = documentOf(join(reports, runId, reportFile));
    if (report?.invocation?.id === invocationId) runs.unshift({ runId, passed: report.result?.verdict === 'passed' });
  }
  if (runs.length > 0) return runs;
  throw noRuns(invocationId, reports);
}
function noRuns(invocationId: string, reports: string): ServiceError {
  return new ServiceError('control.NOT_FOUND', { message: `No run in ${reports} is of the invocation ${invocationId}.` });
}

/** The one of an invocation's runs that it stands for. Throws control.NOT_FOUND where that is none, or may be one of several. */
export function oneOfInvocation(invocationId: string, { runs, reports }: { runs: readonly NamedRun[]; reports: string }): string {
  if (runs.length === 0) throw noRuns(invocationId, reports);
  const failed = runs.filter(({ passed }) => !passed);
  const [one, ...others] = failed.length > 0 ? failed : runs;
  if (one !== undefined && others.length === 0) return one.runId;
  const what = failed.length > 0 ? `${counted(failed.length, 'run')} that did not pass` : counted(runs.length, 'run');
  const ids = (failed.length > 0 ? failed : runs).slice(0, 5).map(({ runId }) => runId);
  throw new ServiceError('control.NOT_FOUND', {
    message: `${invocationId} has ${what}. Name one of them: ${ids.join(', ')}${ids.length < runs.length && others.length >= 5 ? ', ...' : ''}.`,
  });
}

/** For the name alone: a reader of the report checks it then. */
function documentOf(file: string): { invocation?: RunReport['invocation']; result?: { verdict?: unknown } } | undefined {
  try {
    return JSON.parse(String(readPlainSync(file, limits.reportDocumentBytesMax)));
  } catch {
    return undefined;
  }
}

const newestIn = (reports: string): string[] => runIdsIn(reports).slice(0, 3);

function whyNoReport(folder: string, reports: string): string {
  if (latestPattern.test(folder)) {
    const reported = existsSync(reports) ? runIdsIn(reports).length : 0;
    return `There is no such run: ${reports} has ${counted(reported, 'report')}. 'drillyard run' writes them. Or name the repository with --root.`;
  }
  if (!existsSync(reports))
    return `There is no folder ${folder}, and ${reports} has no reports yet: 'drillyard run' writes them. Or name the repository with --root.`;
  const newest = newestIn(reports);
  const known = newest.length === 0 ? 'It has none' : `The newest there: ${newest.join(', ')}`;
  return `There is no folder ${folder}, and no run of that id in ${reports}. ${known}. Name one of them, a report folder, or the repository with --root.`;
}
