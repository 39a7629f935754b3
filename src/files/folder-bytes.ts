// How many bytes the files of a folder have, with all below it. Links are not followed.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath ?? entry.path, entry.name))).size;
  }
  return bytes;
}
