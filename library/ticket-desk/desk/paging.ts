// Cursors: where a page ended, bound to the list it was cut from. They hold no state of the desk, so they never expire.
import type { Context, Page } from './model.js';

export const defaultPageSize = 25;

interface Slice<Item> {
  /** In the order of the list. */
  items: readonly Item[];
  /** What is unique of an item and never changes. */
  idOf: (item: Item) => string;
  /** Where an item stands; equal keys stand in the order of ids. */
  keyOf: (item: Item) => number;
  order: 'asc' | 'desc';
  /** Names the list and its filters: a cursor of another list is refused. */
  scope: string;
  limit: number | undefined;
  cursor: string | undefined;
}

/** The page after `cursor`. An item that moved or came since is placed by its key, so none is given twice for having been counted. */
export function pageOf<Item>(context: Context, slice: Slice<Item>): Page<Item> {
  const { items, idOf, keyOf } = slice;
  const scopeHash = fingerprint(slice.scope);
  const position = slice.cursor === undefined ? undefined : parse(context, slice.cursor, scopeHash);
  const start = position === undefined ? 0 : items.findIndex((item) => isAfter(keyOf(item), idOf(item), position, slice.order));
  const page = start < 0 ? [] : items.slice(start, start + (slice.limit ?? defaultPageSize));
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < items.length;
  return more ? { items: page, nextCursor: `${scopeHash}.${keyOf(last)}.${idOf(last)}` } : { items: page };
}

/** Sorts by key in the given order, equal keys always by id. */
export function sortBy<Item>(items: Item[], list: Pick<Slice<Item>, 'idOf' | 'keyOf' | 'order'>): Item[] {
  const direction = list.order === 'asc' ? 1 : -1;
  return items.sort((a, b) => direction * (list.keyOf(a) - list.keyOf(b) || compareIds(list.idOf(a), list.idOf(b))));
}

interface Position {
  key: number;
  id: string;
}

function parse(context: Context, cursor: string, scopeHash: string): Position {
  const [scope, key, id] = cursor.split('.');
  if (scope !== scopeHash || key === undefined || !/^-?[0-9]+$/.test(key) || !id) {
    return context.fail({ code: 'CURSOR_INVALID', message: 'The cursor does not belong to this list and these filters.' });
  }
  return { key: Number(key), id };
}

function isAfter(key: number, id: string, position: Position, order: 'asc' | 'desc'): boolean {
  const distance = key - position.key || compareIds(id, position.id);
  return order === 'asc' ? distance > 0 : distance < 0;
}

// TKT-999 stands before TKT-1000: the shorter id is the older one.
function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** FNV-1a, 32 bits: enough to tell a cursor of another list, which is all it is for. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
