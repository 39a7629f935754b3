// A data directory made from a backup of a service.
//   RESTORE-DATA-1. The data directory has its name when it is whole and on the disk, and each file is the one that was backed up.
//   RESTORE-DATA-2. What is there already is never touched: the data directory is missing or empty before.
import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { chmod, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import { copyFlushed, flushFolder } from '../files/flushed-copy.js';
import { makeFolder } from '../files/make-folder.js';
import { inDraft, makeDraft } from './backup-folder.js';
import { type BackupManifest, backupFault, backupFiles, damagedBackup, readManifest } from './backup-manifest.js';
import { keyFileName } from './catalog/key-file.js';
import { operatorTokenFile } from './catalog/settings.js';
import { requireReadableFormat } from './format-steps.js';
import { restoringFolder } from './unfinished-mark.js';

export interface RestoreData {
  from: string;
  dataDirectory: string;
}

/**
 * control.INVALID_REQUEST for a place that cannot be one, control.STATE_CONFLICT for a directory that is not empty and for a backup of a
 * cluster or of a later format.
 */
export async function restoreData({ from: named, dataDirectory }: RestoreData): Promise<BackupManifest> {
  const [from, to] = [resolve(named), placeOf(resolve(dataDirectory))];
  const manifest = readManifest(from);
  if (manifest.kind !== 'service') {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `The backup ${from} is of a cluster. Restore it into an empty database: --cluster names it.`,
    });
  }
  requireReadableFormat(manifest.dataFormat, `The backup ${from}`);
  requireEmpty(to);
  makeFolder(dirname(to));
  const draft = makeDraft(restoringFolder(to), to);
  await inDraft(draft, to, async () => {
    const folders = new Set([draft]);
    for await (const file of backupFiles(from, manifest)) {
      const target = join(draft, file.path);
      for (let folder = dirname(target); folder.length > draft.length; folder = dirname(folder)) folders.add(folder);
      makeFolder(dirname(target));
      await copyFlushed(join(from, file.path), target).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? damagedBackup(from, `${file.path} is missing`, error) : error;
      });
      const fault = await backupFault(draft, file);
      if (fault !== undefined) throw damagedBackup(from, `of ${file.path}, ${fault}`);
    }
    for (const name of [keyFileName, operatorTokenFile]) if (existsSync(join(draft, name))) await chmod(join(draft, name), 0o600);
    for (const folder of folders) await flushFolder(folder);
    // Nobody came in between.
    if (existsSync(to) && (await readdir(to)).length > 0) requireEmpty(to);
  });
  return manifest;
}

/** Where a link leads. control.INVALID_REQUEST for one that leads nowhere. */
function placeOf(to: string): string {
  if (existsSync(to)) return realpathSync(to);
  if (lstatSync(to, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return to;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: `The data directory ${to} is a link that leads nowhere. Make the folder it names, or name another.`,
    details: { path: to },
  });
}

function requireEmpty(to: string): void {
  if (!existsSync(to) || (statSync(to).isDirectory() && readdirSync(to).length === 0)) return;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: `The data directory ${to} is not empty. Name another, or move it away: what is in it is not replaced.`,
    details: { path: to },
  });
}
