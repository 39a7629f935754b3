// How records lie in the catalog: tables of records by id, with ordered indexes over them.
// A key is ASCII text, its parts escaped and joined by spaces, so that text order is byte order is part order. A record is JSON text: twice
// as fast here as msgpackr, and a member called __proto__ comes back as it went in.
import { walkPagesSync } from '../../async/pages.js';
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';

export type KeyPart = string | number;
export interface Table<Record> {
  readonly name: string;
  idOf(record: Record): string;
  /** By name: where a record stands in the index; undefined: it does not. Equal places are ordered by id. */
  readonly indexes: { readonly [name: string]: (record: Record) => readonly KeyPart[] | undefined };
}
export function defineTable<Record>(table: Table<Record>): Table<Record> {
  return table;
}

export interface ListRequest {
  index: string;
  /** The leading parts that must be equal. */
  prefix: readonly KeyPart[];
  limit: number;
  /** Exclusive: the `next` of an earlier page. */
  after?: string;
  /** The last first. */
  reverse?: boolean;
}
export interface ScanRequest {
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
  /** Runs when the change is durable, before its caller continues. Must not throw. */
  afterCommit(follow: () => void): void;
}

/** Sees every record that is put, also by a change that is refused in the end. */
export type PutWatcher = (tableName: string, record: unknown) => void;

/** What keys are read from: the disk, or the disk under what is pending. */
export interface KeySource {
  get(key: string): Uint8Array | undefined;
  /** Keys of [start, end), in order or in reverse. */
  keys(start: string, end: string, reverse: boolean): Iterable<string>;
}

/** Whether a key of a record or of an index begins with this byte. */
export const beginsTableKey = (byte: number): boolean => byte === 0x72 || byte === 0x69;
export const recordKey = <Record>(table: Table<Record>, id: string): string => keyOf(['r', table.name, id]);
const indexPrefix = (table: string, index: string, parts: readonly KeyPart[]): string => `${keyOf(['i', table, index, ...parts])} `;

/** '!' follows the space that ends a prefix: everything that begins with the prefix lies between. */
const boundsOf = (prefix: string): [start: string, end: string] => [prefix, `${prefix.slice(0, -1)}!`];

/** Every key of a record's indexes. */
export function indexKeys<Record>(table: Table<Record>, record: Record): string[] {
  return Object.entries(table.indexes).flatMap(([name, placeOf]) => {
    const place = placeOf(record);
    return place === undefined ? [] : [indexPrefix(table.name, name, place) + escaped(table.idOf(record))];
  });
}

export class Reader implements View {
  readonly #source: KeySource;

  constructor(source: KeySource) {
    this.#source = source;
  }

  get<Record>(table: Table<Record>, id: string): Record | undefined {
    const bytes = this.#source.get(recordKey(table, id));
    return bytes === undefined
      ? undefined
      : (JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Record);
  }

  count<Record>(table: Table<Record>, { index, prefix, limit }: Pick<ListRequest, 'index' | 'prefix' | 'limit'>): number {
    let count = 0;
    const keys = this.#source.keys(...boundsOf(indexPrefix(table.name, index, prefix)), false)[Symbol.iterator]();
    while (count < limit && keys.next().done !== true) count++;
    keys.return?.();
    return count;
  }

  list<Record>(table: Table<Record>, { index, prefix, limit, after, reverse = false }: ListRequest): Page<Record> {
    const whole = indexPrefix(table.name, index, prefix);
    const [start, end] = boundsOf(whole);
    const records: Record[] = [];
    const keys = this.#source.keys(
      after === undefined || reverse ? start : `${whole}${after}\u0001`,
      after === undefined || !reverse ? end : whole + after,
      reverse,
    );
    let last: string | undefined;
    for (const key of keys) {
      if (records.length === limit) return { records, next: last!.slice(whole.length) };
      const id = unescaped(key.slice(key.lastIndexOf(' ') + 1));
      const record = this.get(table, id);
      if (record === undefined) continue;
      records.push(record);
      last = key;
    }
    return { records };
  }

  scan<Record>(table: Table<Record>, { limit, after, idPrefix = '' }: ScanRequest): Page<Record> {
    const prefix = `${keyOf(['r', table.name])} `;
    const records: Record[] = [];
    let last: string | undefined;
    // Ids are escaped character by character, so what an id begins with is what its key begins with.
    const first = prefix + escaped(idPrefix);
    const end = idPrefix === '' ? `${prefix.slice(0, -1)}!` : `${first}\u007f`;
    for (const key of this.#source.keys(after === undefined ? first : `${prefix}${after}\u0001`, end, false)) {
      if (records.length === limit) return { records, next: last!.slice(prefix.length) };
      const record = this.get(table, unescaped(key.slice(prefix.length)));
      if (record === undefined) continue;
      records.push(record);
      last = key;
    }
    return { records };
  }

  lastId<Record>(table: Table<Record>): string | undefined {
    const prefix = `${keyOf(['r', table.name])} `;
    for (const key of this.#source.keys(...boundsOf(prefix), true)) {
      const id = unescaped(key.slice(prefix.length));
      if (this.get(table, id) !== undefined) return id;
    }
    return undefined;
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
  { limit = limits.purgeRecordsMax, ...place }: Pick<ListRequest, 'index' | 'prefix'> & { limit?: number },
): Generator<Record> {
  const pages = walkPagesSync(nextOfList, (after?: string) => view.list(table, { ...place, ...defined({ limit, after }) }));
  for (const { records } of pages) yield* records;
}

const nextOfList = { next: (page: { next?: string }) => page.next };

/** One change as it is made: what it wrote lies over what it reads. `null`: removed. */
export class Draft extends Reader implements Change {
  readonly writes: Map<string, Buffer | null>;
  readonly followers: (() => void)[] = [];
  /** Names of those it wrote to. */
  readonly tables = new Set<string>();
  readonly #watchers: Iterable<PutWatcher>;

  constructor(source: KeySource, writes: Map<string, Buffer | null>, watchers: Iterable<PutWatcher> = []) {
    super(source);
    this.writes = writes;
    this.#watchers = watchers;
  }

  put<Record>(table: Table<Record>, record: Record): void {
    const id = table.idOf(record);
    this.tables.add(table.name);
    this.#unindex(table, id);
    this.writes.set(recordKey(table, id), Buffer.from(JSON.stringify(record)));
    for (const watch of this.#watchers) watch(table.name, record);
    for (const key of indexKeys(table, record)) this.writes.set(key, Buffer.alloc(0));
  }

  remove<Record>(table: Table<Record>, id: string): void {
    this.tables.add(table.name);
    this.#unindex(table, id);
    this.writes.set(recordKey(table, id), null);
  }

  afterCommit(follow: () => void): void {
    this.followers.push(follow);
  }

  #unindex<Record>(table: Table<Record>, id: string): void {
    const old = this.get(table, id);
    if (old !== undefined) for (const key of indexKeys(table, old)) this.writes.set(key, null);
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
