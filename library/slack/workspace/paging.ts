// Pages by cursor. A cursor says behind which item the next page begins, and of which list; it holds no state, so it never expires.
import type { Context } from './model.js';
import { refuse } from './rows.js';

export interface PageInput {
  readonly limit?: number;
  readonly cursor?: string;
}
export interface Page<Item> {
  items: Item[];
  /** Empty where there are no more, as the API has it. */
  next_cursor: string;
}
interface List<Item> {
  /** In the order of their keys, rising or falling. */
  items: readonly Item[];
  keyOf: (item: Item) => string;
  falling?: boolean;
  /** Names the list: the cursor of another one is refused. */
  scope: string;
  limitDefault: number;
}

export function pageOf<Item>(context: Context, { limit = 0, cursor = '' }: PageInput, list: List<Item>): Page<Item> {
  const { items, keyOf, falling = false, scope, limitDefault } = list;
  const after = cursor === '' ? undefined : keyIn(context, cursor, scope);
  const rest = items.filter((item) => after === undefined || (falling ? keyOf(item) < after : keyOf(item) > after));
  const page = rest.slice(0, limit > 0 ? limit : limitDefault);
  const last = page.at(-1);
  return { items: page, next_cursor: last === undefined || page.length === rest.length ? '' : `${scope}:${keyOf(last)}` };
}

function keyIn(context: Context, cursor: string, scope: string): string {
  if (cursor.startsWith(`${scope}:`)) return cursor.slice(scope.length + 1);
  return refuse(context, 'INVALID_CURSOR', 'The cursor is not one of this list.');
}

/** `response_metadata` of a page. */
export const metadataOf = ({ next_cursor }: { next_cursor: string }): { response_metadata: { next_cursor: string } } => ({
  response_metadata: { next_cursor },
});
