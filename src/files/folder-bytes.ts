// How many bytes the files of a folder have, with all below it. Links are not followed.
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderBytesOptions {
  /** What there is beyond so many files and folders is not counted. Default: all is. */
  entriesMax?: number;
  /** Aborting ends it; what was counted by then is the answer. */
  signal?: AbortSignal;
}

/** Rejects where there is no such folder. What goes while it is counted has no bytes. */
export async function folderBytes(
  folder: string,
  { entriesMax = Number.POSITIVE_INFINITY, signal }: FolderBytesOptions = {},
): Promise<number> {
  let bytes = 0;
  let entries = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const listing = next === folder ? await opendir(next) : await opendir(next).catch(absent);
    if (listing === undefined) continue;
    for await (const entry of listing) {
      if (signal?.aborted === true || ++entries > entriesMax) return bytes;
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) bytes += (await stat(path).catch(absent))?.size ?? 0;
    }
  }
  return bytes;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
