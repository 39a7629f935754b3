// A disk of a few megabytes to fill: a tmpfs, or an ext4 in a file. It takes root; a test without that is skipped, and says so.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** What is filled by writing. */
const lastBytes = 1024 * 1024;

export type DiskKind = 'tmpfs' | 'ext4';
export interface SmallDisk {
  /** Where it is mounted. */
  path: string;
  freeBytes(): number;
  /** Takes all of its space but so much; again with less frees some. */
  leave(bytes: number): void;
  /** Frees what `leave` took. */
  empty(): void;
  /** From now on nothing can be written; false: again it can. */
  makeReadOnly(is?: boolean): void;
}

/** Undefined: it could not be mounted, and the test is skipped. It is unmounted after the test. `folder`: where an ext4 has its file. */
export function smallDisk(
  context: TestContext,
  { kind, megabytes, folder = tmpdir() }: { kind: DiskKind; megabytes: number; folder?: string },
): SmallDisk | undefined {
  const scratch = mkdtempSync(join(folder, 'drillyard-disk-'));
  const path = join(scratch, 'disk');
  mkdirSync(path);
  const fault = kind === 'tmpfs' ? mountTmpfs(path, megabytes) : mountExt4(path, join(scratch, 'image'), megabytes);
  context.after(() => {
    if (fault === undefined) execFileSync('umount', ['-l', path]);
    rmSync(scratch, { recursive: true, force: true });
  });
  if (fault !== undefined) {
    context.skip(`cannot mount a ${kind} (it takes root): ${fault}`);
    return undefined;
  }
  const ballast = join(path, 'ballast');
  const freeBytes = (): number => statfsSync(path).bavail * statfsSync(path).bsize;
  const empty = (): void => rmSync(ballast, { force: true });
  const leave = (bytes: number): void => {
    empty();
    fill(ballast, () => freeBytes() - bytes);
  };
  const makeReadOnly = (is = true): void => void execFileSync('mount', ['-o', `remount,${is ? 'ro' : 'rw'}`, path]);
  return { path, freeBytes, empty, leave, makeReadOnly };
}

function mountTmpfs(path: string, megabytes: number): string | undefined {
  return faultOf('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
}

function mountExt4(path: string, image: string, megabytes: number): string | undefined {
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  // No space kept for root: what is full is full.
  return faultOf('mkfs.ext4', ['-q', '-m', '0', image]) ?? faultOf('mount', ['-o', 'loop', image, path]);
}

function faultOf(command: string, args: string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/**
 * Most of it in one call that writes nothing, since the processes of a test stand still meanwhile. Then in small pieces, as a disk takes
 * less than it says it has: until it says it is full, or enough is taken.
 */
function fill(file: string, left: () => number): void {
  const atOnceBytes = Math.floor(left() - lastBytes);
  if (atOnceBytes > 0) spawnSync('fallocate', ['--length', String(atOnceBytes), file], { stdio: 'ignore' });
  const descriptor = openSync(file, 'a');
  try {
    for (let bytes = left(); bytes > 0; bytes = left()) writeSync(descriptor, Buffer.alloc(Math.min(bytes, 64 * 1024), 7));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
}
