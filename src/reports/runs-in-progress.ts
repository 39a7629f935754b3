// Which runs somebody is still making: an invocation marks the folder of its worlds with a folder of its own, named after an id of the
// moment it began and locked by its process. Runs that began since then may be its.
//   RUNS-IN-PROGRESS-1. A mark counts as long as its process lives; one that a killed process left is removed by the next that finds it.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../contract/ids.js';
import { type FolderLock, lockFolder } from '../files/folder-lock.js';
import { makeFolder } from '../files/make-folder.js';

const prefix = '.playing-';

export interface RunMark {
  remove(): void;
}

/** Undefined where nothing can be written: such a run ends by itself, in its own words. */
export function markRun(runDirectory: string): RunMark | undefined {
  const folder = join(runDirectory, prefix + newId('run'));
  let lock: FolderLock;
  try {
    makeFolder(folder);
  } catch {
    return undefined;
  }
  try {
    lock = lockFolder(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    remove: () => {
      lock.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs that sort after this may be in progress; undefined where no invocation is alive. */
export function inProgressSince(runDirectory: string, names: readonly string[] = readdirSync(runDirectory)): string | undefined {
  const alive = names.filter((name) => name.startsWith(prefix) && isAlive(join(runDirectory, name)));
  return alive.map((name) => name.slice(prefix.length)).sort()[0];
}

function isAlive(folder: string): boolean {
  let lock: FolderLock;
  try {
    lock = lockFolder(folder);
  } catch {
    return true;
  }
  lock.release();
  rmSync(folder, { recursive: true, force: true });
  return false;
}
