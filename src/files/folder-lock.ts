// One process at a time uses a folder. The lock is a file that names its holder; a holder that is gone, however it ended, holds nothing.
// Why: docs/decisions/018.
//   FOLDER-LOCK-1. On one machine a holder is alive when its process is, and is the very process that wrote the file, not a later one of
//     the same id. Of a holder on another machine (a shared volume) only the time of the file tells, which a living holder renews.
// The file appears whole, by a link: who reads it reads a holder.
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { fileRefusal } from './file-faults.js';
import { tuning } from './tuning.js';

interface Holder {
  pid: number;
  host: string;
  /** When the process began, as the system counts it; null where it does not tell. */
  begun: string | null;
  nonce: string;
}
export interface FolderLock {
  release(): void;
}

const fileName = 'in-use.lock';

/** control.STATE_CONFLICT when another process uses the folder, control.INVALID_REQUEST when nothing can be written there. */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, fileName);
  const own: Holder = { pid: process.pid, host: hostname(), begun: beginningOf(process.pid), nonce: randomUUID() };
  const draft = `${file}.${own.nonce}`;
  try {
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw fileRefusal(`Nothing can be written to ${folder}`, folder, error);
  }
  try {
    take(folder, file, draft);
  } finally {
    rmSync(draft, { force: true });
  }
  const renewal = setInterval(() => renew(file), limits.folderLockRenewedMs).unref();
  return {
    release: () => {
      clearInterval(renewal);
      if (holderOf(file)?.nonce === own.nonce) rmSync(file, { force: true });
    },
  };
}

function take(folder: string, file: string, draft: string): void {
  for (let tries = 1; tries <= tuning.lockTriesMax; tries++) {
    if (linked(draft, file)) return;
    const holder = holderOf(file);
    if (holder !== undefined && isAlive(file, holder)) throw inUse(folder, holder);
    setAside(file, holder, draft);
  }
  throw new ServiceError('control.STATE_CONFLICT', { message: `Several processes try to use ${folder} at once. Start one.` });
}

/** The name of a lock that holds no more is freed. Should another process have taken it in this very moment, it is returned. */
function setAside(file: string, stale: Holder | undefined, draft: string): void {
  const aside = `${draft}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (holderOf(aside)?.nonce !== stale?.nonce) linked(aside, file);
  rmSync(aside, { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Undefined when there is none, or none that can be read: a file cut short by a power failure holds nothing. */
function holderOf(file: string): Holder | undefined {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder> | null;
    return typeof read?.pid === 'number' && typeof read.nonce === 'string' ? (read as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(file: string, { pid, host, begun }: Holder): boolean {
  if (host !== hostname()) return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < limits.folderLockStaleMs;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  return begun === null || beginningOf(pid) === begun;
}

/** Linux only: since which tick of which boot. A zombie is a process that has ended, and has none. */
function beginningOf(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which is in parentheses and may hold anything: state, then 18 others, then the tick.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : `${boot} ${fields[19]}`;
  } catch {
    return null;
  }
}

function renew(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // Only another machine reads the time, and it waits for several renewals.
  }
}

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

function inUse(folder: string, { pid, host }: Holder): ServiceError {
  const who = host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
  const wait = host === hostname() ? '' : `, or wait ${limits.folderLockStaleMs / 1000} s if that machine is gone`;
  return new ServiceError('control.STATE_CONFLICT', {
    message: `The folder ${folder} is in use by ${who}. Stop that process${wait}, or name another folder.`,
    details: { path: folder, pid, host },
  });
}
