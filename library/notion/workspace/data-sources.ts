// Data sources: the tables of a database, with the schema of their pages.
import { childlessIds } from './databases.js';
import { flag, invalid, members, text, uuid } from './failures.js';
import type { Context, DataSource, DataSourceRow, Json, Members, Parent, PropertyRow } from './model.js';
import { optionsOf } from './options.js';
import { completeDuals } from './relations.js';
import { addressOf, icon, richText } from './rich-text.js';
import { authorOf, newId, rowsWhere } from './rows.js';
import { newProperties, propertyNamed, propertyOf } from './schema.js';
import { markUnseen, unseenAfter } from './search.js';
import { minuteText } from './time.js';
import { moveToTrash } from './trash.js';
import { changed, editedNow, madeNow, put, requireDatabase, requireDataSource, requireEditable, shownParent, titleOf } from './tree.js';

interface OfSource {
  readonly data_source_id: string;
}

export function retrieveDataSource({ data_source_id }: OfSource, context: Context): Json {
  return shownDataSource(context, requireDataSource(context, uuid(data_source_id, 'path.data_source_id')));
}

export function shownDataSource(context: Context, source: DataSource): Json {
  const database = context.state.get('databases', source.database_id);
  return {
    object: 'data_source',
    id: source.id,
    title: source.title,
    description: source.description,
    icon: source.icon,
    cover: null,
    parent: { type: 'database_id', database_id: source.database_id },
    database_parent: database === undefined ? { type: 'workspace', workspace: true } : shownParent(context, database.parent),
    is_inline: database?.is_inline ?? false,
    in_trash: source.in_trash,
    archived: source.in_trash,
    created_time: minuteText(source.created_us),
    last_edited_time: minuteText(source.edited_us),
    created_by: { object: 'user', id: source.created_by },
    last_edited_by: { object: 'user', id: source.edited_by },
    properties: Object.fromEntries(source.properties.map((property) => [property.name, shownConfig(context, property)])),
    url: addressOf(source.database_id),
    public_url: null,
  };
}

function shownConfig(context: Context, { id, name, type, description, config }: PropertyRow | DataSource['properties'][number]): Json {
  const shown = type === 'relation' ? relationShown(context, config) : config;
  return { id, name, description, type, [type]: shown };
}

function relationShown(context: Context, config: Members): Members {
  const database_id = context.state.get('data_sources', String(config.data_source_id))?.database_id ?? '';
  return { ...config, database_id };
}

interface Creating {
  readonly parent?: Json;
  readonly properties?: Json;
  readonly title?: Json;
  readonly icon?: Json;
}

export function createDataSource(input: Creating, context: Context): Json {
  const parent = members(input.parent, 'body.parent');
  const database = requireDatabase(context, uuid(parent.database_id, 'body.parent.database_id'));
  requireEditable(context, { kind: 'database', row: database });
  if (input.properties === undefined) members(input.properties, 'body.properties');
  return shownDataSource(context, addDataSource(context, database.id, input));
}

export function addDataSource(context: Context, database_id: string, { title, properties, icon: look }: Creating): DataSource {
  const id = newId(context);
  const row: DataSourceRow = {
    ...madeNow(context, id),
    database_id,
    title: title === undefined ? [] : richText(context, title, 'body.title'),
    description: [],
    icon: icon(look, 'body.icon'),
    properties: newProperties(context, properties, 'body.properties', id),
    next_number: 1,
    default_template: null,
    unseen: unseenAfter(context, [], null),
  };
  context.state.put('data_sources', id, row);
  const database = requireDatabase(context, database_id);
  context.state.put('databases', database_id, { ...database, data_sources: [...database.data_sources, id], ...editedNow(context) });
  completeDuals(context, id);
  context.events.emit('data_source.created', { id, by: authorOf(context), parent: { type: 'database_id', database_id } });
  return requireDataSource(context, id);
}

interface Updating extends OfSource {
  readonly title?: Json;
  readonly description?: Json;
  readonly icon?: Json;
  readonly properties?: Json;
  readonly in_trash?: Json;
  readonly archived?: Json;
  readonly parent?: Json;
}

export function updateDataSource(input: Updating, context: Context): Json {
  const id = uuid(input.data_source_id, 'path.data_source_id');
  const wished = input.in_trash ?? input.archived;
  const before = requireDataSource(context, id);
  if (wished !== undefined && !flag(wished, 'body.in_trash')) moveToTrash(context, { kind: 'data_source', row: before }, false);
  const present = requireDataSource(context, id);
  if (!(present.in_trash && wished === true)) requireEditable(context, { kind: 'data_source', row: present });
  if (input.title !== undefined || input.description !== undefined || input.icon !== undefined) changeLooks(context, present, input);
  if (input.properties !== undefined) changeSchema(context, id, members(input.properties, 'body.properties'));
  if (input.parent !== undefined) moveSource(context, id, members(input.parent, 'body.parent'));
  if (wished === true) moveToTrash(context, { kind: 'data_source', row: requireDataSource(context, id) }, true);
  return shownDataSource(context, requireDataSource(context, id));
}

