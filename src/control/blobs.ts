// Bytes by their digest, one file each, below <dataDirectory>/blobs.
//   B1. `put` resolves when the bytes are on the disk under their name: written beside their place, flushed, renamed, the folder flushed.
//   B2. What is there is never changed. The same bytes put twice are one file, and both puts wait for the same flush.
//   B3. `get` gives the bytes of the digest or rejects: a torn or changed file is never taken for the real one.
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Digest } from '../contract/digest.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { Gate } from './gate.js';
import type { Blobs } from './services.js';

export class FileBlobs implements Blobs {
  readonly #folder: string;
  readonly #drafts: string;
  /** Puts under way, by digest. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #gate = new Gate(limits.blobWritesAtOnceMax);
  #drafted = 0;

  /** What an earlier life left half written is removed. */
  constructor(dataDirectory: string) {
    this.#folder = join(dataDirectory, 'blobs');
    this.#drafts = join(this.#folder, 'drafts');
    mkdirSync(this.#drafts, { recursive: true });
    // All of them now, flushed once: no put ever waits for the name of a folder to reach the disk.
    for (let byte = 0; byte < 256; byte++) mkdirSync(join(this.#folder, byte.toString(16).padStart(2, '0')), { recursive: true });
    const descriptor = openSync(this.#folder, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    for (const name of readdirSync(this.#drafts)) rmSync(join(this.#drafts, name), { force: true });
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (bytes.length > limits.blobBytesMax) {
      throw new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `More than ${limits.blobBytesMax} bytes cannot be kept as one.` });
    }
    const digest = sha256Digest(bytes);
    let writing = this.#writing.get(digest);
    if (writing === undefined) {
      writing = this.#gate.pass(() => this.#keep(digest, bytes)).finally(() => this.#writing.delete(digest));
      this.#writing.set(digest, writing);
    }
    await writing;
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    const bytes = await readFile(this.#placeOf(digest).file);
    if (sha256Digest(bytes) !== digest) throw new Error(`the blob ${digest} is damaged`);
    return bytes;
  }

  async #keep(digest: string, bytes: Uint8Array): Promise<void> {
    const { folder, file } = this.#placeOf(digest);
    const known = await stat(file).catch(() => undefined);
    // An earlier life may have renamed it and not flushed the folder any more.
    if (known !== undefined && known.size === bytes.length) return flushFolder(folder);
    const draft = join(this.#drafts, String(++this.#drafted));
    try {
      await writeFlushed(draft, bytes);
      await rename(draft, file);
      await flushFolder(folder);
    } catch (error) {
      await rm(draft, { force: true });
      throw isFull(error)
        ? new ServiceError('control.STORAGE_FULL', { message: 'The disk is full; nothing was changed.', retryAfterMs: 1000 })
        : error;
    }
  }

  #placeOf(digest: string): { folder: string; file: string } {
    const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
    if (hex === undefined) throw new Error(`'${digest}' is no digest`);
    const folder = join(this.#folder, hex.slice(0, 2));
    return { folder, file: join(folder, hex) };
  }
}

async function writeFlushed(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}
