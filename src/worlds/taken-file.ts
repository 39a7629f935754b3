// Takes a file out of a folder that a host can write to: what lies there under its name may be anything.
//   TAKEN-FILE-1. What is taken is a plain file of one name, whatever a host puts in its place: no link is followed.
import type { Stats } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '../contract/errors.js';
import { fileRefusal } from '../files/file-faults.js';
import { flushFile, flushFolder } from '../files/flushed-copy.js';
import { plainFlags } from '../files/plain-file.js';

/** The folder of `to` is made. What was taken is on the disk. */
export function takeFile(from: string, to: string): Promise<void> {
  return placed(to, async () => {
    await rename(from, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error;
      return copyPlainFile(from, to).then(() => rm(from, { force: true }));
    });
    // A link that was moved leads on from here, so it is looked at before anything opens it.
    if (!(await isPlainFile(to))) throw foreign();
    await flushFile(to);
  });
}

/** As `takeFile`; the other stays. */
export const takeCopy = (from: string, to: string): Promise<void> => placed(to, () => copyPlainFile(from, to));

/** No folder, link or pipe, and of one name. */
export async function isPlainFile(path: string): Promise<boolean> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return found !== undefined && isPlain(found);
}
const isPlain = (found: Stats): boolean => found.isFile() && found.nlink === 1;
const foreign = (): Error => new Error('a host gave something else than a file');

async function placed(to: string, place: () => Promise<void>): Promise<void> {
  try {
    await mkdir(dirname(to));
    await place();
    await flushFolder(dirname(to));
  } catch (error) {
    await rm(to, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new ServiceError('world.ACTOR_RESTARTED', { message: 'The host ended before its copy was taken.' });
    throw code === undefined ? error : fileRefusal(`The file ${to} cannot be written`, to, error);
  }
}

/**
 * A new file, on the disk, of the bytes that are there now: a host that still has the other open can change it, and not this one. `to` is
 * in a folder that no host can write to, and is not there.
 */
export async function copyPlainFile(from: string, to: string): Promise<void> {
  const source = await open(from, plainFlags);
  try {
    const found = await source.stat();
    if (!isPlain(found)) throw foreign();
    const target = await open(to, 'wx', 0o600);
    if (found.size === 0) await target.close();
    else await pipeline(source.createReadStream({ autoClose: false, end: found.size - 1 }), target.createWriteStream());
    await flushFile(to);
  } finally {
    await source.close();
  }
}
