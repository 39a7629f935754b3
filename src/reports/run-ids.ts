// The runs that a directory of reports has.
import { existsSync, readdirSync } from 'node:fs';
import { isRunId } from './report-folder.js';

/** Run ids are ordered by time: the newest first. */
export function runIdsIn(reports: string): string[] {
  return existsSync(reports) ? readdirSync(reports).filter(isRunId).sort().reverse() : [];
}
