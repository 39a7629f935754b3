// Records of the disk that are read again and again, kept as they were read.
//   KEPT-RECORDS-1. A record that is being written is not kept: until its flush has ended, the disk may say the one or the other, and
//     records that are read together are all of one moment.
import { LruMap } from '../../collections/lru-map.js';
import type { Database } from '../../files/database.js';
import { tuning } from '../tuning.js';
import type { PendingWrites } from './pending-writes.js';
import { asRead } from './record-text.js';
import { keyBytes } from './stored-source.js';

export class KeptRecords {
  readonly #database: Database;
  readonly #records = new LruMap<string, unknown>({ entriesMax: tuning.keptRecordsMax, weightMax: tuning.keptRecordsBytesMax });

  constructor(database: Database) {
    this.#database = database;
  }

  /** As it is on the disk; undefined where there is none. */
  get(key: string, { keeps }: { keeps: boolean }): unknown {
    const kept = this.#records.get(key);
    if (kept !== undefined) return kept;
    const bytes = this.#database.getBinary(keyBytes(key));
    if (bytes === undefined) return undefined;
    const value = asRead(bytes);
    if (keeps) this.#keep(key, value, bytes.length);
    return value;
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
