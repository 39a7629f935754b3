// Makes a folder and those above it that are missing, or says why it cannot.
// Not mkdir's own `recursive`: that one never returns where a file system answers ENOENT though the folder above is there, as /proc does.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ServiceError } from '../contract/errors.js';
import { fileRefusal } from './file-faults.js';

/**
 * Each folder above is checked once at most, so this ends. Throws control.STORAGE_FULL, or control.INVALID_REQUEST for any other cause.
 */
export function makeFolder(path: string): void {
  const wanted = resolve(path);
  const missing: string[] = [];
  let place = wanted;
  for (let fault = makeOne(place); fault !== undefined; fault = makeOne(place)) {
    if (fault !== 'ENOENT' || place === dirname(place)) throw refusal(wanted, fault);
    missing.push(place);
    place = dirname(place);
  }
  for (const next of missing.reverse()) {
    const fault = makeOne(next);
    if (fault !== undefined) throw refusal(wanted, fault);
  }
}

/** Undefined when the folder is there afterwards, made by any process; else the code of the system. */
function makeOne(place: string): string | undefined {
  try {
    mkdirSync(place);
    return undefined;
  } catch (error) {
    // Not EEXIST alone: a read-only file system says EROFS of a folder that is there, too.
    return isFolder(place) ? undefined : ((error as NodeJS.ErrnoException).code ?? 'EIO');
  }
}

function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

function refusal(path: string, code: string): ServiceError {
  const below = code === 'ENOTDIR' ? ` below ${nearestAbove(path)}` : '';
  return fileRefusal(`The folder ${path} cannot be made${below}`, path, { code });
}

/** The first above it that is there. */
function nearestAbove(path: string): string {
  let place = dirname(path);
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  return place;
}
