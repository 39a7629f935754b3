// Where a report lies that somebody names: a folder, or the id of a run at its usual place.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { isRunId } from '../reports/report-folder.js';

export const usualReports = (root: string): string => join(root, '.service', 'reports');

/** Throws control.NOT_FOUND. */
export function reportPath(named: string, root: string): string {
  const usual = join(usualReports(root), named);
  const path = !existsSync(named) && isRunId(named) && existsSync(usual) ? usual : named;
  if (existsSync(path)) return path;
  throw new ServiceError('control.NOT_FOUND', {
    message: `There is no folder ${named}, and no run of that id in ${usualReports(root)}. Name a report folder, or its repository with --root.`,
  });
}
