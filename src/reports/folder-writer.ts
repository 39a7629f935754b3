// A folder that appears whole or not at all: written beside its place under a name of its own, flushed, then renamed.
//   FOLDER-WRITER-1. Until `publish` returns, nothing is at the final place; after `discard` nothing is left beside it.
// All files and folders are flushed before the rename, and the name after it: a crash never leaves a torn report. The files of the folder
// itself are flushed together, at the end: a file system that keeps a journal then writes it once and not once a file.
// What may wait for the disk (creating, flushing, renaming) waits in the thread pool; small writes only reach the page cache, and closing
// what is flushed waits for nothing: doing them here costs less than a hop.
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fdatasync, fsync, open, openSync, write, writeSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sha256Digest } from '../contract/digest.js';
import { makeFolder } from '../files/make-folder.js';
import { compareTexts } from '../text/compare-texts.js';
import { draftPrefix, removeLeftovers } from './leftovers.js';
import type { ManifestFile } from './manifest.js';
import { tuning } from './tuning.js';

const openLater = promisify(open);
const writeLater = promisify(write);
const flushFile = promisify(fdatasync);
const flushFolder = promisify(fsync);

export class FolderWriter {
  readonly #parent: string;
  readonly #name: string;
  readonly #folder: string;
  readonly #subfolders = new Set<string>();
  readonly #files: ManifestFile[] = [];
  /** Descriptors of files that are written. */
  #unflushed: number[] = [];

  private constructor(parent: string, name: string, folder: string) {
    this.#parent = parent;
    this.#name = name;
    this.#folder = folder;
  }

  /** `name` must be a plain name; the parent is made where it is missing. */
  static async begin({ parent, name }: { parent: string; name: string }): Promise<FolderWriter> {
    const prefix = join(parent, draftPrefix(name));
    await removeLeftovers(parent);
    const folder = await mkdtemp(prefix).catch(() => {
      makeFolder(parent);
      return mkdtemp(prefix);
    });
    return new FolderWriter(parent, name, folder);
  }

  /** Where it is written: for who looks at it before it is published. */
  get draft(): string {
    return this.#folder;
  }

  /** What has been written so far, ordered by path. */
  files(): ManifestFile[] {
    return [...this.#files].sort((left, right) => compareTexts(left.path, right.path));
  }

  /** One file from its whole content. It is on the disk once `publish` has resolved. */
  async write(path: string, content: string | Uint8Array): Promise<ManifestFile> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    return this.#writeFile(path, async (descriptor) => {
      await writeAll(descriptor, bytes);
      return { path, bytes: bytes.length, sha256: sha256Digest(bytes) };
    });
  }

  /** One file from pieces that come one after another. */
  async writeStream(path: string, pieces: AsyncIterable<Uint8Array>): Promise<ManifestFile> {
    return this.#writeFile(path, async (descriptor) => {
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const piece of pieces) {
        hash.update(piece);
        bytes += piece.length;
        await writeAll(descriptor, piece);
      }
      return { path, bytes, sha256: `sha256:${hash.digest('hex')}` };
    });
  }

  copy(path: string, source: string): Promise<ManifestFile> {
    return this.writeStream(path, piecesOf(source));
  }

  /** Moves the finished folder to its place, once all of it is on the disk. Rejects when a folder with anything in it is there. */
  async publish(): Promise<string> {
    const folders = [...this.#subfolders, ''].map((subfolder) => join(this.#folder, subfolder));
    await settled([this.#flush(), ...folders.map(syncFolder)]);
    const place = join(this.#parent, this.#name);
    await rename(this.#folder, place);
    await syncFolder(this.#parent);
    return place;
  }

  /** Leaves nothing behind. No write may be under way. */
  async discard(): Promise<void> {
    for (const descriptor of this.#unflushed.splice(0)) closeSync(descriptor);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #writeFile(path: string, fill: (descriptor: number) => Promise<ManifestFile>): Promise<ManifestFile> {
    const subfolder = dirname(path);
    if (subfolder !== '.' && !this.#subfolders.has(subfolder)) {
      await mkdir(join(this.#folder, subfolder), { recursive: true });
      this.#subfolders.add(subfolder);
    }
    const place = join(this.#folder, path);
    const descriptor = await openLater(place, 'wx');
    let file: ManifestFile;
    try {
      file = await fill(descriptor);
    } catch (error) {
      closeSync(descriptor);
      // The caller may try again.
      await rm(place, { force: true });
      throw error;
    }
    this.#files.push(file);
    this.#unflushed.push(descriptor);
    // There may be many of them, and a report has seven files beside them.
    if (subfolder !== '.') await this.#flush();
    return file;
  }

  async #flush(): Promise<void> {
    const descriptors = this.#unflushed;
    this.#unflushed = [];
    try {
      await settled(descriptors.map((descriptor) => flushFile(descriptor)));
    } finally {
      for (const descriptor of descriptors) closeSync(descriptor);
    }
  }
}

/** As Promise.all, but no promise is left running when one rejects: what they work on is about to go. */
export async function settled<T extends readonly Promise<unknown>[]>(
  promises: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises) as Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }>;
}

/** Opened when it is first asked for, so that an error always finds someone who waits for it. */
async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = bytes.subarray(done);
    done +=
      rest.length <= tuning.immediateBytesMax
        ? writeSync(descriptor, rest)
        : (await writeLater(descriptor, rest, 0, rest.length, null)).bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await flushFolder(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
