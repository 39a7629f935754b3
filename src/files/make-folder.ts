// Makes a folder and those above it that are missing, or says why it cannot; closes one to everybody but its owner.
import { chmodSync, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileRefusal, hasCode } from './file-faults.js';
import { tryFolder } from './try-folder.js';

/** Throws control.STORAGE_FULL, or control.INVALID_REQUEST for any other cause. */
export function makeFolder(path: string): void {
  const code = tryFolder(path);
  if (code === undefined) return;
  const wanted = resolve(path);
  const below = code === 'ENOTDIR' ? ` below ${nearestAbove(wanted)}` : '';
  throw fileRefusal(`The folder ${wanted} cannot be made${below}`, wanted, { code });
}

/** Its owner alone enters it from now on, where this user may say so: a mounted volume can be another's. */
export function closeFolder(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if (!hasCode(error, 'EPERM') && !hasCode(error, 'EROFS')) throw error;
  }
}

/** The first above it that is there. */
function nearestAbove(path: string): string {
  let place = dirname(path);
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  return place;
}
