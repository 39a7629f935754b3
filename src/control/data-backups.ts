// Backups: copies of the data directory that are made while the service works, and from which another one starts. Why:
// docs/decisions/019.
//   DATA-BACKUPS-1. What the copied catalog names is in the copy: the catalog is copied first, and nothing that it names goes before it is
//     copied, too (memory/removals.ts). What was acknowledged before the backup began is in the copied catalog or world.
//   DATA-BACKUPS-2. The folder has its name when it is whole and on the disk. Until then it has another, and a backup that fails removes
//     it.
//   DATA-BACKUPS-3. One is made at a time.
import { mkdirSync, readdirSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backoffMs, retry } from '../async/retry.js';
import { unlessAborted } from '../async/unless-aborted.js';
import { defined } from '../contract/defined.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { Backup } from '../contract/hosted/operator.js';
import { limits } from '../contract/limits.js';
import { isStoredDamage } from '../contract/stored-damage.js';
import { flushFolder } from '../files/flushed-copy.js';
import { folderBytes } from '../files/folder-bytes.js';
import { beginBackup, inDraft, requireSpace } from './backup-folder.js';
import { writeManifest } from './backup-manifest.js';
import { projectTable } from './catalog/organization-records.js';
import { everyRecord, type View } from './catalog/tables.js';
import type { Backups, ServicePorts } from './core/services.js';
import { operationBackoff } from './core/with-retry.js';
import { copyBlobs, copyBundles, copyCatalog, copyKeys, liveSessionsOf } from './data-copy.js';
import { catalogAdvice, worldsFolder } from './data-folder.js';
import { dataFormat } from './data-format.js';
import type { Removals } from './memory/removals.js';
import { projectFolder } from './sessions/project-worlds.js';

type Needs = Pick<ServicePorts, 'catalog' | 'worlds' | 'blobs' | 'settings' | 'nowMs' | 'log'> & { removals: Removals };

interface Made {
  backup: Backup;
  requestId: string;
  leaving: AbortController;
  ended: Promise<void>;
}

export class DataBackups implements Backups {
  readonly #needs: Needs;
  #made: Made | undefined;
  #closed = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  get latest(): Backup | undefined {
    return this.#made === undefined ? undefined : { ...this.#made.backup };
  }

  async begin({ to: wanted, requestId }: { to: string; requestId: string }): Promise<Backup> {
    const to = resolve(wanted);
    if (this.#made?.requestId === requestId) return { ...this.#made.backup };
    if (this.#closed) throw new ServiceError('control.UNAVAILABLE', { message: 'The service is closing.' });
    if (this.#made?.backup.state === 'running') {
      throw new ServiceError('control.STATE_CONFLICT', {
        message: `A backup to ${this.#made.backup.to} is being made.`,
        details: { state: 'running', to: this.#made.backup.to },
      });
    }
    const draft = beginBackup(to, this.#needs.settings.dataDirectory);
    const backup: Backup = { schemaVersion: 1, to, state: 'running', startedAtMs: this.#needs.nowMs(), projects: 0, files: 0, bytes: 0 };
    const leaving = new AbortController();
    this.#made = { backup, requestId, leaving, ended: this.#make(backup, draft, leaving.signal) };
    return { ...backup };
  }

  async stop(): Promise<void> {
    this.#closed = true;
    this.#made?.leaving.abort(new ServiceError('control.UNAVAILABLE', { message: 'The service was stopped.' }));
    await this.#made?.ended;
  }

  /** Rejects never. */
  async #make(backup: Backup, draft: string, signal: AbortSignal): Promise<void> {
    const { log, nowMs } = this.#needs;
    const { to } = backup;
    try {
      await inDraft(draft, to, () => this.#copy(backup, draft, signal));
      Object.assign(backup, { state: 'succeeded', finishedAtMs: nowMs() });
      log.info('a backup was made', { to, projects: backup.projects, files: backup.files, bytes: backup.bytes });
    } catch (error) {
      Object.assign(backup, { state: 'failed', finishedAtMs: nowMs(), error: shown(error) });
      log.warn('a backup was not made', { to, err: error });
    }
  }

  async #copy(backup: Backup, draft: string, signal: AbortSignal): Promise<void> {
    const { removals, settings, blobs } = this.#needs;
    const { dataDirectory } = settings;
    await requireSpace(dataDirectory, draft, signal);
    const copied = (bytes: number): void => {
      backup.files += 1;
      backup.bytes += bytes;
      signal.throwIfAborted();
    };
    const copy = { dataDirectory, draft, copied, signal };
    const release = await removals.hold();
    try {
      const catalog = await copyCatalog(this.#needs.catalog, copy);
      try {
        await this.#copyWorlds(backup, catalog.view, draft, signal);
        await copyBlobs(blobs, copy);
        await copyBundles(catalog.view, copy);
        await copyKeys(copy);
      } finally {
        await catalog.close();
      }
      const { files, bytes } = await writeManifest(draft, { kind: 'service', dataFormat, madeAtMs: backup.startedAtMs }, signal);
      // What was counted so far has none of the files of worlds.
      Object.assign(backup, { files, bytes });
    } finally {
      release();
    }
  }

  async #copyWorlds(backup: Backup, view: View, draft: string, signal: AbortSignal): Promise<void> {
    const { worlds, removals, log } = this.#needs;
    const folder = worldsFolder(draft);
    mkdirSync(folder);
    for (const { projectId } of everyRecord(view, projectTable)) {
      const worldIds = await liveSessionsOf(view, projectId);
      const into = join(folder, projectFolder(projectId));
      const waitMs = (error: unknown, attempts: number): number => {
        log.warn('the worlds of a project were not copied yet', { projectId, err: error });
        return backoffMs(operationBackoff, attempts);
      };
      // A host may end while it copies, for what others do there.
      await retry({ attemptsMax: limits.backupTriesMax, isRetryable: isPassing, waitMs, signal }, async () => {
        signal.throwIfAborted();
        await rm(into, { recursive: true, force: true });
        mkdirSync(into);
        // What is copied natively cannot be called off; it ends with its host.
        await unlessAborted(worlds.copyProject(projectId, into, worldIds), signal);
      }).catch((error) => {
        throw signal.aborted ? error : notCopied(projectId, error);
      });
      removals.worldsCopied(projectId);
      backup.projects += 1;
      backup.bytes += await folderBytes(into);
      if (readdirSync(into).length === 0) await rmdir(into);
      else await flushFolder(into);
    }
    await flushFolder(folder);
  }
}

const isPassing = (error: unknown): boolean =>
  !isServiceError(error, 'control.STORAGE_FULL', 'control.NOT_FOUND', 'control.INVALID_REQUEST', 'control.DATA_DAMAGED');

/** For the operator, who finds more in the log. */
function notCopied(projectId: string, error: unknown): ServiceError {
  const [code, why] = error instanceof ServiceError ? [error.code, error.message] : ['control.INTERNAL' as const, 'The log has why.'];
  return new ServiceError(code, { message: `The worlds of project ${projectId} could not be copied. ${why}`, cause: error });
}

function shown(error: unknown): NonNullable<Backup['error']> {
  if (error instanceof ServiceError) return defined({ code: error.code, message: error.message }) as NonNullable<Backup['error']>;
  if (isStoredDamage(error)) return { code: 'control.DATA_DAMAGED', message: `${(error as Error).message} ${catalogAdvice}` };
  return { code: 'control.INTERNAL', message: 'The backup failed; the log has why.' };
}
