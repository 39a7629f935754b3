// How many bytes the files of a folder have, with all below it. Links are not followed.
import type { Stats } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface FolderBytesOptions {
  /** What there is beyond so many files and folders is not counted. Default: all is. */
  entriesMax?: number;
  /** What foreign code may have made: a file has what it takes of the disk, and what cannot be looked at has nothing. */
  isForeign?: boolean;
  /** Aborting ends it; what was counted by then is the answer. */
  signal?: AbortSignal;
}

/** Rejects where there is no such folder. What goes while it is counted has no bytes. */
export async function folderBytes(
  folder: string,
  { entriesMax = Number.POSITIVE_INFINITY, isForeign = false, signal }: FolderBytesOptions = {},
): Promise<number> {
  const passOver = isForeign ? () => undefined : absent;
  const bytesOf = isForeign ? takenBytes : ({ size }: Stats): number => size;
  let bytes = 0;
  let entries = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const listing = next === folder ? await opendir(next) : await opendir(next).catch(passOver);
    if (listing === undefined) continue;
    for await (const entry of listing) {
      if (signal?.aborted === true || ++entries > entriesMax) return bytes;
      const path = join(next, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) {
        const found = await stat(path).catch(passOver);
        bytes += found === undefined ? 0 : bytesOf(found);
      }
    }
  }
  return bytes;
}

/** What a file takes of the disk: one with holes has a size of any number of bytes. */
export const takenBytes = ({ size, blocks }: Stats): number => Math.min(size, blocks * 512);

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
