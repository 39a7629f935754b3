// The records of a catalog with a log: what each flush writes, numbered and appended before it is put into the file.
// Why: docs/decisions/020.
//   CATALOG-STREAM-1. The file never holds what the log does not: there is no tail, and a crash between the two is caught up from the log.
//   CATALOG-STREAM-2. After an append that is lost, and after one that the file could not follow, nothing is appended, and every change is
//     refused (control.UNAVAILABLE).
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { encodeChanges, encodeRecord } from '../../worlds/kv/group-record.js';
import type { StreamLog, StreamPosition } from '../../worlds/kv/stream-log.js';
import { tuning } from '../tuning.js';
import type { PendingWrites } from './pending-writes.js';
import { keyBytes } from './stored-source.js';

export interface CatalogStreamOptions {
  log: StreamLog;
  /** Of the file. */
  position: StreamPosition;
  /** The catalog has another owner, or its file does not follow: once. */
  onLost(cause?: unknown): void;
}

export class CatalogStream {
  readonly #options: CatalogStreamOptions;
  #position: StreamPosition;
  #lost: ServiceError | undefined;
  #nextBytes = 0;

  constructor(options: CatalogStreamOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  get position(): StreamPosition {
    return this.#position;
  }

  /** Before a change. */
  requireOwn(): void {
    if (this.#lost !== undefined) throw this.#lost;
  }

  /** A change joins what the next record will hold; refused where that is too much. */
  take(writes: PendingWrites): void {
    const bytes = bytesOf(writes);
    if (this.#nextBytes >= tuning.unappendedBytesMax) throw unavailable('The log is behind; nothing was changed.');
    if (bytes > tuning.changeBytesMax) throw unavailable('This is too much for one moment; nothing was changed.');
    this.#nextBytes += bytes;
  }

  /** Yields where the file is after them. */
  async append(writes: PendingWrites): Promise<StreamPosition> {
    this.requireOwn();
    this.#nextBytes = 0;
    const { log } = this.#options;
    const { number, nonce: follows } = this.#position;
    const record = { number: number + 1, nonce: log.mintNonce() };
    const changes = [...writes.entries()].map(([key, value]) => ({ key: keyBytes(key), value }));
    let outcome: 'appended' | 'lost';
    try {
      const body = await encodeRecord(follows, [encodeChanges(changes)]);
      outcome = await log.append({ ...record, body });
    } catch (error) {
      throw this.lose(error);
    }
    if (outcome === 'lost') throw this.lose();
    return record;
  }
  /** The file is there. */
  moveTo(position: StreamPosition): void {
    this.#position = position;
  }

  lose(cause?: unknown): ServiceError {
    if (this.#lost === undefined) {
      this.#lost = unavailable('The catalog has another owner; what was asked may have been done.', cause);
      this.#options.onLost(cause);
    }
    return this.#lost;
  }
}

function bytesOf(writes: PendingWrites): number {
  let bytes = 0;
  for (const [key, value] of writes.entries()) bytes += key.length + (value?.length ?? 0);
  return bytes;
}

function unavailable(message: string, cause?: unknown): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message, retryAfterMs: limits.unavailableRetryAfterMs, cause });
}
