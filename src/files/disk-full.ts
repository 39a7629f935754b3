// Whether an error says that the disk is full: the system, LMDB and lmdb-js each say it in their own way.
import { statfsSync } from 'node:fs';

/** Names and numbers of ENOSPC and EDQUOT, and LMDB's own number for a map that cannot grow. */
const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT', 28, 122, -30792]);
/** EIO is what LMDB says where a write was cut short, as the last one on a full disk is: then there is less than this left. */
const cutShort = 5;
const freeBytesMin = 4 * 1024 * 1024;

export function isDiskFull(error: unknown, directory: string): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return fullCodes.has(code) || (code === cutShort && freeBytes(directory) < freeBytesMin);
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
