// Takes a file out of a folder that a host can write to: what lies there under its name may be anything.
//   TAKEN-FILE-1. What is taken is a plain file of one name, whatever a host puts in its place: no link is followed.
//   TAKEN-FILE-2. A copy takes no more of the disk than the file does: holes stay holes, and a file of little else is refused.
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { fileRefusal } from '../files/file-faults.js';
import { flush } from '../files/flush.js';
import { flushFile, flushFolder } from '../files/flushed-copy.js';
import { takenBytes } from '../files/folder-bytes.js';
import { plainFlags } from '../files/plain-file.js';
import { tuning } from './tuning.js';

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
    if (!isPlain(found) || isHollow(found)) throw foreign();
    const target = await open(to, 'wx', 0o600);
    try {
      await copyBytes(source, target, found.size);
      await flush(target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** More than a file system saves by compression: to read so many holes would only take time. */
const isHollow = (found: Stats): boolean => found.size > tuning.sparseBytesMax + tuning.sparseTimesMax * takenBytes(found);

async function copyBytes(source: FileHandle, target: FileHandle, size: number): Promise<void> {
  const piece = Buffer.alloc(tuning.copiedPieceBytes);
  const nothing = Buffer.alloc(piece.length);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await source.read(piece, 0, Math.min(piece.length, size - at), at);
    if (bytesRead === 0) break;
    const read = piece.subarray(0, bytesRead);
    if (!read.equals(nothing.subarray(0, bytesRead))) await writeWhole(target, read, at);
    at += bytesRead;
  }
  await target.truncate(size);
}

async function writeWhole(target: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await target.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
