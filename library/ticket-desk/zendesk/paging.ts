// Both of Zendesk's ways to page: by cursors (`page[size]`, `page[after]`), and by the number of a page (`page`, `per_page`).
import type { EncodeInput, HttpRequest, JsonValue } from 'drillyard/tool-sdk';
import { unsupported } from './failures.js';

type Query = HttpRequest['query'];
type Shown = { [name: string]: JsonValue };
export interface Part<Item> {
  items: readonly Item[];
  total: number;
}

export const pageNames = ['page', 'per_page', 'page[size]', 'page[after]', 'page[before]'];
const pageMax = 100;

/** What cannot be read stays as it is, so that the operation's schema says so. More than a page has is cut to it, as Zendesk does. */
export function sliceIn(query: Query): { [name: string]: JsonValue } {
  if (query['page[before]'] !== undefined) throw unsupported('Going back by page[before]');
  const size = isByCursor(query) ? query['page[size]']?.[0] : query.per_page?.[0];
  const limit = size === undefined ? pageMax : /^[1-9]\d{0,8}$/.test(size) ? Math.min(Number(size), pageMax) : size;
  if (typeof limit === 'string') return { limit };
  const place = isByCursor(query) ? afterIn(query) : pageIn(query);
  return { limit, offset: typeof place === 'number' && !isByCursor(query) ? (place - 1) * limit : place };
}

/** `name`: the list's member. */
export function pageOf<Item>(name: string, shape: (item: Item, input: EncodeInput) => JsonValue) {
  return ({ items, total }: Part<Item>, input: EncodeInput): Shown => {
    const shown = { [name]: items.map((item) => shape(item, input)) };
    const { query } = input.request;
    const { offset } = sliceIn(query) as { offset: number };
    const after = offset + items.length;
    const hasMore = items.length > 0 && after < total;
    if (isByCursor(query)) {
      const next = hasMore ? urlWith(input, { 'page[after]': cursorOf(after) }) : null;
      return {
        ...shown,
        meta: { has_more: hasMore, after_cursor: hasMore ? cursorOf(after) : null, before_cursor: null },
        links: { prev: null, next },
      };
    }
    const page = Number(pageIn(query));
    const previous = page > 1 ? urlWith(input, { page: String(page - 1) }) : null;
    return { ...shown, next_page: hasMore ? urlWith(input, { page: String(page + 1) }) : null, previous_page: previous, count: total };
  };
}

const isByCursor = (query: Query): boolean => query['page[size]'] !== undefined || query['page[after]'] !== undefined;
const cursorOf = (offset: number): string => `p${offset.toString(36)}`;

function afterIn(query: Query): number | string {
  const [after] = query['page[after]'] ?? [];
  if (after === undefined) return 0;
  return /^p[0-9a-z]{1,6}$/.test(after) ? Number.parseInt(after.slice(1), 36) : after;
}

function pageIn(query: Query): number | string {
  const page = query.page?.[0] ?? '1';
  return /^[1-9]\d{0,5}$/.test(page) ? Number(page) : page;
}

/** The same request with other members in its query. */
export function urlWith({ baseUrl, request }: EncodeInput, changed: { readonly [name: string]: string }): string {
  const kept = Object.entries(request.query).filter(([name]) => changed[name] === undefined);
  const pairs = [...kept.flatMap(([name, values]) => values.map((value) => [name, value] as const)), ...Object.entries(changed)];
  return `${baseUrl}${request.pathname}?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;
}
