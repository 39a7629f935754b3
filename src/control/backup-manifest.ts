// What a backup says of itself: of which service and format it is, and each of its files with its digest.
//   BACKUP-MANIFEST-1. A file of a backup that is missing, cut short or another than it was when the backup was made is found before it is
//     believed; so is a list that does not belong to the backup, and a manifest of which a word or a figure is another.
//   BACKUP-MANIFEST-2. A service starts on the folder of a backup only where every file is the one that was backed up.
// backup.json: BackupManifest. backup-files.jsonl: a BackupFile a line, in the order of their paths.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { isServiceError, ServiceError } from '../contract/errors.js';
import { digestOfFile } from '../files/file-digest.js';
import { hasCode } from '../files/file-faults.js';
import { flush } from '../files/flush.js';
import { flushFolder } from '../files/flushed-copy.js';
import { requireFinished, unfinishedMark } from './unfinished-mark.js';

export const manifestName = 'backup.json';
const fileListName = 'backup-files.jsonl';
/** Of LMDB and of who reads the folder: they come with each look. */
const passing = new Set(['lock.mdb', 'in-use.lock']);

export interface BackupManifest {
  /** Of the manifest and of what lies where in the backup. */
  backupVersion: 1;
  /** `service`: the data directory of a service. `cluster`: what the log of a cluster had at one position. */
  kind: 'service' | 'cluster';
  /** Of the data (data-format.ts). */
  dataFormat: number;
  madeAtMs: number;
  files: number;
  bytes: number;
  /** SHA-256 of the list of files, in hexadecimal. */
  filesDigest: string;
  cluster?: ClusterPosition;
  /** SHA-256 of all of the above (digestOfWords). Early backups have none. */
  digest?: string;
}
/** Of a cluster: everything of each home up to its sequence, as it all was at one moment of the log. */
export interface ClusterPosition {
  clusterId: string;
  /** Besides home 0. */
  homes: number;
  keyFingerprint: string;
  /** Of records and of the wire between nodes. */
  format: number;
  /** Of the homes that have anything. */
  position: HomePosition[];
}
export interface HomePosition {
  home: number;
  sequence: number;
  streams: { stream: string; number: number; nonce: string }[];
}
export interface BackupFile {
  path: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** The last files of a backup: all others are there, and flushed. */
export async function writeManifest(
  folder: string,
  about: Pick<BackupManifest, 'kind' | 'dataFormat' | 'madeAtMs' | 'cluster'>,
  signal?: AbortSignal,
): Promise<BackupManifest> {
  const hash = createHash('sha256');
  let [files, bytes] = [0, 0];
  const list = await open(join(folder, fileListName), 'wx', 0o600);
  try {
    for (const path of await filesBelow(folder)) {
      signal?.throwIfAborted();
      const file = await lookAt(folder, path);
      const line = `${JSON.stringify(file)}\n`;
      hash.update(line);
      await list.write(line);
      files += 1;
      bytes += file.bytes;
    }
    await flush(list);
  } finally {
    await list.close();
  }
  const words: BackupManifest = { backupVersion: 1, ...about, files, bytes, filesDigest: hash.digest('hex') };
  const manifest = { ...words, digest: digestOfWords(words) };
  const written = await open(join(folder, manifestName), 'wx', 0o600);
  try {
    await written.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await flush(written);
  } finally {
    await written.close();
  }
  await flushFolder(folder);
  return manifest;
}

export const isBackup = (folder: string): boolean => existsSync(join(folder, manifestName));

/**
 * control.INVALID_REQUEST where there is no backup, control.DATA_DAMAGED for one that was not finished, control.STATE_CONFLICT for a
 * version that this one does not read.
 */
export function readManifest(folder: string): BackupManifest {
  requireFinished(folder);
  if (!isBackup(folder)) {
    throw new ServiceError('control.INVALID_REQUEST', {
      message: `${folder} is no backup: it has no ${manifestName}. One that an earlier version made is put in its place as a folder.`,
    });
  }
  let manifest: BackupManifest;
  try {
    manifest = (JSON.parse(readFileSync(join(folder, manifestName), 'utf8')) ?? {}) as BackupManifest;
  } catch (cause) {
    throw damagedBackup(folder, `${manifestName} is no JSON`, cause);
  }
  const { backupVersion, kind, dataFormat, files, bytes, filesDigest, cluster } = manifest;
  if (Number.isSafeInteger(backupVersion) && backupVersion > 1) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `The backup ${folder} is of version ${backupVersion}; this one reads version 1. Restore it with the version of Drillyard that made it.`,
    });
  }
  const isOne =
    backupVersion === 1 &&
    [dataFormat, files, bytes].every(Number.isSafeInteger) &&
    /^[0-9a-f]{64}$/.test(filesDigest) &&
    (kind === 'service' || (kind === 'cluster' && isPosition(cluster?.position)));
  if (!isOne) throw damagedBackup(folder, `${manifestName} is none of a backup`);
  requireOwnWords(folder, manifest);
  return manifest;
}