function changeLooks(context: Context, source: DataSource, input: Updating): void {
  const row: DataSource = {
    ...source,
    ...(input.title === undefined ? {} : { title: richText(context, input.title, 'body.title') }),
    ...(input.description === undefined ? {} : { description: richText(context, input.description, 'body.description') }),
    ...(input.icon === undefined ? {} : { icon: icon(input.icon, 'body.icon') }),
    ...editedNow(context),
  };
  const before = titleOf({ kind: 'data_source', row: source });
  context.state.put('data_sources', source.id, row);
  if (titleOf({ kind: 'data_source', row }) !== before) markUnseen(context, { kind: 'data_source', row }, before);
}

function moveSource(context: Context, id: string, parent: Members): void {
  const target = requireDatabase(context, uuid(parent.database_id, 'body.parent.database_id'));
  const source = requireDataSource(context, id);
  if (target.id === source.database_id) return;
  const from = requireDatabase(context, source.database_id);
  put(context, changed({ kind: 'database', row: from }, { data_sources: childlessIds(from, id) }));
  put(context, changed({ kind: 'database', row: target }, { data_sources: [...target.data_sources, id] }));
  context.state.put('data_sources', id, { ...source, database_id: target.id, ...editedNow(context) });
  context.events.emit('data_source.moved', { id, by: authorOf(context), parent: { type: 'database_id', database_id: target.id } });
}

interface SchemaChange {
  id: string;
  name: string;
  action: string;
}

/** Each property is named by its name or id: null removes it, a name alone renames it, anything else says what it is from now on. */
function changeSchema(context: Context, id: string, wishes: Members): void {
  const changes: SchemaChange[] = [];
  for (const [key, wish] of Object.entries(wishes)) {
    const source = requireDataSource(context, id);
    const known = propertyNamed(source.properties, key);
    if (wish === null) {
      if (known === undefined) invalid(`${key} is not a property that exists.`);
      if (known.type === 'title') invalid('The title property cannot be removed.');
      context.state.put('data_sources', id, { ...source, properties: source.properties.filter((one) => one.id !== known.id) });
      changes.push({ id: known.id, name: known.name, action: 'deleted' });
      continue;
    }
    const given = members(wish, `body.properties.${key}`);
    const name = given.name === undefined ? (known?.name ?? key) : text(given.name, `body.properties.${key}.name`);
    const next = propertyOf(context, { name, given, path: `body.properties.${key}`, ...(known === undefined ? {} : { known }) }, source);
    const properties =
      known === undefined ? [...source.properties, next] : source.properties.map((one) => (one.id === known.id ? next : one));
    context.state.put('data_sources', id, { ...source, properties });
    settleValues(context, id, { known, next });
    changes.push({ id: next.id, name: next.name, action: known === undefined ? 'created' : 'updated' });
  }
  if (changes.length === 0) return;
  completeDuals(context, id);
  const source = requireDataSource(context, id);
  context.state.put('data_sources', id, { ...source, ...editedNow(context) });
  const parent: Parent = { type: 'database_id', database_id: source.database_id };
  context.events.emit('data_source.schema_updated', { id, by: authorOf(context), parent, properties: changes });
}

interface Settling {
  known: DataSource['properties'][number] | undefined;
  next: PropertyRow;
}

/** The pages follow their schema: values of another type go, and so do options that are no longer there; rows are numbered. */
function settleValues(context: Context, sourceId: string, { known, next }: Settling): void {
  const isNumbered = next.type === 'unique_id' && known?.type !== 'unique_id';
  const isRetyped = known !== undefined && known.type !== next.type;
  const isChoice = next.type === 'select' || next.type === 'multi_select' || next.type === 'status';
  if (!isNumbered && !isRetyped && !(isChoice && known !== undefined)) return;
  const ids = new Set(optionsOf(next.config).map((option) => option.id));
  const pages = rowsWhere(context, 'pages', ({ parent }) => parent.type === 'data_source_id' && parent.data_source_id === sourceId);
  pages.sort((a, b) => a.created_us - b.created_us || (a.id < b.id ? -1 : 1));
  let number = requireDataSource(context, sourceId).next_number;
  for (const page of pages) {
    const { [next.id]: value, ...others } = page.values;
    if (isNumbered) {
      if (!page.is_template) context.state.put('pages', page.id, { ...page, values: { ...others, [next.id]: number++ } });
    } else if (isRetyped) context.state.put('pages', page.id, { ...page, values: others });
    else if (Array.isArray(value)) {
      context.state.put('pages', page.id, { ...page, values: { ...others, [next.id]: value.filter((one) => ids.has(String(one))) } });
    } else if (typeof value === 'string' && !ids.has(value)) context.state.put('pages', page.id, { ...page, values: others });
  }
  if (isNumbered) context.state.put('data_sources', sourceId, { ...requireDataSource(context, sourceId), next_number: number });
}
