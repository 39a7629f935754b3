// Databases: what holds data sources and stands on a page.
import { tellContent } from './blocks.js';
import { addDataSource } from './data-sources.js';
import { flag, members, uuid } from './failures.js';
import type { Context, Database, DatabaseRow, Json, Parent } from './model.js';
import { addressOf, file, icon, plain, richText } from './rich-text.js';
import { authorOf, newId } from './rows.js';
import { minuteText } from './time.js';
import { moveToTrash } from './trash.js';
import { editedNow, madeNow, place, requireDatabase, requireEditable, requirePage, shownParent, touchAround, unplace } from './tree.js';

interface OfDatabase {
  readonly database_id: string;
}

export function retrieveDatabase({ database_id }: OfDatabase, context: Context): Json {
  return shownDatabase(context, requireDatabase(context, uuid(database_id, 'path.database_id')));
}

export const childlessIds = (database: Database, id: string): string[] => database.data_sources.filter((other) => other !== id);

function shownDatabase(context: Context, database: Database): Json {
  const sources = database.data_sources.flatMap((id) => context.state.get('data_sources', id) ?? []).filter(({ in_trash }) => !in_trash);
  return {
    object: 'database',
    id: database.id,
    title: database.title,
    description: database.description,
    parent: shownParent(context, database.parent),
    is_inline: database.is_inline,
    is_locked: database.is_locked,
    in_trash: database.in_trash,
    archived: database.in_trash,
    created_time: minuteText(database.created_us),
    last_edited_time: minuteText(database.edited_us),
    data_sources: sources.map(({ id, title }) => ({ id, name: plain(title) })),
    icon: database.icon,
    cover: database.cover,
    url: addressOf(database.id),
    public_url: null,
  };
}

interface Creating {
  readonly parent?: Json;
  readonly title?: Json;
  readonly description?: Json;
  readonly is_inline?: Json;
  readonly initial_data_source?: Json;
  readonly icon?: Json;
  readonly cover?: Json;
}

export function createDatabase(input: Creating, context: Context): Json {
  const parent = parentGiven(context, input.parent);
  const id = newId(context);
  const row: DatabaseRow = {
    ...madeNow(context, id),
    parent,
    title: input.title === undefined ? [] : richText(context, input.title, 'body.title'),
    description: input.description === undefined ? [] : richText(context, input.description, 'body.description'),
    icon: icon(input.icon, 'body.icon'),
    cover: input.cover === undefined || input.cover === null ? null : file(input.cover, 'body.cover'),
    is_inline: flag(input.is_inline, 'body.is_inline'),
    is_locked: false,
    data_sources: [],
  };
  context.state.put('databases', id, row);
  if (parent.type === 'page_id') place(context, parent.page_id, [id]);
  context.events.emit('database.created', { id, by: authorOf(context), parent });
  const first = input.initial_data_source === undefined ? {} : members(input.initial_data_source, 'body.initial_data_source');
  addDataSource(context, id, { ...(input.title === undefined ? {} : { title: input.title }), properties: first.properties ?? {} });
  const page = touchAround(context, parent);
  if (page !== undefined) tellContent(context, page, [id]);
  return shownDatabase(context, requireDatabase(context, id));
}

function parentGiven(context: Context, value: Json | undefined): Parent {
  const given = members(value, 'body.parent');
  if (given.workspace === true) return { type: 'workspace', workspace: true };
  const page = requirePage(context, uuid(given.page_id, 'body.parent.page_id'));
  requireEditable(context, { kind: 'page', row: page });
  return { type: 'page_id', page_id: page.id };
}

type Updating = OfDatabase &
  Omit<Creating, 'initial_data_source'> & { readonly in_trash?: Json; readonly archived?: Json; readonly is_locked?: Json };

export function updateDatabase(input: Updating, context: Context): Json {
  const id = uuid(input.database_id, 'path.database_id');
  const wished = input.in_trash ?? input.archived;
  const before = requireDatabase(context, id);
  if (wished !== undefined && !flag(wished, 'body.in_trash')) moveToTrash(context, { kind: 'database', row: before }, false);
  const present = requireDatabase(context, id);
  if (!(present.in_trash && wished === true)) requireEditable(context, { kind: 'database', row: present });
  const { title, description, icon: look, cover } = input;
  context.state.put('databases', id, {
    ...present,
    ...(title === undefined ? {} : { title: richText(context, title, 'body.title') }),
    ...(description === undefined ? {} : { description: richText(context, description, 'body.description') }),
    ...(look === undefined ? {} : { icon: icon(look, 'body.icon') }),
    ...(cover === undefined ? {} : { cover: cover === null ? null : file(cover, 'body.cover') }),
    is_inline: flag(input.is_inline, 'body.is_inline', present.is_inline),
    is_locked: flag(input.is_locked, 'body.is_locked', present.is_locked),
    ...editedNow(context),
  });
  if (input.parent !== undefined) moveDatabase(context, id, parentGiven(context, input.parent));
  if (wished === true) moveToTrash(context, { kind: 'database', row: requireDatabase(context, id) }, true);
  return shownDatabase(context, requireDatabase(context, id));
}

function moveDatabase(context: Context, id: string, parent: Parent): void {
  const database = requireDatabase(context, id);
  if (JSON.stringify(database.parent) === JSON.stringify(parent)) return;
  unplace(context, database.parent, id);
  context.state.put('databases', id, { ...database, parent });
  if (parent.type === 'page_id') place(context, parent.page_id, [id]);
  context.events.emit('database.moved', { id, by: authorOf(context), parent });
}
