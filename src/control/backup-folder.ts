// Folders that appear whole: a backup under its name, and a data directory that is made from one.
//   BACKUP-FOLDER-1. Until it is whole and on the disk it has another name, and the mark of unfinished-mark.ts; what fails removes it. A
//     disk that is full by then is control.STORAGE_FULL, whichever step met it.
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { diskSpace } from '../files/disk-full.js';
import { diskFullCodes, fileRefusal } from '../files/file-faults.js';
import { flushFolder } from '../files/flushed-copy.js';
import { folderBytes, takenBytes } from '../files/folder-bytes.js';
import { worldFilesIn } from './data-folder.js';
import { markFinished, markUnfinished } from './unfinished-mark.js';

/** Makes the folder that a backup has until it is whole. `outside`: where it must not lie. */
export function beginBackup(to: string, outside?: string): string {
  const parent = dirname(to);
  const refuse = (reason: string): never => {
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `A backup cannot be made at ${to}: ${reason}. Name a folder that is not there, in one that is.`,
    });
  };
  if (existsSync(to)) refuse('it is there already');
  try {
    const place = `${realpathSync(parent)}${sep}`;
    if (outside !== undefined && place.startsWith(`${realpathSync(outside)}${sep}`)) refuse('it is inside the data directory');
    return makeDraft(`${to}.unfinished`, to);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw fileRefusal(`The folder ${to}.unfinished cannot be made`, to, error);
  }
}

export function makeDraft(draft: string, to: string): string {
  try {
    mkdirSync(draft, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileRefusal(`The folder ${draft} cannot be made`, to, error);
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `The folder ${draft} is there already. If nothing is writing it, a crash has left it: remove it.`,
    });
  }
  try {
    markUnfinished(draft);
    return draft;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw fileRefusal(`The folder ${draft} cannot be made`, to, error);
  }
}

/** `work` fills the draft, and each file of it is on the disk when it resolves. */
export async function inDraft<T>(draft: string, to: string, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    await markFinished(draft);
    await rename(draft, to).catch((error) => {
      throw fileRefusal(`The folder ${to} cannot be made`, to, error);
    });
    await flushFolder(dirname(to));
    return result;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw diskFullCodes.has((error as NodeJS.ErrnoException).code ?? '')
      ? fileRefusal(`The folder ${to} cannot be made`, to, error)
      : error;
  }
}

/**
 * As much as the data has: the copy has no more, and the rest of the disk stays as free as new work wants it. Of worlds the data files
 * alone are copied, whatever lies beside them.
 */
export async function requireSpace(dataDirectory: string, draft: string, signal?: AbortSignal): Promise<void> {
  let needed = 0;
  for (const file of worldFilesIn(dataDirectory)) needed += takenBytesOf(file);
  for (const name of ['catalog', 'blobs', 'evidence']) {
    const folder = join(dataDirectory, name);
    if (existsSync(folder)) needed += await folderBytes(folder, defined({ signal }));
  }
  const { freeBytes, keptBytes } = diskSpace(draft);
  if (freeBytes - keptBytes >= needed) return;
  throw new ServiceError('control.STORAGE_FULL', {
    message: `The disk of ${dirname(draft)} is too full for a backup: the data has ${needed} bytes, and ${Math.max(0, freeBytes - keptBytes)} are free.`,
    details: { neededBytes: needed, freeBytes },
  });
}

/** What has gone, or cannot be looked at, has none. */
function takenBytesOf(file: string): number {
  try {
    return takenBytes(lstatSync(file));
  } catch {
    return 0;
  }
}