/** In the order in which they stand there. */
function digestOfWords({ digest: _, ...words }: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}

const earlyMembers = new Set(['backupVersion', 'kind', 'dataFormat', 'madeAtMs', 'files', 'bytes', 'filesDigest', 'cluster']);
/** An early one has no digest, and no member besides: else the name of the digest would be what was changed. */
function requireOwnWords(folder: string, manifest: BackupManifest): void {
  const { digest } = manifest;
  const isOwn = digest === undefined ? Object.keys(manifest).every((name) => earlyMembers.has(name)) : digest === digestOfWords(manifest);
  if (!isOwn) throw damagedBackup(folder, `${manifestName} is not as it was written`);
}

/** What it says is compared with the files by stream-files.ts. */
function isPosition(position: HomePosition[] | undefined): boolean {
  const isStream = (one: HomePosition['streams'][number] | null): boolean =>
    typeof one?.stream === 'string' && Number.isSafeInteger(one.number) && typeof one.nonce === 'string';
  const isHome = (one: HomePosition | null): boolean =>
    [one?.home, one?.sequence].every(Number.isSafeInteger) && Array.isArray(one?.streams) && one.streams.every(isStream);
  return Array.isArray(position) && position.every(isHome);
}

/** Those of the list, in order. control.DATA_DAMAGED, at its end at the latest, for a list that is not the manifest's. */
export async function* backupFiles(folder: string, { files, filesDigest }: BackupManifest): AsyncGenerator<BackupFile> {
  const hash = createHash('sha256');
  let count = 0;
  const source = createReadStream(join(folder, fileListName));
  try {
    for await (const line of createInterface({ input: source, crlfDelay: Infinity })) {
      hash.update(`${line}\n`);
      count += 1;
      yield readFile(folder, line);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw damagedBackup(folder, `${fileListName} is missing`, error);
    throw error;
  } finally {
    source.destroy();
  }
  if (count !== files || hash.digest('hex') !== filesDigest)
    throw damagedBackup(folder, `${fileListName} is not the list of ${manifestName}`);
}

/** What is wrong with one, as "it is missing"; undefined where it is as it was. */
export async function backupFault(folder: string, { path, bytes, sha256 }: BackupFile): Promise<string | undefined> {
  try {
    const found = await digestOfFile(join(folder, path));
    if (found.bytes !== bytes) return `it has ${found.bytes} bytes, not ${bytes}`;
    return found.sha256 === sha256 ? undefined : 'its bytes are not those of the backup';
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'it is missing' : `it cannot be read (${code ?? message})`;
  }
}

export function damagedBackup(folder: string, reason: string, cause?: unknown): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', {
    message: `The backup ${folder} is damaged: ${reason}. Nothing was changed. Take another.`,
    details: { path: folder, reason },
    cause,
  });
}

/** The paths of all files, each as it was backed up; else control.DATA_DAMAGED. */
export async function requireWholeFiles(folder: string, manifest: BackupManifest): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of backupFiles(folder, manifest)) {
    const fault = await backupFault(folder, file);
    if (fault !== undefined) throw damagedBackup(folder, `of ${file.path}, ${fault}`);
    paths.push(file.path);
  }
  return paths;
}

/**
 * Before a service starts on the folder itself, where it is a backup. control.DATA_DAMAGED where a file is another than it was: the start
 * would drop the digests, and nobody could find that later.
 */
export async function requireWholeBackup(folder: string): Promise<void> {
  if (!isBackup(folder)) return;
  try {
    await requireWholeFiles(folder, readManifest(folder));
  } catch (error) {
    if (!isServiceError(error, 'control.DATA_DAMAGED')) throw error;
    const message = `${error.message} To start on it as it is, remove its ${manifestName}.`;
    throw new ServiceError('control.DATA_DAMAGED', { ...error.extra, message });
  }
}

/** A service starts on the folder itself: from now on it is a data directory. */
export async function leaveBackup(folder: string): Promise<void> {
  if (!isBackup(folder)) return;
  await rm(join(folder, manifestName));
  await rm(join(folder, fileListName), { force: true });
  await flushFolder(folder);
}

function readFile(folder: string, line: string): BackupFile {
  try {
    const file = JSON.parse(line) as BackupFile;
    const { path, bytes, sha256 } = file;
    const isInside = path !== '' && !path.startsWith('/') && !path.startsWith('..') && normalize(path) === path;
    if (isInside && Number.isSafeInteger(bytes) && /^[0-9a-f]{64}$/.test(sha256)) return file;
  } catch {
    // It is said below.
  }
  throw damagedBackup(folder, `${fileListName} has a line that is of no file`);
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !passing.has(entry.name))
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
    .filter((path) => ![manifestName, fileListName, unfinishedMark].includes(path))
    .sort();
}

async function lookAt(folder: string, path: string): Promise<BackupFile> {
  return { path, ...(await digestOfFile(join(folder, path))) };
}
