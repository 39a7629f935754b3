// What lies where: finding a thing by its id, its place in the tree, whether it or something around it is in the trash, and what an edit
// leaves on it.
import { invalid, notFound } from './failures.js';
import type { Block, Context, Database, DataSource, Page, Parent } from './model.js';
import { dayUs } from './model.js';
import { plain } from './rich-text.js';
import { authorOf } from './rows.js';

export type Thing =
  | { kind: 'page'; row: Page }
  | { kind: 'block'; row: Block }
  | { kind: 'database'; row: Database }
  | { kind: 'data_source'; row: DataSource };

const trashUs = 30 * dayUs;

export function thingAt(context: Context, id: string): Thing | undefined {
  const { state } = context;
  const page = state.get('pages', id);
  if (page !== undefined) return { kind: 'page', row: page };
  const block = state.get('blocks', id);
  if (block !== undefined) return { kind: 'block', row: block };
  const database = state.get('databases', id);
  if (database !== undefined) return { kind: 'database', row: database };
  const source = state.get('data_sources', id);
  return source === undefined ? undefined : { kind: 'data_source', row: source };
}

export const requirePage = (context: Context, id: string): Page => context.state.get('pages', id) ?? notFound('page', id);
export const requireDatabase = (context: Context, id: string): Database => context.state.get('databases', id) ?? notFound('database', id);
export const requireDataSource = (context: Context, id: string): DataSource =>
  context.state.get('data_sources', id) ?? notFound('data source', id);

/** A page, a database and a block are blocks to the API; a data source is none. */
export function requireBlock(context: Context, id: string): Exclude<Thing, { kind: 'data_source' }> {
  const thing = thingAt(context, id);
  return thing === undefined || thing.kind === 'data_source' ? notFound('block', id) : thing;
}

/** What a thing lies on: the database of a data source. */
export function parentOf({ kind, row }: Thing): Parent {
  return kind === 'data_source' ? { type: 'database_id', database_id: row.database_id } : row.parent;
}

export function parentId(parent: Parent): string | undefined {
  if (parent.type === 'workspace') return undefined;
  return (parent as unknown as { [name: string]: string })[parent.type];
}

/** A parent as the API shows it: that of a page in a data source names its database too. */
export function shownParent(context: Context, parent: Parent): { [name: string]: string | boolean } {
  if (parent.type !== 'data_source_id') return { ...parent };
  const source = context.state.get('data_sources', parent.data_source_id);
  return { ...parent, ...(source === undefined ? {} : { database_id: source.database_id }) };
}

function* around(context: Context, parent: Parent): Generator<Thing> {
  for (let id = parentId(parent); id !== undefined; ) {
    const thing = thingAt(context, id);
    if (thing === undefined) return;
    yield thing;
    id = parentId(parentOf(thing));
  }
}

export function isBelowTrash(context: Context, parent: Parent): boolean {
  for (const { row } of around(context, parent)) if (row.in_trash) return true;
  return false;
}

export function isBelow(context: Context, parent: Parent, id: string): boolean {
  for (const { row } of around(context, parent)) if (row.id === id) return true;
  return false;
}

/** Nothing in the trash can be edited, and nothing on something that is there. */
export function requireEditable(context: Context, thing: Thing): void {
  if (thing.row.in_trash) invalid("Can't edit block that is archived. You must unarchive the block before editing.");
  if (isBelowTrash(context, parentOf(thing))) {
    invalid("Can't edit page on block with an archived ancestor. You must unarchive the ancestor before editing page.");
  }
}

export function put(context: Context, { kind, row }: Thing): void {
  if (kind === 'page') context.state.put('pages', row.id, row);
  else if (kind === 'block') context.state.put('blocks', row.id, row);
  else if (kind === 'database') context.state.put('databases', row.id, row);
  else context.state.put('data_sources', row.id, row);
}

/** The same thing with other members; the kind stays. */
export function changed<T extends Thing>(thing: T, members: Partial<T['row']>): T {
  return { ...thing, row: { ...thing.row, ...members } };
}

export const editedNow = (context: Context): { edited_us: number; edited_by: string } => ({
  edited_us: context.clock.nowUs(),
  edited_by: authorOf(context),
});

export function madeNow(context: Context, id: string) {
  const created_us = context.clock.nowUs();
  const created_by = authorOf(context);
  return { id, in_trash: false, purge: '', created_us, created_by, edited_us: created_us, edited_by: created_by };
}

/** The page whose content a change at `parent` is; it has been edited by it, and what lies between, too. */
export function touchAround(context: Context, parent: Parent): Page | undefined {
  for (const thing of around(context, parent)) {
    if (thing.kind !== 'page' && thing.kind !== 'block') return undefined;
    put(context, changed(thing, editedNow(context)));
    if (thing.kind === 'page') return requirePage(context, thing.row.id);
  }
  return undefined;
}

/** The page around it, or itself. */
export function pageAround(context: Context, thing: Thing): Page | undefined {
  if (thing.kind === 'page') return thing.row;
  for (const outer of around(context, parentOf(thing))) if (outer.kind === 'page') return outer.row;
  return undefined;
}

export function contentOf(context: Context, id: string): readonly string[] {
  return context.state.get('pages', id)?.content ?? context.state.get('blocks', id)?.content ?? [];
}

/** Puts ids into what a page or a block holds: at the end, at the start, or after one that is there. */
export function place(context: Context, holderId: string, ids: readonly string[], at: 'start' | 'end' | { after: string } = 'end'): void {
  const holder = thingAt(context, holderId);
  if (holder?.kind !== 'page' && holder?.kind !== 'block') return;
  const { content } = holder.row;
  const index = at === 'start' ? 0 : at === 'end' ? content.length : content.indexOf(at.after) + 1;
  if (typeof at === 'object' && index === 0) invalid(`There is no block ${at.after} in ${holderId} to append after.`);
  put(context, changed(holder, { content: [...content.slice(0, index), ...ids, ...content.slice(index)] }));
}

export function unplace(context: Context, parent: Parent, id: string): void {
  const holderId = parentId(parent);
  const holder = holderId === undefined ? undefined : thingAt(context, holderId);
  if (holder?.kind !== 'page' && holder?.kind !== 'block') return;
  put(context, changed(holder, { content: holder.row.content.filter((other) => other !== id) }));
}

/** Into the trash for thirty days, or out of it. The thing as it is then; undefined where nothing changes. */
export function setTrash<T extends Thing>(context: Context, thing: T, in_trash: boolean): T | undefined {
  if (thing.row.in_trash === in_trash) return undefined;
  if (thing.row.purge !== '') context.events.cancel(thing.row.purge);
  const { id } = thing.row;
  const purge = in_trash ? context.events.scheduleAt('trash.purge-due', { id }, context.clock.nowUs() + trashUs) : '';
  const next = changed(thing, { in_trash, purge, ...editedNow(context) } as Partial<T['row']>);
  put(context, next);
  return next;
}

/** Pages name themselves by their title. */
export function titleOf(thing: Thing): string {
  if (thing.kind === 'page') return plain((thing.row.values.title ?? []) as readonly []);
  return thing.kind === 'block' ? '' : plain(thing.row.title);
}
