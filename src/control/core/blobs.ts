// Bytes by their digest, one file each, below <dataDirectory>/blobs.
//   BLOBS-1. `put` resolves when the bytes are on the disk under their name: written beside their place, flushed, renamed, the folder
//     flushed.
//   BLOBS-2. What is there and whole is never changed. The same bytes put twice are one file, and both puts wait for the same flush.
//   BLOBS-3. `get` gives the bytes of the digest or rejects (StoredDamage), and `put` writes them again where the file has others: a torn
//     or changed file is never taken for the real one. Without a descriptor both reject with control.UNAVAILABLE.
//   BLOBS-4. One is removed only by digest and age: a put that begins meanwhile waits, and writes it again.
import { closeSync, fsyncSync, openSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../async/semaphore.js';
import { sha256Digest } from '../../contract/digest.js';
import { orUnavailable, ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { StoredDamage } from '../../contract/stored-damage.js';
import { diskFull, isDiskFull } from '../../files/disk-full.js';
import { digestOfFile } from '../../files/file-digest.js';
import { hasCode } from '../../files/file-faults.js';
import { flush } from '../../files/flush.js';
import { flushFolder } from '../../files/flushed-copy.js';
import { makeFolder } from '../../files/make-folder.js';
import type { Blobs } from './services.js';

/** Where a blob lies; undefined for what is no digest. */
export function blobFile(dataDirectory: string, digest: string): string | undefined {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  return hex === undefined ? undefined : join(dataDirectory, 'blobs', hex.slice(0, 2), hex);
}

export class FileBlobs implements Blobs {
  readonly #folder: string;
  readonly #drafts: string;
  /** Puts and removals under way, by digest. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #removing = new Map<string, Promise<boolean>>();
  /** Folders of blobs that are on the disk by name, or will be, by path. */
  readonly #made = new Map<string, Promise<void>>();
  readonly #gate = new Semaphore(limits.blobWritesAtOnceMax);
  #drafted = 0;

  /** What an earlier incarnation left half written is removed. Refuses as makeFolder does. */
  constructor(dataDirectory: string) {
    this.#folder = join(dataDirectory, 'blobs');
    this.#drafts = join(this.#folder, 'drafts');
    makeFolder(this.#drafts);
    // An earlier incarnation may have made a folder below and not flushed its name any more.
    const descriptor = openSync(this.#folder, 'r');
    fsyncSync(descriptor);
    closeSync(descriptor);
    for (const name of readdirSync(this.#drafts)) rmSync(join(this.#drafts, name), { recursive: true, force: true });
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (bytes.length > limits.blobBytesMax) {
      throw new ServiceError('control.PAYLOAD_TOO_LARGE', { message: `More than ${limits.blobBytesMax} bytes cannot be kept as one.` });
    }
    const digest = sha256Digest(bytes);
    for (let removing = this.#removing.get(digest); removing !== undefined; removing = this.#removing.get(digest))
      await removing.catch(() => {});
    let writing = this.#writing.get(digest);
    if (writing === undefined) {
      writing = this.#gate.run(() => this.#keep(digest, bytes)).finally(() => this.#writing.delete(digest));
      this.#writing.set(digest, writing);
    }
    await writing;
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    const { file } = this.#placeOf(digest);
    const bytes = await readFile(file).catch((error) => {
      throw hasCode(error, 'ENOENT') ? new StoredDamage(`The file ${file} is missing.`, { cause: error }) : orUnavailable(error);
    });
    if (sha256Digest(bytes) !== digest) throw new StoredDamage(`The file ${file} is damaged: its bytes are not those of its digest.`);
    return bytes;
  }

  /** Every digest there is a blob of. */
  async *digests(): AsyncGenerator<string> {
    for (const name of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      for (const hex of await readdir(join(this.#folder, name))) if (/^[0-9a-f]{64}$/.test(hex)) yield `sha256:${hex}`;
    }
  }

  /** Unless it was put, for the first time or again, after `beforeMs` (of the machine's clock). Yields whether it went. */
  async removeOld(digest: string, beforeMs: number): Promise<boolean> {
    if (this.#writing.has(digest)) return false;
    const { file } = this.#placeOf(digest);
    const removing = this.#gate
      .run(async () => {
        if ((await stat(file)).mtimeMs >= beforeMs) return false;
        await rm(file);
        return true;
      })
      .finally(() => this.#removing.delete(digest));
    this.#removing.set(digest, removing);
    return await removing;
  }

  async #keep(digest: string, bytes: Uint8Array): Promise<void> {
    const { folder, file } = this.#placeOf(digest);
    // One that is damaged is written again. An earlier incarnation may have renamed it and not flushed the folder any more.
    const known = await stat(file).catch(() => undefined);
    if (known?.size === bytes.length && `sha256:${(await digestOfFile(file)).sha256}` === digest) {
      // A sweep that searches for old blobs must see that this one is needed again.
      await utimes(file, new Date(), new Date());
      return flushFolder(folder);
    }
    const draft = join(this.#drafts, String(++this.#drafted));
    try {
      await this.#make(folder);
      await writeFlushed(draft, bytes);
      await rename(draft, file);
      await flushFolder(folder);
    } catch (error) {
      await rm(draft, { force: true });
      throw isDiskFull(error, this.#folder) ? diskFull(error) : orUnavailable(error);
    }
  }

  /** At the first blob of a folder: a new service would wait for 256 of them, and most need few. */
  async #make(folder: string): Promise<void> {
    const making =
      this.#made.get(folder) ??
      // Not `recursive`, which says of a full disk that the folder above is missing.
      mkdir(folder).then(
        () => flushFolder(this.#folder),
        (error) => {
          if (!hasCode(error, 'EEXIST')) throw error;
        },
      );
    this.#made.set(folder, making);
    await making.catch((error) => {
      this.#made.delete(folder);
      throw error;
    });
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
    await flush(file);
  } finally {
    await file.close();
  }
}
