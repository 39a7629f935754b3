// One process at a time uses a folder. The lock is a file that names its holder; a holder that is gone, however it ended, holds nothing.
// Why: docs/decisions/018.
//   FOLDER-LOCK-1. A holder whose process ids are those of this process (the same boot, the same pid namespace) is alive when its process
//     is, and is the very process that wrote the file, not a later one of the same id. Of any other holder (another machine, another
//     container) only the time of the file tells, which a living holder renews.
//   FOLDER-LOCK-2. Of several that find the same lock stale, one alone may replace it, and the others see the new holder.
//   FOLDER-LOCK-3. Nothing but the lock itself stays in the folder: not of an attempt that failed, nor of one that was cut short.
// The file appears whole, by a link or a rename: who reads it reads a holder.
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isServiceError, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { fileRefusal, hasCode } from './file-faults.js';
import { tuning } from './tuning.js';

interface Holder {
  pid: number;
  host: string;
  /** When the process began, as the system counts it; null where it does not tell. */
  begun: string | null;
  /** In which its pid means it: boot and pid namespace. Null where the system does not tell; earlier versions did not say. */
  ids?: string | null;
  nonce: string;
}
export interface FolderLock {
  release(): void;
}
/** A lock as it was read. */
interface Found {
  /** Of its bytes. */
  digest: string;
  /** Undefined for what names none: a file cut short by a power failure holds nothing. */
  holder: Holder | undefined;
}

const fileName = 'in-use.lock';

/**
 * control.STATE_CONFLICT when another process uses the folder, control.INVALID_REQUEST when nothing can be written there. `gone`: the nonce
 * of a holder that was seen not to renew its lock.
 */
export function lockFolder(folder: string, gone?: string): FolderLock {
  const file = join(folder, fileName);
  const own: Holder = { pid: process.pid, host: hostname(), begun: beginningOf(process.pid), ids: ownIds(), nonce: randomUUID() };
  const draft = `${file}.${own.nonce}`;
  try {
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    take(folder, file, { draft, gone });
    if (find(file)?.holder?.nonce !== own.nonce) throw severalAtOnce(folder);
  } catch (error) {
    throw error instanceof ServiceError ? error : fileRefusal(`Nothing can be written to ${folder}`, folder, error);
  } finally {
    rmSync(draft, { force: true });
  }
  sweep(folder);
  const isOwn = (): boolean => find(file)?.holder?.nonce === own.nonce;
  const renewal = setInterval(() => renew(file, isOwn), limits.folderLockRenewedMs).unref();
  return {
    release: () => {
      clearInterval(renewal);
      if (isOwn()) rmSync(file, { force: true });
    },
  };
}

/** As lockFolder, for who only reads: where nothing can be written there is no lock, and one that is held there counts all the same. */
export function lockFolderToRead(folder: string): FolderLock {
  try {
    return lockFolder(folder);
  } catch (error) {
    if (!isServiceError(error, 'control.INVALID_REQUEST') || !unwritable.has(error.extra.details?.reason)) throw error;
    // Others may see the same folder where it can be written.
    const file = join(folder, fileName);
    const holder = find(file)?.holder;
    if (holder !== undefined && isAlive(file, holder)) throw inUse(folder, holder);
    return { release: () => {} };
  }
}
/** The file system is read-only, or the folder is somebody else's. */
const unwritable: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);

/**
 * As lockFolder, but where only time tells of the holder, as of a container that was just killed: waits until that one renews it, or is
 * gone. One that did not renew it for so long is, also where its time lies ahead because a clock was set back.
 */
export async function lockFolderOnceFree(folder: string): Promise<FolderLock> {
  const file = join(folder, fileName);
  const before = find(file)?.holder;
  const renewedAtMs = timeOf(file);
  for (let waitedMs = 0; ; waitedMs += tuning.lockLookMs) {
    const isOver = waitedMs >= limits.folderLockStaleMs;
    try {
      return lockFolder(folder, isOver && timeOf(file) === renewedAtMs ? before?.nonce : undefined);
    } catch (error) {
      const isWorthIt = before !== undefined && !isKnownHere(before) && timeOf(file) === renewedAtMs && !isOver;
      if (!isServiceError(error, 'control.STATE_CONFLICT') || !isWorthIt) throw error;
    }
    await delay(tuning.lockLookMs);
  }
}

function take(folder: string, file: string, { draft, gone }: { draft: string; gone: string | undefined }): void {
  for (let tries = 1; tries <= tuning.lockTriesMax; tries++) {
    if (linked(draft, file)) return;
    const found = find(file);
    if (found === undefined) continue;
    const { holder } = found;
    if (holder !== undefined && holder.nonce !== gone && isAlive(file, holder)) throw inUse(folder, holder);
    if (replaced(file, draft, found)) return;
  }
  throw severalAtOnce(folder);
}

