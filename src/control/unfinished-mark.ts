// The mark of a folder that is being made: a backup, or a data directory that is restored. A crash leaves it there, whatever the folder is
// named later.
//   UNFINISHED-MARK-1. A folder with the mark is not taken for a backup or for a data directory: no restore reads it, no service starts on
//     it, and a verification reports it.
import { existsSync, writeFileSync } from 'node:fs';
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

/** control.DATA_DAMAGED for a folder with the mark. */
export function requireFinished(folder: string): void {
  if (!isUnfinished(folder)) return;
  throw new ServiceError('control.DATA_DAMAGED', {
    message: `The folder ${folder} is not whole: ${unfinishedProblem}. Nothing was changed. ${unfinishedAdvice}`,
    details: { path: folder, reason: unfinishedProblem },
  });
}
