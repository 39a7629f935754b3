// Reading and numbering rows. Row ids of what belongs to a repository are `owner/name:` and the rest.
import type { Context, Namespace, PageInput, RowOf } from './model.js';

const scanPageRows = 500;
const perPageDefault = 30;
const perPageMax = 100;
const idDigits = 12;
/** Below it are the ids of rows that a world begins with. */
const firstOwnId = 10_000_001;

/** Numbers as row ids in their order. */
export const padded = (number: number): string => String(number).padStart(idDigits, '0');

export const rowId = (repo: string, ...parts: readonly (string | number)[]): string =>
  [repo, ...parts.map((part) => (typeof part === 'number' ? padded(part) : part))].join(':');

/** The rows whose id begins with `prefix`, in the order of ids. */
export function rowsOf<N extends Namespace>(context: Context, namespace: N, prefix = ''): RowOf<N>[] {
  const found: RowOf<N>[] = [];
  // A scan begins behind the id that it is given, and a row may be called as the prefix is.
  const exact = prefix === '' ? undefined : context.state.get(namespace, prefix);
  if (exact !== undefined) found.push(exact);
  let afterRowId: string | undefined = prefix === '' ? undefined : prefix;
  for (;;) {
    const page = context.state.scan(namespace, { limit: scanPageRows, ...(afterRowId === undefined ? {} : { afterRowId }) });
    for (const row of page) {
      if (!row.rowId.startsWith(prefix)) return found;
      found.push(row.value);
    }
    afterRowId = page.at(-1)?.rowId;
    if (page.length < scanPageRows || afterRowId === undefined) return found;
  }
}

export function nextId(context: Context): number {
  const next = context.state.get('counters', 'ids')?.next ?? firstOwnId;
  context.state.put('counters', 'ids', { next: next + 1 });
  return next;
}

export interface Page {
  items: readonly object[];
  total_count: number;
}

/** The page that was asked for; only its items are shaped. */
export function pageOf<Item>(items: readonly Item[], input: PageInput, shape: (item: Item) => object): Page {
  const { page, size } = pagingOf(input);
  return { items: items.slice((page - 1) * size, page * size).map(shape), total_count: items.length };
}

/** As GitHub reads it: pages begin at 1, and more than 100 items are 100. */
export function pagingOf({ page = 1, perPage, per_page = perPage ?? perPageDefault }: PageInput): { page: number; size: number } {
  return { page: Math.max(1, page), size: Math.min(perPageMax, Math.max(1, per_page)) };
}

/** Newest first unless `ascending`; of one moment, the higher id is newer. */
export function byTime<Item extends { readonly id: number }>(
  time: (item: Item) => number,
  ascending = false,
): (a: Item, b: Item) => number {
  const sign = ascending ? 1 : -1;
  return (a, b) => sign * (time(a) - time(b) || a.id - b.id);
}
