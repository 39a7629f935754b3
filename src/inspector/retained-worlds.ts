// The retained worlds of runs, read without touching them: opening a world writes to it and would fence its other holder, so a copy is
// opened instead. It lies in the inspector's own folder and goes when others are asked for, or with the inspector.
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LruMap } from '../collections/lru-map.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { isRunId } from '../reports/report-folder.js';
import type { WorldRef, Worlds } from '../worlds/api.js';
import { stampOf } from './journal/fingerprint.js';
import { tuning } from './tuning.js';

const dataFile = 'data.mdb';

interface Copy {
  stamp: string;
  world: Promise<WorldRef>;
}

export class RetainedWorlds {
  readonly #runDirectory: string;
  readonly #copyDirectory: string;
  readonly #worlds: () => Promise<Worlds>;
  /** By run id. */
  readonly #copies = new LruMap<string, Copy>({ entriesMax: limits.inspectorWorldCopiesMax, onEvicted: (_, copy) => void remove(copy) });

  /** `worlds` of the layout `run`, over `copyDirectory`. */
  constructor({ runDirectory, copyDirectory, worlds }: { runDirectory: string; copyDirectory: string; worlds: () => Promise<Worlds> }) {
    this.#runDirectory = runDirectory;
    this.#copyDirectory = copyDirectory;
    this.#worlds = worlds;
  }

  async has(runId: string): Promise<boolean> {
    return (await this.#stamp(runId)) !== undefined;
  }

  /** The world as the run left it. */
  async open(runId: string): Promise<WorldRef> {
    const stamp = await this.#stamp(runId);
    if (stamp === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'The world of this run is not kept.' });
    let copy = this.#copies.get(runId);
    if (copy !== undefined && copy.stamp !== stamp) {
      this.#copies.delete(runId);
      await remove(copy);
      copy = undefined;
    }
    copy ??= { stamp, world: this.#copy(runId, stamp) };
    this.#copies.set(runId, copy);
    try {
      return await copy.world;
    } catch (error) {
      if (this.#copies.peek(runId) === copy) this.#copies.delete(runId);
      throw error;
    }
  }

  async #copy(runId: string, stamp: string): Promise<WorldRef> {
    const folder = join(this.#copyDirectory, runId);
    for (let tries = 0; tries < tuning.worldOpeningsMax; tries++) {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await copyFile(join(this.#runDirectory, runId, dataFile), join(folder, dataFile), constants.COPYFILE_FICLONE);
      // What changed meanwhile may be torn.
      if ((await this.#stamp(runId)) === stamp) return await this.#opened(runId);
    }
    throw new ServiceError('control.STATE_CONFLICT', {
      message: 'The world of this run changes: another process runs it.',
      details: { runId },
    });
  }

  /** What is wrong with the copy is wrong with the world it was made of. */
  async #opened(runId: string): Promise<WorldRef> {
    try {
      return await (await this.#worlds()).open(runId);
    } catch (error) {
      if (!isServiceError(error, 'control.DATA_DAMAGED')) throw error;
      const [path, reason] = [
        join(this.#runDirectory, runId, dataFile),
        String(error.extra.details?.reason ?? 'what it holds cannot be read'),
      ];
      const message = `The file ${path} is damaged: ${reason}. The world of this run cannot be read; its report can.`;
      throw new ServiceError('control.DATA_DAMAGED', { message, details: { path, reason } });
    }
  }

  /** Neither the folder nor the file may be a link. */
  async #stamp(runId: string): Promise<string | undefined> {
    if (!isRunId(runId)) return undefined;
    const folder = join(this.#runDirectory, runId);
    const [home, data] = await Promise.all(
      [folder, join(folder, dataFile)].map((path) => lstat(path, { bigint: true }).catch(() => undefined)),
    );
    return home?.isDirectory() && data?.isFile() ? stampOf(data) : undefined;
  }
}

async function remove({ world }: Copy): Promise<void> {
  await world.then((open) => open.destroy()).catch(() => {});
}
