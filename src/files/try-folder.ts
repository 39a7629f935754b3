// Makes a folder and those above it that are missing, or yields why it cannot. Loads next to nothing, as what loads the program needs it.
// Not mkdir's own `recursive`: that one never returns where a file system answers ENOENT though the folder above is there, as /proc does.
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Undefined when the folder is there afterwards, made by any process; else the code of the system. Each folder above is checked once at
 * most, so this ends. `mode`: of each that is made; default: what the user's mask leaves.
 */
export function tryFolder(path: string, { mode }: { mode?: number } = {}): string | undefined {
  const missing: string[] = [];
  let place = resolve(path);
  for (let fault = makeOne(place, mode); fault !== undefined; fault = makeOne(place, mode)) {
    if (fault !== 'ENOENT' || place === dirname(place)) return fault;
    missing.push(place);
    place = dirname(place);
  }
  for (const next of missing.reverse()) {
    const fault = makeOne(next, mode);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function makeOne(place: string, mode: number | undefined): string | undefined {
  try {
    mkdirSync(place, { mode });
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
