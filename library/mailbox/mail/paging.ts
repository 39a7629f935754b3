// Pages, newest first. A cursor says where a page ended and for which list; it holds no state of the mailbox, so it never expires.
import type { Context } from './model.js';
import { compareIds } from './rows.js';

export interface PageInput {
  readonly limit?: number;
  readonly cursor?: string;
}
export interface Page<Item> {
  items: readonly Item[];
  nextCursor?: string;
}
interface List<Item> {
  items: Item[];
  placeOf: (item: Item) => Place;
  /** Names the list and its filters: a cursor of another list is refused. */
  scope: string;
}
interface Place {
  readonly atUs: number;
  readonly id: string;
}

const defaultPageSize = 25;

/** What came since the page before is newer than its cursor, so no page repeats or leaves out what was there. */
export function pageOf<Item>(
  context: Context,
  { limit = defaultPageSize, cursor }: PageInput,
  { items, placeOf, scope }: List<Item>,
): Page<Item> {
  const scopeHash = fingerprint(scope);
  const start = cursor === undefined ? undefined : placeIn(context, cursor, scopeHash);
  const rest = items.filter((item) => start === undefined || newerFirst(start, placeOf(item)) < 0);
  rest.sort((a, b) => newerFirst(placeOf(a), placeOf(b)));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || page.length === rest.length) return { items: page };
  return { items: page, nextCursor: `${scopeHash}.${placeOf(last).atUs}.${placeOf(last).id}` };
}

function placeIn(context: Context, cursor: string, scopeHash: string): Place {
  const [scope, atUs, id] = cursor.split('.');
  if (scope === scopeHash && atUs !== undefined && /^-?[0-9]{1,16}$/.test(atUs) && id) return { atUs: Number(atUs), id };
  return context.fail({ code: 'CURSOR_INVALID', message: 'The cursor does not belong to this list and these filters.' });
}

function newerFirst(a: Place, b: Place): number {
  return b.atUs - a.atUs || compareIds(b.id, a.id);
}

/** FNV-1a, 32 bits: enough to tell a cursor of another list, which is all it is for. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