/**
 * Who may replace a stale lock is the one whose draft gets the name that is made of that lock. One that died with that name is itself what
 * the next name is made of. Nobody removes such a name before the lock is another, so nobody replaces a lock that is another by then.
 */
function replaced(file: string, draft: string, stale: Found): boolean {
  const names: string[] = [];
  for (let last = stale; names.length < tuning.lockTriesMax; ) {
    const name = `${file}.after-${last.digest}`;
    names.push(name);
    if (linked(draft, name)) {
      const isStill = find(file)?.digest === stale.digest;
      if (isStill) renameSync(draft, file);
      for (const one of isStill ? names : [name]) rmSync(one, { force: true });
      return isStill;
    }
    const found = find(name);
    if (found === undefined || (found.holder !== undefined && isAlive(name, found.holder))) return false;
    last = found;
  }
  return false;
}

/** Removes what was cut short. What is in use is younger. */
function sweep(folder: string): void {
  try {
    const drafts = readdirSync(folder).filter((name) => name.startsWith(`${fileName}.`));
    for (const file of drafts.map((name) => join(folder, name)))
      if (Date.now() - timeOf(file) > limits.folderLockStaleMs) rmSync(file, { force: true });
  } catch {
    // The folder is locked all the same.
  }
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

/** Undefined when there is none. */
function find(file: string): Found | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    // A link that leads nowhere is there, and names nobody.
    if (hasCode(error, 'ENOENT') && lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    if (!hasCode(error, 'ENOENT')) throw fileRefusal(`The lock ${file} cannot be read`, file, error);
    bytes = Buffer.alloc(0);
  }
  return { digest: createHash('sha256').update(bytes).digest('hex').slice(0, digestLength), holder: holderIn(bytes.toString()) };
}
const digestLength = 32;

function holderIn(text: string): Holder | undefined {
  try {
    const read = JSON.parse(text) as Partial<Holder> | null;
    const { pid, host, nonce } = read ?? {};
    // The system knows no such process, or means several by it.
    const isPid = Number.isInteger(pid) && (pid as number) > 0 && (pid as number) <= 0x7fffffff;
    return isPid && typeof host === 'string' && typeof nonce === 'string' ? (read as Holder) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(file: string, holder: Holder): boolean {
  const { pid, begun } = holder;
  const isRecent = Date.now() - timeOf(file) < limits.folderLockStaleMs;
  if (!isKnownHere(holder)) return isRecent;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
  }
  return (begun ?? null) === null || beginningOf(pid) === begun;
}

/** Whether its pid is one of those that this process sees. An earlier version did not say; its process may be in another namespace. */
function isKnownHere({ pid, host, begun, ids }: Holder): boolean {
  const own = ownIds();
  if (typeof ids === 'string' && own !== null) return ids === own;
  if (host !== hostname()) return false;
  return own === null || (begun ?? null) === null || beginningOf(pid) === begun;
}

/** Linux only: which boot, and which namespace of pids. Containers share the one and not the other. */
function ownIds(): string | null {
  try {
    return `${bootId()} ${statSync('/proc/self/ns/pid').ino}`;
  } catch {
    return null;
  }
}
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** Linux only: since which tick of which boot. A zombie is a process that has ended, and has none. */
function beginningOf(pid: number): string | null {
  try {
    const boot = bootId();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which is in parentheses and may hold anything: state, then 18 others, then the tick.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : `${boot} ${fields[19]}`;
  } catch {
    return null;
  }
}

/** 0 where there is no such file. */
function timeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function renew(file: string, isOwn: () => boolean): void {
  const now = new Date();
  try {
    if (isOwn()) utimesSync(file, now, now);
  } catch {
    // Only who does not see this process reads the time, and it waits for several renewals.
  }
}

function severalAtOnce(folder: string): ServiceError {
  return new ServiceError('control.STATE_CONFLICT', { message: `Several processes try to use ${folder} at once. Start one.` });
}

function inUse(folder: string, holder: Holder): ServiceError {
  const { pid, host } = holder;
  const isHere = isKnownHere(holder);
  const elsewhere = host === hostname() ? `of another container of ${host}` : `on ${host}`;
  const who = isHere ? `process ${pid}` : `process ${pid} ${elsewhere}`;
  const wait = isHere ? '' : `, or wait ${limits.folderLockStaleMs / 1000} s if it is gone`;
  return new ServiceError('control.STATE_CONFLICT', {
    message: `The folder ${folder} is in use by ${who}. Stop that process${wait}, or name another folder.`,
    details: { path: folder, pid, host },
  });
}
