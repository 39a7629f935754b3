// How records lie in the catalog: tables of records by id, with ordered indexes over them.
// A key is ASCII text, its parts escaped and joined by spaces, so that text order is byte order is part order. A record is JSON text: twice
// as fast here as msgpackr, and a member called __proto__ comes back as it went in.
import { walkPagesSync } from '../../async/pages.js';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import { isStoredDamage } from '../../contract/stored-damage.js';
import { type CatalogRange, type PendingWrites, WrittenRecord } from './pending-writes.js';

export type KeyPart = string | number;
interface TableRule<Record> {
  readonly name: string;
  idOf(record: Record): string;
  /** By name: where a record stands in the index; undefined: it does not. Equal places are ordered by id. */
  readonly indexes: { readonly [name: string]: (record: Record) => readonly KeyPart[] | undefined };
}
export interface Table<Record> extends TableRule<Record> {
  /** With which its keys begin: those of records, and those of places, by the name of the index. */
  readonly keys: { readonly records: string; readonly indexes: ReadonlyMap<string, string> };
}
export function defineTable<Record>(rule: TableRule<Record>): Table<Record> {
  const indexes = new Map(Object.keys(rule.indexes).map((index) => [index, `${keyOf(['i', rule.name, index])} `]));
  return { ...rule, keys: { records: `${keyOf(['r', rule.name])} `, indexes } };
}

interface PastDamage {
  /** Called with each record that cannot be read, and it is left out. Default: it ends the reading. */
  onDamage?: OnDamage | undefined;
}
export type OnDamage = (id: string, damage: unknown) => void;
export interface ListRequest extends PastDamage {
  index: string;
  /** The leading parts that must be equal. */
  prefix: readonly KeyPart[];
  limit: number;
  /** Exclusive: the `next` of an earlier page. */
  after?: string;
  /** The last first. */
  reverse?: boolean;
}
export interface ScanRequest extends PastDamage {
  limit: number;
  after?: string;
  idPrefix?: string;
}
export interface Page<Record> {
  records: Record[];
  /** Where the next page begins; absent on the last one. It holds key parts: give it out MACed only (cursors.ts). */
  next?: string;
}

export interface View {
  get<Record>(table: Table<Record>, id: string): Record | undefined;
  list<Record>(table: Table<Record>, request: ListRequest): Page<Record>;
  /** How many records stand at the place, `limit` at most. Reads no record. */
  count<Record>(table: Table<Record>, place: Pick<ListRequest, 'index' | 'prefix' | 'limit'>): number;
  /** Every record of a table, by id, or those whose id begins with `idPrefix`; `after` is the `next` of an earlier page. */
  scan<Record>(table: Table<Record>, page: ScanRequest): Page<Record>;
  /** The id that sorts last; undefined where the table is empty. */
  lastId<Record>(table: Table<Record>): string | undefined;
}
export interface Change extends View {
  /** Inserts or replaces; the indexes follow. The record must be JSON; members that are undefined are left out. */
  put<Record>(table: Table<Record>, record: Record): void;
  remove<Record>(table: Table<Record>, id: string): void;
  /** By now. */
  readonly hasWritten: boolean;
  /** Runs when the change is durable, before its caller continues. Must not throw. */
  afterCommit(follow: () => void): void;
}

/** Sees every record that is put, also by a change that is refused in the end. */
export type PutWatcher = (tableName: string, record: unknown) => void;

/** What is read: the disk, or the disk under what is pending. */
export interface RecordSource {
  /** Frozen. `isOneOfMany`: of a list, so it is not worth keeping. */
  get(key: string, isOneOfMany: boolean): unknown;
  /** In order or in reverse. */
  keys(range: CatalogRange): Iterable<string>;
}

/** Whether a key of a record or of an index begins with this byte. */
export const beginsTableKey = (byte: number): boolean => byte === 0x72 || byte === 0x69;
export const recordKey = <Record>(table: Table<Record>, id: string): string => table.keys.records + escaped(id);
/** With which every key at a place of an index begins. */
const placePrefix = (index: string, parts: readonly KeyPart[]): string => {
  let prefix = index;
  for (const part of parts) prefix += `${escaped(part)} `;
  return prefix;
};

