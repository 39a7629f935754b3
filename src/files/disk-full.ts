// When a disk is full: by what the system, LMDB and lmdb-js say of a write, each in its own way, and by how little is left of it.
// The last piece of a disk is not for new work: what ends work, frees space or reports it needs some.
import { statfsSync } from 'node:fs';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { diskFullCodes } from './file-faults.js';
import { tuning } from './tuning.js';

/** The names of a full disk's errors, the numbers of ENOSPC, EDQUOT and EFBIG, and LMDB's own number for a map that cannot grow. */
const fullCodes = new Set<unknown>([...diskFullCodes, 28, 122, 27, -30792]);
/** EIO is what LMDB says where a write was cut short, as the last one on a full disk is: then there is less than this left. */
const cutShort = 5;

export interface DiskSpace {
  freeBytes: number;
  /** Of these, what new work may not use: limits.diskKeptBytes, of a small disk limits.diskKeptShare. */
  keptBytes: number;
}

export function diskSpace(directory: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(directory);
  return { freeBytes: bavail * bsize, keptBytes: Math.min(limits.diskKeptBytes, Math.floor(blocks * bsize * limits.diskKeptShare)) };
}

export function isDiskFull(error: unknown, directory: string): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return fullCodes.has(code) || (code === cutShort && diskSpace(directory).freeBytes < tuning.cutShortFreeBytesMax);
}

export interface SpaceSeen {
  freeBytes: number;
  /** Why the disk takes nothing new. */
  short: ServiceError | undefined;
}
export function seeSpace(directory: string): SpaceSeen {
  const { freeBytes, keptBytes } = diskSpace(directory);
  return { freeBytes, short: freeBytes > keptBytes ? undefined : diskFull() };
}

export interface SpaceWatch {
  /** No as soon as the disk is short, yes again when twice what is kept is free, so that the answer does not change with each write. */
  hasSpace(): boolean;
  /** Whether an error is for lack of space: as the system says it, or as this project does. */
  isShortage(error: unknown): boolean;
}

export function watchSpace(directory: string): SpaceWatch {
  let hasSpace = true;
  return {
    hasSpace: () => {
      const { freeBytes, keptBytes } = diskSpace(directory);
      hasSpace = freeBytes > keptBytes * (hasSpace ? 1 : 2);
      return hasSpace;
    },
    isShortage: (error) => (error instanceof ServiceError && error.code === 'control.STORAGE_FULL') || isDiskFull(error, directory),
  };
}

/** It goes to tenants, too: where the disk is, is said by those who tell its owner. */
export function diskFull(cause?: unknown): ServiceError {
  return new ServiceError('control.STORAGE_FULL', {
    message: 'The disk is full; nothing was changed.',
    retryAfterMs: limits.diskFullRetryAfterMs,
    ...defined({ cause }),
  });
}
