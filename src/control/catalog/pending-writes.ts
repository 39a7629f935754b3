// What changes of a catalog have written and the disk has not yet: records, and places in indexes.
import type { TransactionChanges } from '../../files/database-space.js';
import { asRead } from './record-text.js';

/** A record on its way to the disk. What its text says is read once, when somebody asks. */
export class WrittenRecord {
  readonly bytes: Buffer;
  #value: unknown;

  constructor(record: unknown) {
    this.bytes = Buffer.from(JSON.stringify(record));
  }

  get value(): unknown {
    this.#value ??= asRead(this.bytes);
    return this.#value;
  }
  get isRead(): boolean {
    return this.#value !== undefined;
  }
}

export interface CatalogRange {
  /** The beginning of every key of the index that it lies in; absent for keys of records. */
  index?: string;
  start: string;
  /** Exclusive. */
  end: string;
  reverse: boolean;
}

/** The bytes of a place in an index: its key says all. */
const noBytes = Buffer.alloc(0);

export class PendingWrites {
  /** By key; `null`: removed. */
  readonly records = new Map<string, WrittenRecord | null>();
  /** By the beginning of an index's keys: whether a key stays. */
  readonly #indexes = new Map<string, Map<string, boolean>>();

  get isEmpty(): boolean {
    // A place never moves without its record.
    return this.records.size === 0;
  }

  setPlace(index: string, key: string, stays: boolean): void {
    const places = this.#indexes.get(index);
    if (places === undefined) this.#indexes.set(index, new Map([[key, stays]]));
    else places.set(key, stays);
  }

  /** What is written later. */
  add(later: PendingWrites): void {
    for (const [key, record] of later.records) this.records.set(key, record);
    for (const [index, places] of later.#indexes) for (const [key, stays] of places) this.setPlace(index, key, stays);
  }

  /** At most: a key has up to three bytes a character. */
  get size(): TransactionChanges {
    const size = { changes: 0, bytes: 0 };
    for (const [key, value] of this.entries()) {
      size.changes += 1;
      size.bytes += 3 * key.length + (value?.length ?? 0);
    }
    return size;
  }

  /** By key; `null`: removed. */
  *entries(): Generator<[key: string, bytes: Buffer | null]> {
    for (const [key, record] of this.records) yield [key, record === null ? null : record.bytes];
    for (const places of this.#indexes.values()) for (const [key, stays] of places) yield [key, stays ? noBytes : null];
  }

  /** Keys of the range, in no order, each with whether it stays. */
  *within({ index, start, end }: CatalogRange): Generator<[key: string, stays: boolean]> {
    if (index === undefined) {
      for (const [key, record] of this.records) if (key >= start && key < end) yield [key, record !== null];
    } else {
      for (const place of this.#indexes.get(index) ?? []) if (place[0] >= start && place[0] < end) yield place;
    }
  }
}
