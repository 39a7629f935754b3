// Blobs that several machines share: a store below that all of them have, and files here that spare asking it.
//   CLUSTER-BLOBS-1. `put` resolves when the shared store has the bytes, and so before anything in the catalog names them.
//   CLUSTER-BLOBS-2. `get` gives the bytes of the digest or rejects, whatever the store answers; what it has fetched lies here from
//     then on.
//   CLUSTER-BLOBS-3. A blob goes from the store only by its age there: a put on another machine, the first or a later one, keeps it.
import { Semaphore } from '../../async/semaphore.js';
import type { SharedBlobs } from '../../contract/cluster-store.js';
import { sha256Digest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { StoredDamage } from '../../contract/stored-damage.js';
import { hasCode } from '../../files/file-faults.js';
import type { FileBlobs } from './blobs.js';
import type { Blobs } from './services.js';

export class ClusterBlobs implements Blobs {
  readonly #here: FileBlobs;
  readonly #store: SharedBlobs;
  readonly #gate = new Semaphore(limits.blobWritesAtOnceMax);
  /** Of those that are being fetched. */
  readonly #fetching = new Map<string, Promise<Uint8Array>>();

  constructor({ here, store }: { here: FileBlobs; store: SharedBlobs }) {
    this.#here = here;
    this.#store = store;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const digest = await this.#here.put(bytes);
    await this.#gate.run(() => askStore(this.#store.put(digest, once(bytes))));
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    try {
      return await this.#here.get(digest);
    } catch {
      return await this.#fetch(digest);
    }
  }

  /** Those of the store, then those that are left here alone. */
  async *digests(): AsyncGenerator<string> {
    const seen = new Set<string>();
    for await (const digest of this.#store.digests()) {
      seen.add(digest);
      yield digest;
    }
    for await (const digest of this.#here.digests()) if (!seen.has(digest)) yield digest;
  }

  async removeOld(digest: string, beforeMs: number): Promise<boolean> {
    const went = await this.#store.removeOld(digest, Math.max(0, Date.now() - beforeMs));
    const wentHere = await this.#here.removeOld(digest, beforeMs).catch(absent);
    return went || wentHere;
  }

  #fetch(digest: string): Promise<Uint8Array> {
    const known = this.#fetching.get(digest);
    if (known !== undefined) return known;
    const fetching = this.#gate.run(() => this.#fetchNow(digest)).finally(() => this.#fetching.delete(digest));
    this.#fetching.set(digest, fetching);
    return fetching;
  }

  async #fetchNow(digest: string): Promise<Uint8Array> {
    const body = await askStore(this.#store.get(digest));
    if (body === undefined) throw new StoredDamage(`The store of the cluster has no blob ${digest}.`);
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of body) {
      length += piece.length;
      if (length > limits.blobBytesMax) throw damaged(digest);
      pieces.push(piece);
    }
    const bytes = Buffer.concat(pieces);
    if (sha256Digest(bytes) !== digest) throw damaged(digest);
    // A full disk keeps nobody from reading.
    await this.#here.put(bytes).catch(() => {});
    return bytes;
  }
}

/** Another's failure is one that passes: control.UNAVAILABLE. */
export async function askStore<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    const message = 'The store of the cluster cannot be reached.';
    throw new ServiceError('control.UNAVAILABLE', { message, retryAfterMs: limits.unavailableRetryAfterMs, cause });
  }
}

const damaged = (digest: string): StoredDamage => new StoredDamage(`In the store of the cluster the blob ${digest} is damaged.`);

async function* once(bytes: Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function absent(error: unknown): boolean {
  if (hasCode(error, 'ENOENT')) return false;
  throw error;
}
