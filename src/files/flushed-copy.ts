// Copies that are on the disk when they are reported, for who must not lose the original before.
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileRefusal, hasCode } from './file-faults.js';
import { flush } from './flush.js';

/** Where the file system can, both share their bytes until one is changed. Yields how many bytes it has. */
export async function copyFlushed(from: string, to: string): Promise<number> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return await flushFile(to);
  } catch (error) {
    throw copyRefusal(to, error);
  }
}

/** With all below it; what is neither a file nor a folder is left out. `copied`: after each file. `signal` ends it between two files. */
export async function copyFolderFlushed(
  from: string,
  to: string,
  { copied, signal }: { copied(bytes: number): void; signal: AbortSignal },
): Promise<void> {
  await mkdir(to).catch((error) => {
    throw copyRefusal(to, error);
  });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    signal.throwIfAborted();
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolderFlushed(source, target, { copied, signal });
    else if (entry.isFile()) copied(await copyFlushed(source, target));
  }
  await flushFolder(to);
}

/** Yields how many bytes it has. */
export async function flushFile(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    await flush(file);
  } finally {
    await file.close();
  }
  return (await lstat(path)).size;
}

/** The names in it. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await flush(folder);
  } finally {
    await folder.close();
  }
}

/** control.STORAGE_FULL for a full disk; what is missing keeps its code. */
function copyRefusal(path: string, error: unknown): unknown {
  return hasCode(error, 'ENOENT') ? error : fileRefusal(`The file ${path} cannot be written`, path, error);
}
