// Where a report lies that somebody names: a folder, or the id of a run at its usual place.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { localFolders } from '../contract/local-folders.js';
import { isRunId, manifestFile } from './report-folder.js';

/** `latest`, and `latest~n`: so many runs before it. */
const latestPattern = /^latest(?:~(\d{1,5}))?$/;

export const usualReports = (root: string): string => join(root, localFolders.reports);

/** Throws control.NOT_FOUND. */
export function reportPath(named: string, root: string): string {
  const runId = existsSync(named) ? undefined : runIdOf(named, root);
  const usual = join(usualReports(root), runId ?? '');
  const path = runId !== undefined && existsSync(usual) ? usual : named;
  if (existsSync(path)) return path;
  throw new ServiceError('control.NOT_FOUND', { message: whyNoReport(named, usualReports(root)) });
}

function runIdOf(named: string, root: string): string | undefined {
  const back = latestPattern.exec(named);
  if (back === null) return isRunId(named) ? named : undefined;
  return existsSync(usualReports(root)) ? runsIn(usualReports(root))[Number(back[1] ?? 0)] : undefined;
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

/** Run ids are ordered by time: the newest first. */
function runsIn(reports: string): string[] {
  return readdirSync(reports).filter(isRunId).sort().reverse();
}
const newestIn = (reports: string): string[] => runsIn(reports).slice(0, 3);

function whyNoReport(folder: string, reports: string): string {
  if (!existsSync(reports))
    return `There is no folder ${folder}, and ${reports} has no reports yet: 'drillyard run' writes them. Or name the repository with --root.`;
  const newest = newestIn(reports);
  const known = newest.length === 0 ? 'It has none' : `The newest there: ${newest.join(', ')}`;
  return `There is no folder ${folder}, and no run of that id in ${reports}. ${known}. Name one of them, a report folder, or the repository with --root.`;
}
