// The mark of a folder that is being made: a backup, or a data directory that is restored. A crash leaves it there, whatever the folder is
// named later.
//   UNFINISHED-MARK-1. A folder with the mark is not taken for a backup or for a data directory: no restore reads it, no service starts on
//     it, nor on the name that a restore is to give it, and a verification reports it.
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { flushFolder } from '../files/flushed-copy.js';

export const unfinishedMark = 'unfinished';
export const unfinishedProblem = 'what made the folder, a backup or a restore, was cut short';
export const unfinishedAdvice = 'Remove the folder.';

export function markUnfinished(folder: string): void {
  writeFileSync(join(folder, unfinishedMark), 'This folder is not whole until this file is gone.\n', { flag: 'wx', mode: 0o600 });
}

/** All else of the folder is on the disk. */
export async function markFinished(folder: string): Promise<void> {
  await rm(join(folder, unfinishedMark));
  await flushFolder(folder);
}

export const isUnfinished = (folder: string): boolean => existsSync(join(folder, unfinishedMark));

/** Where a restore makes the data directory. */
export const restoringFolder = (directory: string): string => `${directory}.restoring`;

/** control.DATA_DAMAGED where a restore into the data directory has not ended: who starts there would begin a new service in its place. */
export function requireRestored(directory: string): void {
  const folder = restoringFolder(realpathSync(directory));
  if (!isUnfinished(folder)) return;
  throw new ServiceError('control.DATA_DAMAGED', {
    message: `The data directory ${directory} is empty: a restore into it works in ${folder}, or was cut short. Nothing was changed. If no restore is at work, remove that folder, and restore again.`,
    details: { path: folder, reason: unfinishedProblem },
  });
}

/** control.DATA_DAMAGED for a folder with the mark. */
export function requireFinished(folder: string): void {
  if (!isUnfinished(folder)) return;
  throw new ServiceError('control.DATA_DAMAGED', {
    message: `The folder ${folder} is not whole: ${unfinishedProblem}. Nothing was changed. ${unfinishedAdvice}`,
    details: { path: folder, reason: unfinishedProblem },
  });
}
