// Pages of a list. A cursor names a place in one list, as one caller asks for it, and is MACed: it can be kept and sent again, not made.
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import { cursorOf, placeOf } from '../../contract/list-cursor.js';
import { compareTexts } from '../../text/compare-texts.js';
import type { Keyring } from './keyring.js';
import type { KeyPart, Table, View } from './tables.js';

export interface PageRequest<Record> {
  table: Table<Record>;
  index: string;
  /** Whose list it is: the organization or the project first, always. The cursor is good for this prefix only. */
  prefix: readonly KeyPart[];
  reverse?: boolean;
  query: { cursor?: string; limit?: number } | undefined;
  /** What else the caller narrowed the list by; a cursor is good for these values only. */
  filters?: { readonly [name: string]: string | number | undefined };
  /**
   * What the index cannot tell. Where matches are so rare that one request does not find the next of them, a page may be short, even empty,
   * and still have a next one.
   */
  where?: (record: Record) => boolean;
}
export interface ListPage<Record> {
  items: Record[];
  nextCursor?: string;
}

/** control.CURSOR_INVALID for a cursor that is forged, or from another list, filter or caller. */
export function listPage<Record>({ keyring }: { keyring: Keyring }, view: View, request: PageRequest<Record>): ListPage<Record> {
  const { table, index, prefix, reverse = false, query = {}, where } = request;
  const limit = query.limit ?? limits.pageItemsDefault;
  const purpose = purposeOf(request);
  let after = query.cursor === undefined ? undefined : placeOf(keyring, purpose, query.cursor);
  const items: Record[] = [];
  // A rare match must not make one request read a whole table.
  let bytes = 0;
  for (let read = 0; read < limits.pageRecordsReadMax && bytes < limits.pageBytesMax; ) {
    const isWhole = items.length === limit;
    const wanted = isWhole ? limits.pageRecordsAtOnce : Math.min(limit - items.length, limits.pageRecordsAtOnce);
    const { records, next } = view.list(table, { index, prefix, limit: wanted, reverse, ...defined({ after }) });
    const found = where === undefined ? records : records.filter(where);
    // One that the next page shows: it begins where this one ended.
    if (isWhole && found.length > 0) break;
    items.push(...found);
    if (next === undefined) return { items };
    bytes += Buffer.byteLength(JSON.stringify(found));
    after = next;
    read += wanted;
    if (where === undefined && items.length === limit) break;
  }
  return { items, nextCursor: cursorOf(keyring, purpose, after!) };
}

function purposeOf<Record>({ table, index, prefix, reverse = false, filters = {} }: PageRequest<Record>): string {
  const narrowed = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => compareTexts(left, right));
  return `cursor ${JSON.stringify([table.name, index, prefix, reverse, narrowed])}`;
}
