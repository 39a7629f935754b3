// Files that a command writes into a repository.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../files/make-folder.js';

/** By path in the repository. */
export type NewFiles = { [path: string]: string | Buffer };

/** All or none: half a repository would be in the way of the next try, and what was there before is put back. */
export function writeAllFiles(folder: string, files: NewFiles): void {
  const earlier = new Map<string, Buffer | undefined>();
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      makeFolder(dirname(path));
      const before = existsSync(path) ? readFileSync(path) : undefined;
      const file = openSync(path, before === undefined ? 'wx' : 'w');
      earlier.set(path, before);
      writeFileSync(file, content);
      closeSync(file);
    }
  } catch (error) {
    for (const [path, content] of earlier) {
      if (content === undefined) rmSync(path, { force: true });
      else writeFileSync(path, content);
    }
    throw error;
  }
}
