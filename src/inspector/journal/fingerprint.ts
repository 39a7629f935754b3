// Whether files are the ones that were read before: cheap enough for every request, and changed by every change.
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../contract/errors.js';

/** Of files of one folder, which is no link. Throws control.NOT_FOUND where there is no such folder. */
export function fingerprintOf(folder: string, names: readonly string[]): string {
  requireFolder(folder);
  return names.map((name) => `${name} ${stampOf(look(join(folder, name)))}`).join('\n');
}

/** Of everything that lies in a report folder. */
export function wholeFingerprint(folder: string): string {
  requireFolder(folder);
  const names = readdirSync(folder, { recursive: true }) as string[];
  return fingerprintOf(folder, names.sort());
}

function requireFolder(folder: string): void {
  const stat = look(folder);
  if (stat === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no report of this run.' });
  if (!stat.isDirectory()) throw reportRefused([{ file: '', code: 'FOLDER_UNREADABLE', message: 'is not a folder' }]);
}

function look(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

export function stampOf(stat: BigIntStats | undefined): string {
  return stat === undefined ? 'missing' : `${stat.dev}:${stat.ino}:${stat.mode}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

export interface ReportFault {
  file: string;
  code: string;
  message: string;
}
/** A report that is not, or no longer, as it was sealed: nothing of it is served. */
export function reportRefused(problems: readonly ReportFault[]): ServiceError {
  const first = problems[0];
  return new ServiceError('control.STATE_CONFLICT', {
    message: `The report is not as it was sealed${first === undefined ? '' : `: ${first.file === '' ? 'it' : first.file} ${first.message}`}.`,
    issues: problems.map(({ file, code, message }) => ({
      path: file === '' ? '' : `/${file}`,
      code,
      message: message === '' ? code : message,
    })),
    details: { reason: 'REPORT_INVALID' },
  });
}
