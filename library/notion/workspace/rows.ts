// Ids, who acts, scans and pages of lists: what every part of the workspace needs.
import { invalid, text, unfit } from './failures.js';
import type { Context, Json, Rows } from './model.js';

const scanPageRows = 1000;
const pageSizeMax = 100;

export function rowsWhere<N extends keyof Rows>(context: Context, namespace: N, matches: (row: Rows[N]) => boolean): Rows[N][] {
  const found: Rows[N][] = [];
  let afterRowId: string | undefined;
  do {
    const page = context.state.scan(namespace, { limit: scanPageRows, ...(afterRowId === undefined ? {} : { afterRowId }) });
    for (const { value } of page) if (matches(value)) found.push(value);
    afterRowId = page.length === scanPageRows ? page.at(-1)?.rowId : undefined;
  } while (afterRowId !== undefined);
  return found;
}

/** A random id of version 4, from the world's seed. */
export function newId(context: Context): string {
  const half = (): string => context.random.nextU64().toString(16).padStart(16, '0');
  const hex = half() + half();
  const variant = '89ab'[Number.parseInt(hex[16] as string, 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** A short id, such as those of properties and options. */
export function shortId(context: Context, taken: ReadonlySet<string>): string {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  for (;;) {
    const id = Array.from({ length: 4 }, () => letters[context.random.nextInteger(0, letters.length)]).join('');
    if (!taken.has(id)) return id;
  }
}

/** A world that says nothing of its workspace has one all the same. */
export function workspaceOf(context: Context): { id: string; name: string; bot_id: string } {
  return (
    context.state.get('workspace', 'workspace') ?? {
      id: '00000000-0000-4000-8000-000000000001',
      name: 'Workspace',
      bot_id: '00000000-0000-4000-8000-000000000002',
    }
  );
}

/** Who writes: the actor's own user where its attributes name one, else the bot of the integration. */
export function authorOf(context: Context): string {
  const own = context.actor.attributes.notion_user_id;
  return typeof own === 'string' && context.state.get('users', own) !== undefined ? own : workspaceOf(context).bot_id;
}

export interface PageInput {
  readonly page_size?: Json;
  readonly start_cursor?: Json;
}
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** The page that begins with the item `start_cursor`, by the id of each; a cursor that names none of them is refused. */
export function pageOf<Item>(
  items: readonly Item[],
  input: PageInput,
  idOf: (item: Item, index: number) => string,
  givenIn: 'body' | 'query' = 'query',
): ListPage<Item> {
  const size = pageSizeOf(input.page_size, `${givenIn}.page_size`);
  const cursor = input.start_cursor ?? null;
  const start = cursor === null ? 0 : items.findIndex((item, index) => idOf(item, index) === text(cursor, `${givenIn}.start_cursor`));
  if (start < 0) invalid(`The start_cursor provided is invalid: ${String(cursor)}`);
  const next = items[start + size];
  return {
    items: items.slice(start, start + size),
    next_cursor: next === undefined ? null : idOf(next, start + size),
    has_more: next !== undefined,
  };
}

function pageSizeOf(value: Json | undefined, path: string): number {
  if (value === undefined || value === null) return pageSizeMax;
  const size = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1) return unfit(path, 'a positive integer', value);
  return size > pageSizeMax ? unfit(path, '≤ `100`', value) : size;
}

/** A list as the API shows it. */
export function listed(type: string, { items, next_cursor, has_more }: ListPage<Json>): Json {
  return { object: 'list', results: items, next_cursor, has_more, type, [type]: {} };
}
