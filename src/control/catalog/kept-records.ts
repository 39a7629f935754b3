// Records of the disk that are read again and again, kept as they were read.
//   KEPT-RECORDS-1. A record that is being written is not kept: until its flush has ended, the disk may say the one or the other, and
//     records that are read together are all of one moment.
import { LruMap } from '../../collections/lru-map.js';
import { tuning } from '../tuning.js';
import type { PendingWrites } from './pending-writes.js';
import { type StoredCatalog, storedRecord } from './stored-source.js';

export class KeptRecords {
  readonly #catalog: StoredCatalog;
  readonly #records = new LruMap<string, unknown>({ entriesMax: tuning.keptRecordsMax, weightMax: tuning.keptRecordsBytesMax });

  constructor(catalog: StoredCatalog) {
    this.#catalog = catalog;
  }

  /** As it is on the disk; undefined where there is none. */
  get(key: string, { keeps }: { keeps: boolean }): unknown {
    // The oldest goes, not the least used: what is read often is soon kept again, and noting each use costs as much as finding it.
    const kept = this.#records.peek(key);
    if (kept !== undefined) return kept;
    const stored = storedRecord(this.#catalog, key);
    if (stored !== undefined && keeps) this.#keep(key, stored.value, stored.bytes);
    return stored?.value;
  }

  /** From now on these are being written. */
  leaveOut({ records }: PendingWrites): void {
    for (const key of records.keys()) this.#records.delete(key);
  }

  /** They are on the disk. What nobody has read so far is not kept. */
  take({ records }: PendingWrites): void {
    for (const [key, record] of records) if (record?.isRead === true) this.#keep(key, record.value, record.bytes.length);
  }

  #keep(key: string, value: unknown, bytes: number): void {
    if (bytes <= tuning.keptRecordBytesMax) this.#records.set(key, value, bytes);
  }
}