function indexName<Record>(table: Table<Record>, index: string): string {
  const name = table.keys.indexes.get(index);
  if (name === undefined) throw new Error(`${table.name} has no index ${index}`);
  return name;
}

/** '!' follows the space that ends a prefix: everything that begins with the prefix lies between. */
const boundsOf = (prefix: string): [start: string, end: string] => [prefix, `${prefix.slice(0, -1)}!`];

/** Every key of a record's indexes. */
export function indexKeys<Record>(table: Table<Record>, record: Record): string[] {
  const keys = [...table.keys.indexes].map(([name, index]) => placeKey(table, { name, index }, record));
  return keys.filter((key) => key !== undefined);
}
/** Undefined where the record does not stand in the index. */
function placeKey<Record>(table: Table<Record>, { name, index }: { name: string; index: string }, record: Record): string | undefined {
  const place = table.indexes[name]!(record);
  return place === undefined ? undefined : placePrefix(index, place) + escaped(table.idOf(record));
}

export class Reader implements View {
  protected readonly source: RecordSource;

  constructor(source: RecordSource) {
    this.source = source;
  }

  get<Record>(table: Table<Record>, id: string): Record | undefined {
    return this.source.get(recordKey(table, id), false) as Record | undefined;
  }

  count<Record>(table: Table<Record>, { index, prefix, limit }: Pick<ListRequest, 'index' | 'prefix' | 'limit'>): number {
    let count = 0;
    const name = indexName(table, index);
    const [start, end] = boundsOf(placePrefix(name, prefix));
    const keys = this.source.keys({ index: name, start, end, reverse: false })[Symbol.iterator]();
    while (count < limit && keys.next().done !== true) count++;
    keys.return?.();
    return count;
  }

  list<Record>(table: Table<Record>, { index, prefix, limit, after, reverse = false, onDamage }: ListRequest): Page<Record> {
    const name = indexName(table, index);
    const whole = placePrefix(name, prefix);
    const [start, end] = boundsOf(whole);
    const records: Record[] = [];
    const keys = this.source.keys({
      index: name,
      start: after === undefined || reverse ? start : `${whole}${after}\u0001`,
      end: after === undefined || !reverse ? end : whole + after,
      reverse,
    });
    let last: string | undefined;
    for (const key of keys) {
      if (records.length === limit) return { records, next: last!.slice(whole.length) };
      const record = this.#oneOfMany(table, unescaped(key.slice(key.lastIndexOf(' ') + 1)), onDamage);
      if (record === undefined) continue;
      records.push(record);
      last = key;
    }
    return { records };
  }

  scan<Record>(table: Table<Record>, { limit, after, idPrefix = '', onDamage }: ScanRequest): Page<Record> {
    const prefix = table.keys.records;
    const records: Record[] = [];
    let last: string | undefined;
    // Ids are escaped character by character, so what an id begins with is what its key begins with.
    const first = prefix + escaped(idPrefix);
    const end = idPrefix === '' ? `${prefix.slice(0, -1)}!` : `${first}\u007f`;
    for (const key of this.source.keys({ start: after === undefined ? first : `${prefix}${after}\u0001`, end, reverse: false })) {
      if (records.length === limit) return { records, next: last!.slice(prefix.length) };
      const record = this.#oneOfMany(table, unescaped(key.slice(prefix.length)), onDamage);
      if (record === undefined) continue;
      records.push(record);
      last = key;
    }
    return { records };
  }

