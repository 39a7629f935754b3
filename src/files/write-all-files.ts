// Several files written into a folder: all of them, or none.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { fileRefusal } from './file-faults.js';
import { makeFolder } from './make-folder.js';

/** By path in the folder. */
export type NewFiles = { [path: string]: string | Buffer };

/** Half of them would be in the way of the next try: where one cannot be written, what was there before is put back. */
export function writeAllFiles(folder: string, files: NewFiles): void {
  const earlier = new Map<string, Buffer | undefined>();
  let path = folder;
  try {
    for (const [name, content] of Object.entries(files)) {
      path = join(folder, name);
      makeFolder(dirname(path));
      const before = existsSync(path) ? readFileSync(path) : undefined;
      const file = openSync(path, before === undefined ? 'wx' : 'w');
      earlier.set(path, before);
      writeFileSync(file, content);
      closeSync(file);
    }
  } catch (error) {
    for (const [written, content] of earlier) {
      if (content === undefined) rmSync(written, { force: true });
      else writeFileSync(written, content);
    }
    throw error instanceof ServiceError ? error : fileRefusal(`The file ${path} cannot be written`, path, error);
  }
}
