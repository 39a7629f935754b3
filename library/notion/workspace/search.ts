// Search by title. It lags: what was made, renamed or thrown away is found as it was before until some virtual time has gone by.

import { shownDataSource } from './data-sources.js';
import { members, oneOf, text } from './failures.js';
import type { Context, Json, Members, Unseen } from './model.js';
import { secondUs } from './model.js';
import { shownPage } from './pages.js';
import { listed, type PageInput, pageOf, rowsWhere } from './rows.js';
import { changed, isBelowTrash, parentOf, put, type Thing, titleOf } from './tree.js';

type Found = Extract<Thing, { kind: 'page' | 'data_source' }>;

const lagUs = 5 * secondUs;

/** Remembers what search shows of something that changes now; `before` is null where it shows nothing. */
export function markUnseen(context: Context, thing: Found, before: string | null): void {
  put(context, changed(thing, { unseen: unseenAfter(context, thing.row.unseen, before) }));
}

export function unseenAfter(context: Context, unseen: readonly Unseen[], before: string | null): Unseen[] {
  const nowUs = context.clock.nowUs();
  const { lag_us = lagUs } = context.state.get('conditions', 'search') ?? {};
  return [...unseen.filter(({ until_us }) => until_us > nowUs), { until_us: nowUs + lag_us, title: before }];
}

/** The title under which search has it now; undefined where it has it not. */
function seenTitle(context: Context, thing: Found, inTrash: boolean): string | undefined {
  const nowUs = context.clock.nowUs();
  const earlier = thing.row.unseen.find(({ until_us }) => until_us > nowUs);
  if (earlier !== undefined) return inTrash ? undefined : (earlier.title ?? undefined);
  const isGone = thing.row.in_trash || isBelowTrash(context, parentOf(thing));
  return isGone === inTrash ? titleOf(thing) : undefined;
}

export function search(input: Members & PageInput, context: Context): Json {
  const words = text(input.query ?? '', 'body.query')
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean);
  const { object, inTrash } = filterOf(input.filter);
  const isAscending = sortOf(input.sort) === 'ascending';
  const pages: Found[] =
    object === 'data_source' ? [] : rowsWhere(context, 'pages', (row) => !row.is_template).map((row) => ({ kind: 'page', row }));
  const sources: Found[] =
    object === 'page' ? [] : rowsWhere(context, 'data_sources', () => true).map((row) => ({ kind: 'data_source', row }));
  const found = [...pages, ...sources].filter((thing) => {
    const title = seenTitle(context, thing, inTrash)?.toLowerCase();
    return title !== undefined && words.every((word) => title.includes(word));
  });
  const sign = isAscending ? 1 : -1;
  found.sort((a, b) => sign * (a.row.edited_us - b.row.edited_us) || (a.row.id < b.row.id ? -1 : 1));
  const page = pageOf(found, input, ({ row }) => row.id, 'body');
  return listed('page_or_data_source', {
    ...page,
    items: page.items.map((thing) => (thing.kind === 'page' ? shownPage(context, thing.row) : shownDataSource(context, thing.row))),
  });
}

function filterOf(value: Json | undefined): { object?: string; inTrash: boolean } {
  if (value === undefined) return { inTrash: false };
  const given = members(value, 'body.filter');
  const inTrash = given.in_trash === true;
  if (given.value === undefined && given.property === undefined && given.in_trash !== undefined) return { inTrash };
  oneOf(given.property, 'body.filter.property', ['object']);
  return { object: oneOf(given.value, 'body.filter.value', ['page', 'data_source']), inTrash };
}

/** Relevance is the order of edits here as well: every word is in each title that is found. */
function sortOf(value: Json | undefined): 'ascending' | 'descending' {
  if (value === undefined) return 'descending';
  const given = members(value, 'body.sort');
  if (given.property === 'relevance') return 'descending';
  oneOf(given.timestamp, 'body.sort.timestamp', ['last_edited_time']);
  return oneOf(given.direction, 'body.sort.direction', ['ascending', 'descending']);
}
