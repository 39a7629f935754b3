// Makes a folder and those above it that are missing, or says why it cannot.
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileRefusal } from './file-faults.js';
import { tryFolder } from './try-folder.js';

/** Throws control.STORAGE_FULL, or control.INVALID_REQUEST for any other cause. */
export function makeFolder(path: string): void {
  const code = tryFolder(path);
  if (code === undefined) return;
  const wanted = resolve(path);
  const below = code === 'ENOTDIR' ? ` below ${nearestAbove(wanted)}` : '';
  throw fileRefusal(`The folder ${wanted} cannot be made${below}`, wanted, { code });
}

/** The first above it that is there. */
function nearestAbove(path: string): string {
  let place = dirname(path);
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  return place;
}
