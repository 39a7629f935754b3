// Opens files of folders that may come from anywhere, to read.
//   PLAIN-FILE-1. Only a plain file is opened: through no link in the place of its name, and without waiting for the writer of a pipe.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** To read what lies under the name itself, at once. Windows has neither of the last two, and no pipes in folders. */
export const plainFlags: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export async function openPlain(path: string): Promise<FileHandle> {
  const file = await open(path, plainFlags);
  try {
    requirePlain(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The descriptor. */
export function openPlainSync(path: string): number {
  const descriptor = openSync(path, plainFlags);
  try {
    requirePlain(path, fstatSync(descriptor));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Undefined where it is larger than `bytesMax`. */
export function readPlainSync(path: string, bytesMax: number): Buffer | undefined {
  const descriptor = openPlainSync(path);
  try {
    return fstatSync(descriptor).size > bytesMax ? undefined : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function requirePlain(path: string, found: { isFile(): boolean }): void {
  if (!found.isFile()) throw Object.assign(new Error(`${path} is no plain file`), { code: 'ENOTSUP' });
}
