// How many bytes a service has in each part of its data directory. Counting visits every file, so the figure is some minutes old at most
// where it is asked for: a count begins when one is asked for, and the last is as old as it may be.
//   DISK-USE-1. One count at a time, and counts take no more than a hundredth of the time.
//   DISK-USE-2. Tenants' code may have made any number of files: no more than limits.diskUseEntriesMax of each part are counted.
import { join } from 'node:path';
import { within } from '../async/deadline.js';
import { limits } from '../contract/limits.js';
import { folderBytes } from '../files/folder-bytes.js';
import { tuning } from './tuning.js';

const dataFolders = ['catalog', 'worlds', 'blobs', 'evidence'] as const;
export type DataFolder = (typeof dataFolders)[number];
export type FolderSizes = { readonly [Folder in DataFolder]: number };

export class DiskUse {
  readonly #directory: string;
  readonly #ended = new AbortController();
  #sizes: FolderSizes | undefined;
  #counting: Promise<void> | undefined;
  #nextMs = 0;

  constructor(dataDirectory: string) {
    this.#directory = dataDirectory;
  }

  /** As last counted; undefined until a first count has ended, for which it waits a moment. */
  async sizes(): Promise<FolderSizes | undefined> {
    if (this.#counting === undefined && performance.now() >= this.#nextMs && !this.#ended.signal.aborted) {
      this.#counting = this.#count().finally(() => {
        this.#counting = undefined;
      });
    }
    if (this.#sizes === undefined && this.#counting !== undefined) await within(limits.diskUseWaitMs, this.#counting);
    return this.#sizes;
  }

  /** Resolves when no file is counted any more. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#counting;
  }

  async #count(): Promise<void> {
    const beganMs = performance.now();
    const { signal } = this.#ended;
    const counting = { entriesMax: limits.diskUseEntriesMax, isForeign: true, signal };
    const sizes = { catalog: 0, worlds: 0, blobs: 0, evidence: 0 };
    for (const folder of dataFolders) {
      // A folder that nobody has needed yet is not there.
      sizes[folder] = await folderBytes(join(this.#directory, folder), counting).catch(() => 0);
    }
    if (signal.aborted) return;
    this.#sizes = sizes;
    const endedMs = performance.now();
    this.#nextMs = endedMs + Math.max(limits.diskUseCountedMs, (endedMs - beganMs) * tuning.diskUseRestPerCount);
  }
}
