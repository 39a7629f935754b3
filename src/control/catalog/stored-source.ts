// What lies in the data file of a catalog, as tables read it; and the one key there that is of no table: its position in a log.
//   STORED-SOURCE-1. A record whose bytes cannot be read ends what asked for it as damage of the file (StoredDamage), and nothing else.
import type { Database } from '../../files/database.js';
import { decodeStored } from '../../files/decode-stored.js';
import { positionKey } from '../../worlds/kv/keys.js';
import type { CatalogRange } from './pending-writes.js';
import { asStored } from './record-text.js';
import { beginsTableKey, type RecordSource } from './tables.js';

/** Whether a key of a catalog's data file begins with this byte. */
export const beginsCatalogKey = (byte: number): boolean => beginsTableKey(byte) || isPositionByte(byte);
/** Of a file that follows a log: the one key of its position is this byte. */
export const isPositionByte = (byte: number): boolean => byte === positionKey[0];
export const isPositionKey = (key: Buffer): boolean => key.equals(positionKey);

export const keyBytes = (key: string): Buffer => Buffer.from(key, 'latin1');

/** In order or in reverse. */
export function* storedKeys(database: Database, { start, end, reverse }: CatalogRange): Generator<string> {
  const [first, last] = [keyBytes(start), keyBytes(end)];
  const range = reverse ? { start: last, end: first, reverse, exclusiveStart: true, inclusiveEnd: true } : { start: first, end: last };
  for (const key of database.getKeys({ ...range, snapshot: false })) yield key.toString('latin1');
}

/** A database and its folder, which a refusal names. */
export interface StoredCatalog {
  database: Database;
  directory: string;
}

export const storedSource = (catalog: StoredCatalog): RecordSource => ({
  get: (key) => storedRecord(catalog, key)?.value,
  keys: (range) => storedKeys(catalog.database, range),
});

/** Undefined where there is none. */
export function storedRecord({ database, directory }: StoredCatalog, key: string): { value: unknown; bytes: number } | undefined {
  const bytes = database.getBinary(keyBytes(key));
  if (bytes === undefined) return undefined;
  // Its key begins with `r `.
  return { value: decodeStored(directory, `its record ${key.slice(2)}`, () => asStored(bytes)), bytes: bytes.length };
}

/** It holds no record and no index. */
export function holdsNothing(database: Database): boolean {
  for (const key of database.getKeys({ limit: 2, snapshot: false })) if (!isPositionKey(key)) return false;
  return true;
}
