// Opens data files (LMDB environments); the only file that names lmdb. Nothing here may end the process, and LMDB ends it in two ways:
//   DATABASE-1. lmdb-js frees memory twice when LMDB refuses to open. So what LMDB could refuse is checked before, and refused in
//     words.
//   DATABASE-2. LMDB writes to its lock file through a map. A page of it that has no space on the disk yet is a signal when it is first
//     written on a full one, so every page of that file is written before it is mapped. The data file is written with pwrite, which only
//     fails.
//   DATABASE-3. A database that is closed leaves nothing in memory: a run opens one for each of its attempts.
//   DATABASE-4. One that is opened to be read leaves its folder as it is, byte for byte, and takes no right to write there.
import {
  accessSync,
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { endianness, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as lmdb from 'lmdb';
import { ServiceError } from '../contract/errors.js';
import { type DatabaseLook, databaseFault } from './database-check.js';
import { emptyDatabase } from './database-page.js';
import { fileRefusal } from './file-faults.js';
import { fillHoles } from './holes.js';
import { makeFolder } from './make-folder.js';
import { makeMemoryFolder } from './memory-folder.js';
import { tuning } from './tuning.js';

export type Database = lmdb.RootDatabase<Buffer, Buffer>;

/** Of every database that lmdb-js has opened, by the last name of its path; it drops none of them when they are closed. */
const { allDbs: opened } = lmdb as unknown as { allDbs: Map<string, Database> };

export interface DatabaseOptions {
  directory: string;
  /** True: a commit is on the disk when it returns. False: it survives the process, and reaches the disk at `sync`. */
  flushed: boolean;
  /** Default true. False: the leaves of its trees are not checked, because somebody has just done so. */
  leavesChecked?: boolean;
  /** Nothing is made or written, so nobody else may have it open. Default false. */
  readOnly?: boolean;
}

export const dataFileOf = (directory: string): string => join(directory, 'data.mdb');
const lockFileOf = (directory: string): string => join(directory, 'lock.mdb');

/**
 * Makes the folder. Throws control.DATA_DAMAGED, control.STORAGE_FULL, control.UNAVAILABLE (no descriptors left) or control.INVALID_REQUEST
 * (no rights), each with the file and what to do.
 */
export function openDatabase({ directory, flushed, leavesChecked = true, readOnly = false }: DatabaseOptions): Database {
  const [dataFile, lockFile] = [dataFileOf(directory), lockFileOf(directory)];
  if (readOnly) {
    requireWhole(dataFile, { leaves: leavesChecked });
    requireDescriptors(dataFile, 'r');
    return openAside(dataFile);
  }
  makeFolder(directory);
  const isNew = endianness() === 'LE' && placeWhole(dataFile, emptyDatabase);
  if (!placeWhole(lockFile, emptyLockFile)) {
    fillLockFile(lockFile);
    requireRights(lockFile);
  }
  if (!isNew) requireWhole(dataFile, { leaves: leavesChecked });
  requireDescriptors(dataFile, 'r+');
  return openLmdb(directory, { flushed, readOnly });
}

/** LMDB wants a lock file beside each file that it opens: here beside a link to it, in a folder that is gone when this returns. */
function openAside(dataFile: string): Database {
  const aside = makeFolderAside();
  try {
    symlinkSync(resolve(dataFile), dataFileOf(aside));
    placeWhole(lockFileOf(aside), emptyLockFile);
    return openLmdb(aside, { flushed: false, readOnly: true });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

/** In memory if it can be: a full disk keeps nobody from reading. */
function makeFolderAside(): string {
  try {
    return makeMemoryFolder();
  } catch (error) {
    const temporary = tmpdir();
    throw fileRefusal(`Nothing can be written to ${temporary}`, temporary, error);
  }
}

function openLmdb(directory: string, { flushed, readOnly }: Required<Pick<DatabaseOptions, 'flushed' | 'readOnly'>>): Database {
  const database = lmdb.open<Buffer, Buffer>({
    path: directory,
    keyEncoding: 'binary',
    encoding: 'binary',
    cache: false,
    noSubdir: false,
    maxDbs: 1,
    readOnly,
    // Overlapping flushes would let a commit be seen before it is on the disk; here a commit is what it says.
    overlappingSync: false,
    noSync: !flushed,
    mapSize: tuning.mapBytes,
    // Reads hand out copies, no pointer of ours may write into the map, and a full disk is an error instead of a signal.
    useWritemap: false,
    // It would begin each turn's writes with one of its own, whose promise nobody holds: a commit that fails would end the process.
    eventTurnBatching: false,
  });
  forget(database);
  return database;
}

function forget(database: Database): void {
  for (const [name, one] of opened) if (one === database) opened.delete(name);
}

/**
 * Its data file as it is at one moment from now on, without what is free in it, in a folder that is made for it. Commits continue
 * meanwhile. The copy is with the operating system. Rejects as `fileRefusal` says.
 */
export async function copyDatabase(database: Database, directory: string): Promise<void> {
  try {
    mkdirSync(directory);
    await database.backup(directory, true);
  } catch (error) {
    const { message } = error as Error;
    const code = (error as NodeJS.ErrnoException).code ?? copyFaults.find(([words]) => message.includes(words))?.[1] ?? 'EIO';
    throw fileRefusal(`The file ${dataFileOf(directory)} cannot be written`, directory, { code, message });
  }
}
/** lmdb-js passes on what the system says in words, and no code. */
const copyFaults = [
  ['No space left', 'ENOSPC'],
  ['quota exceeded', 'EDQUOT'],
  ['File too large', 'EFBIG'],
  ['Too many open files', 'EMFILE'],
  ['Permission denied', 'EACCES'],
  ['No such file', 'ENOENT'],
  ['File exists', 'EEXIST'],
] as const;

/** Throws control.DATA_DAMAGED for a data file that cannot be a whole database. */
export function requireWhole(file: string, { advice, ...look }: DatabaseLook & { advice?: string }): void {
  let fault: string | undefined;
  try {
    fault = databaseFault(file, look);
  } catch (error) {
    throw fileRefusal(`The database ${file} cannot be read`, file, error);
  }
  if (fault !== undefined) throw dataDamaged(file, fault, advice);
}

export const worldsAdvice = 'Put it back from a backup, or move its folder away and continue without it.';

/** `fault`: "it is empty". `advice`: what to do. */
export function dataDamaged(file: string, fault: string, advice: string = worldsAdvice): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', {
    message: `The file ${file} is damaged: ${fault}. Nothing was changed. ${advice}`,
    details: { path: file, reason: fault },
  });
}

/** The file appears with all its bytes or not at all; false when there was one already. */
function placeWhole(file: string, content: () => Buffer): boolean {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return false;
  const draft = `${file}.${process.pid}.${nextDraft++}.new`;
  try {
    const bytes = content();
    const descriptor = openSync(draft, 'wx', 0o664);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
    } finally {
      closeSync(descriptor);
    }
    return putInPlace(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw fileRefusal(`The file ${file} cannot be made`, file, error);
  }
}
let nextDraft = 0;

/** Never over another's: a thread that comes late must not take the file of one that came first. The draft is gone afterwards. */
function putInPlace(draft: string, file: string): boolean {
  let isPlaced = true;
  try {
    linkSync(draft, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    isPlaced = code !== 'EEXIST';
    // Some file systems have no links.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') {
      renameSync(draft, file);
      return true;
    }
    if (isPlaced) throw error;
  }
  unlinkSync(draft);
  return isPlaced;
}

const emptyLockFile = (): Buffer => Buffer.alloc(tuning.lockFileBytes);

/** One that was copied, or made by another program. */
function fillLockFile(file: string): void {
  const { size, blocks } = statSync(file);
  if (size >= tuning.lockFileBytes && blocks * 512 >= size) return;
  try {
    const descriptor = openSync(file, 'r+');
    try {
      fillHoles(descriptor, Math.max(size, tuning.lockFileBytes));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw fileRefusal(`The file ${file} cannot be written`, file, error);
  }
}

/** Not by opening it: closing a file gives up the locks that this process has on it. */
function requireRights(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw fileRefusal(`The file ${file} cannot be written`, file, error);
  }
}

function requireDescriptors(file: string, how: 'r+' | 'r'): void {
  const opened: number[] = [];
  try {
    while (opened.length < tuning.databaseDescriptors) opened.push(openSync(file, how));
  } catch (error) {
    throw fileRefusal(`The database ${file} cannot be opened`, file, error);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