  lastId<Record>(table: Table<Record>): string | undefined {
    const prefix = table.keys.records;
    const [start, end] = boundsOf(prefix);
    for (const key of this.source.keys({ start, end, reverse: true })) {
      const id = unescaped(key.slice(prefix.length));
      let isThere = false;
      const record = this.#oneOfMany(table, id, () => {
        isThere = true;
      });
      if (record !== undefined || isThere) return id;
    }
    return undefined;
  }

  #oneOfMany<Record>(table: Table<Record>, id: string, onDamage: OnDamage | undefined): Record | undefined {
    try {
      return this.source.get(recordKey(table, id), true) as Record | undefined;
    } catch (error) {
      if (onDamage === undefined || !isStoredDamage(error)) throw error;
      onDamage(id, error);
      return undefined;
    }
  }
}

/** Every record of a table, a page at a time: what is written meanwhile may be missing. */
export function* everyRecord<Record>(view: View, table: Table<Record>): Generator<Record> {
  for (const { records } of pagesOf(view, table)) yield* records;
}

/** The same, page by page. */
export function pagesOf<Record>(view: View, table: Table<Record>): Iterable<Page<Record>> {
  const limit = limits.purgeRecordsMax;
  return walkPagesSync(nextOfList, (after?: string) => view.scan(table, defined({ limit, after })));
}

/** Every record at a place of an index, in its order, a page at a time. `limit`: of a page. */
export function* everyListed<Record>(
  view: View,
  table: Table<Record>,
  { limit = limits.purgeRecordsMax, ...place }: Pick<ListRequest, 'index' | 'prefix' | 'onDamage'> & { limit?: number },
): Generator<Record> {
  const pages = walkPagesSync(nextOfList, (after?: string) => view.list(table, { ...place, ...defined({ limit, after }) }));
  for (const { records } of pages) yield* records;
}

const nextOfList = { next: (page: { next?: string }) => page.next };

/** One change as it is made: what it wrote lies over what it reads. `null`: removed. */
export class Draft extends Reader implements Change {
  readonly writes: PendingWrites;
  readonly followers: (() => void)[] = [];
  /** Names of those it wrote to. */
  readonly tables = new Set<string>();
  readonly #watchers: Iterable<PutWatcher>;

  /** `source` has `writes` on top. */
  constructor(source: RecordSource, writes: PendingWrites, watchers: Iterable<PutWatcher> = []) {
    super(source);
    this.writes = writes;
    this.#watchers = watchers;
  }

  put<Record>(table: Table<Record>, record: Record): void {
    this.#write(table, table.idOf(record), record);
    for (const watch of this.#watchers) watch(table.name, record);
  }

  remove<Record>(table: Table<Record>, id: string): void {
    this.#write(table, id, undefined);
  }

  get hasWritten(): boolean {
    return !this.writes.isEmpty;
  }

  afterCommit(follow: () => void): void {
    this.followers.push(follow);
  }

  /** With the places that it no longer has, and those that it had not. */
  #write<Record>(table: Table<Record>, id: string, record: Record | undefined): void {
    const key = recordKey(table, id);
    const old = this.source.get(key, false) as Record | undefined;
    this.tables.add(table.name);
    this.writes.records.set(key, record === undefined ? null : new WrittenRecord(record));
    for (const [name, index] of table.keys.indexes) {
      const left = old === undefined ? undefined : placeKey(table, { name, index }, old);
      const taken = record === undefined ? undefined : placeKey(table, { name, index }, record);
      if (left === taken) continue;
      if (left !== undefined) this.writes.setPlace(index, left, false);
      if (taken !== undefined) this.writes.setPlace(index, taken, true);
    }
  }
}

function keyOf(parts: readonly KeyPart[]): string {
  return parts.map(escaped).join(' ');
}

/** What stands as it is; nearly every part does, and escaping costs more than looking. */
const plainPart = /^[\w.-]*$/;
/** Numbers are non-negative integers, written so that text order is number order. */
function escaped(part: KeyPart): string {
  if (typeof part === 'number') return part.toString(16).padStart(14, '0');
  return plainPart.test(part) ? part : encodeURIComponent(part).replaceAll('!', '%21');
}
function unescaped(part: string): string {
  return decodeURIComponent(part);
}
/** The parts that a key was made of. */
export function keyParts(key: string): string[] {
  return key.split(' ').map(unescaped);
}
