// What lies in the data file of a catalog, as tables read it; and the one key there that is of no table: its position in a log.
import type { Database } from '../../files/database.js';
import { positionKey } from '../../worlds/kv/keys.js';
import { beginsTableKey, type KeySource } from './tables.js';

export interface StoredRange {
  start: string;
  end: string;
  reverse: boolean;
}

/** Whether a key of a catalog's data file begins with this byte. */
export const beginsCatalogKey = (byte: number): boolean => beginsTableKey(byte) || byte === positionKey[0];
export const isPositionKey = (key: Buffer): boolean => key.equals(positionKey);

export const keyBytes = (key: string): Buffer => Buffer.from(key, 'latin1');

/** Keys of [start, end), in order or in reverse. */
export function* storedKeys(database: Database, { start, end, reverse }: StoredRange): Generator<string> {
  const [first, last] = [keyBytes(start), keyBytes(end)];
  const range = reverse ? { start: last, end: first, reverse, exclusiveStart: true, inclusiveEnd: true } : { start: first, end: last };
  for (const key of database.getKeys({ ...range, snapshot: false })) yield key.toString('latin1');
}

export const storedSource = (database: Database): KeySource => ({
  get: (key) => database.getBinary(keyBytes(key)),
  keys: (start, end, reverse) => storedKeys(database, { start, end, reverse }),
});

/** It holds no record and no index. */
export function holdsNothing(database: Database): boolean {
  for (const key of database.getKeys({ limit: 2, snapshot: false })) if (!isPositionKey(key)) return false;
  return true;
}
