// Pages: on another page, in a data source, or on their own.
import { blocksOf } from './block-content.js';
import { addBlocks, childrenOf, tellContent } from './blocks.js';
import { fixOne, flag, invalid, isMembers, list, members, oneOf, text, unfit, uuid } from './failures.js';
import { writtenMarkdown } from './markdown-parse.js';
import type { Context, DataSource, Json, Page, PageRow, Parent } from './model.js';
import { checkRelations, mirror } from './relations.js';
import { addressOf, file, icon } from './rich-text.js';
import { authorOf, newId } from './rows.js';
import { markUnseen, unseenAfter } from './search.js';
import { shownProperties, sourceOf } from './shown-values.js';
import { requireTemplate, scheduleTemplate } from './templates.js';
import { minuteText } from './time.js';
import { moveToTrash } from './trash.js';
import {
  editedNow,
  isBelow,
  madeNow,
  place,
  requireDatabase,
  requireDataSource,
  requireEditable,
  requirePage,
  setTrash,
  shownParent,
  titleOf,
  touchAround,
  unplace,
} from './tree.js';
import { type Written, writtenValues } from './values.js';

interface OfPage {
  readonly page_id: string;
  readonly filter_properties?: Json;
}

export function retrievePage({ page_id, filter_properties }: OfPage, context: Context): Json {
  return shownPage(context, requirePage(context, uuid(page_id, 'path.page_id')), wantedOf(filter_properties));
}

export function wantedOf(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = typeof value === 'string' ? [value] : list(value, 'filter_properties');
  return names.map((name) => decodeURIComponent(text(name, 'filter_properties')));
}

export function shownPage(context: Context, page: Page, wanted?: readonly string[]): Json {
  return {
    object: 'page',
    id: page.id,
    created_time: minuteText(page.created_us),
    last_edited_time: minuteText(page.edited_us),
    created_by: { object: 'user', id: page.created_by },
    last_edited_by: { object: 'user', id: page.edited_by },
    cover: page.cover,
    icon: page.icon,
    parent: shownParent(context, page.parent),
    in_trash: page.in_trash,
    archived: page.in_trash,
    is_archived: page.in_trash,
    is_locked: page.is_locked,
    properties: shownProperties(context, page, wanted),
    url: addressOf(page.id),
    public_url: null,
  };
}

interface Creating {
  readonly parent?: Json;
  readonly properties?: Json;
  readonly children?: Json;
  readonly content?: Json;
  readonly markdown?: Json;
  readonly icon?: Json;
  readonly cover?: Json;
  readonly template?: Json;
  readonly position?: Json;
  readonly filter_properties?: Json;
}

export function createPage(input: Creating, context: Context): Json {
  const parent = parentGiven(context, input.parent);
  const source = parent.type === 'data_source_id' ? requireDataSource(context, parent.data_source_id) : undefined;
  const written = writtenValues(context, input.properties, source);
  const blocks = blocksGiven(context, input);
  const template = source === undefined ? undefined : requireTemplate(context, source, input.template);
  if (template !== undefined && blocks.length > 0) unfit('body.children', 'not present', input.children);
  const id = newId(context);
  const at = positionGiven(input.position, parent);
  const page: PageRow = {
    ...madeNow(context, id),
    parent,
    values: {},
    icon: icon(input.icon, 'body.icon'),
    cover: coverOf(input.cover),
    is_locked: false,
    is_template: false,
    content: [],
    unseen: unseenAfter(context, [], null),
  };
  context.state.put('pages', id, page);
  if (source !== undefined) numberRow(context, source, page);
  keepValues(context, requirePage(context, id), written);
  addBlocks(context, { kind: 'page', row: requirePage(context, id) }, { blocks, silent: true });
  if (parent.type === 'page_id') place(context, parent.page_id, [id], at);
  tellMade(context, id, parent);
  if (template !== undefined) scheduleTemplate(context, id, template.id);
  return shownPage(context, requirePage(context, id), wantedOf(input.filter_properties));
}

function blocksGiven(context: Context, { children, content, markdown }: Creating) {
  if (markdown === undefined) return blocksOf(context, children ?? content ?? [], 'body.children');
  if (children !== undefined) return unfit('body.markdown', 'not present', markdown);
  return writtenMarkdown(text(markdown, 'body.markdown', 100_000)).map(({ block }) => block);
}

/** Where on the page that it is made on. Pages in a data source have no order of their own. */
function positionGiven(value: Json | undefined, parent: Parent): 'start' | 'end' | { after: string } {
  if (value === undefined) return 'end';
  if (parent.type !== 'page_id') return invalid('body failed validation: body.position needs a page as the parent.');
  const given = members(value, 'body.position');
  const type = oneOf(given.type, 'body.position.type', ['page_start', 'page_end', 'after_block']);
  if (type === 'after_block')
    return { after: uuid(members(given.after_block, 'body.position.after_block').id, 'body.position.after_block.id') };
  return type === 'page_start' ? 'start' : 'end';
}

const coverOf = (value: Json | undefined): Json => (value === undefined || value === null ? null : file(value, 'body.cover'));

/** The parent that a request names: it must be there, and not in the trash. A database stands for its only data source. */
export function parentGiven(context: Context, value: Json | undefined): Parent {
  const given = members(value, 'body.parent');
  if (given.workspace === true || given.type === 'workspace') return { type: 'workspace', workspace: true };
  if (given.page_id !== undefined) {
    const page_id = uuid(given.page_id, 'body.parent.page_id');
    requireEditable(context, { kind: 'page', row: requirePage(context, page_id) });
    return { type: 'page_id', page_id };
  }
  if (given.data_source_id === undefined && given.database_id === undefined) {
    return fixOne(['body.parent.page_id', 'body.parent.database_id', 'body.parent.data_source_id']);
  }
  const data_source_id =
    given.data_source_id === undefined
      ? onlySource(context, uuid(given.database_id, 'body.parent.database_id'))
      : uuid(given.data_source_id, 'body.parent.data_source_id');
  requireEditable(context, { kind: 'data_source', row: requireDataSource(context, data_source_id) });
  return { type: 'data_source_id', data_source_id };
}

function onlySource(context: Context, databaseId: string): string {
  const [first, second] = requireDatabase(context, databaseId).data_sources;
  if (first === undefined || second !== undefined)
    return invalid(`Database ${databaseId} has not exactly one data source; name one by data_source_id.`);
  return first;
}

/** Rows of a data source with a unique_id are numbered as they come. */
export function numberRow(context: Context, source: DataSource, page: Page): void {
  const property = source.properties.find(({ type }) => type === 'unique_id');
  if (property === undefined) return;
  context.state.put('pages', page.id, { ...page, values: { ...page.values, [property.id]: source.next_number } });
  context.state.put('data_sources', source.id, { ...source, next_number: source.next_number + 1 });
}

/** Keeps written values, the options that they bring and the other sides of relations. */
function keepValues(context: Context, page: Page, { values, options }: Written): void {
  const source = sourceOf(context, page);
  const properties = source?.properties ?? [];
  checkRelations(context, properties, values);
  if (source !== undefined && options.size > 0) {
    const grown = properties.map((property) => {
      const added = options.get(property.id);
      if (added === undefined) return property;
      const all = [...((property.config.options ?? []) as readonly Json[]), ...(added as unknown as readonly Json[])];
      return { ...property, config: { ...property.config, options: all } };
    });
    context.state.put('data_sources', source.id, { ...requireDataSource(context, source.id), properties: grown });
  }
  const after = { ...page, values: { ...page.values, ...values } };
  context.state.put('pages', page.id, after);
  mirror(context, properties, { before: page, after });
}

function tellMade(context: Context, id: string, parent: Parent): void {
  const by = authorOf(context);
  context.events.emit('page.created', { id, by, parent });
  tellRows(context, id, parent);
  const page = touchAround(context, parent);
  if (page !== undefined) tellContent(context, page, [id]);
}

export function tellRows(context: Context, id: string, parent: Parent): void {
  if (parent.type !== 'data_source_id') return;
  const { database_id } = requireDataSource(context, parent.data_source_id);
  const around: Parent = { type: 'database_id', database_id };
  context.events.emit('data_source.content_updated', { id: parent.data_source_id, by: authorOf(context), parent: around, pages: [id] });
}

interface Updating extends OfPage {
  readonly properties?: Json;
  readonly icon?: Json;
  readonly cover?: Json;
  readonly in_trash?: Json;
  readonly archived?: Json;
  readonly is_archived?: Json;
  readonly is_locked?: Json;
  readonly erase_content?: Json;
  readonly template?: Json;
}

export function updatePage(input: Updating, context: Context): Json {
  const id = uuid(input.page_id, 'path.page_id');
  const page = requirePage(context, id);
  const wished = input.in_trash ?? input.archived ?? input.is_archived;
  const isTrashed = wished === undefined ? page.in_trash : flag(wished, 'body.in_trash');
  if (page.in_trash && !isTrashed) moveToTrash(context, { kind: 'page', row: page }, false);
  const present = requirePage(context, id);
  if (!(page.in_trash && isTrashed && onlyTrash(input))) requireEditable(context, { kind: 'page', row: present });
  changeProperties(context, present, input);
  if (input.is_locked !== undefined) setLock(context, id, flag(input.is_locked, 'body.is_locked'));
  if (input.erase_content !== undefined && flag(input.erase_content, 'body.erase_content')) eraseContent(context, id);
  const source = sourceOf(context, present);
  const template = source === undefined ? undefined : requireTemplate(context, source, input.template);
  if (template !== undefined) scheduleTemplate(context, id, template.id);
  if (isTrashed) moveToTrash(context, { kind: 'page', row: requirePage(context, id) }, true);
  return shownPage(context, requirePage(context, id), wantedOf(input.filter_properties));
}

const onlyTrash = ({ page_id, filter_properties, in_trash, archived, is_archived, ...others }: Updating): boolean =>
  Object.keys(others).length === 0;

function changeProperties(context: Context, page: Page, input: Updating): void {
  const written = writtenValues(context, input.properties, sourceOf(context, page));
  const looks: { icon?: Json; cover?: Json } = {
    ...(input.icon === undefined ? {} : { icon: icon(input.icon, 'body.icon') }),
    ...(input.cover === undefined ? {} : { cover: coverOf(input.cover) }),
  };
  const properties = [...Object.keys(written.values), ...Object.keys(looks)];
  if (properties.length === 0) return;
  const before = titleOf({ kind: 'page', row: page });
  keepValues(context, page, written);
  context.state.put('pages', page.id, { ...requirePage(context, page.id), ...looks, ...editedNow(context) });
  const row = requirePage(context, page.id);
  if (titleOf({ kind: 'page', row }) !== before) markUnseen(context, { kind: 'page', row }, before);
  context.events.emit('page.properties_updated', { id: page.id, by: authorOf(context), parent: page.parent, properties });
}

function setLock(context: Context, id: string, is_locked: boolean): void {
  const page = requirePage(context, id);
  if (page.is_locked === is_locked) return;
  context.state.put('pages', id, { ...page, is_locked, ...editedNow(context) });
  context.events.emit(is_locked ? 'page.locked' : 'page.unlocked', { id, by: authorOf(context), parent: page.parent });
}

function eraseContent(context: Context, id: string): void {
  const children = childrenOf(context, id);
  for (const child of children) setTrash(context, child, true);
  if (children.length > 0)
    tellContent(
      context,
      requirePage(context, id),
      children.map(({ row }) => row.id),
    );
}

export function movePage(input: OfPage & { readonly parent?: Json }, context: Context): Json {
  const id = uuid(input.page_id, 'path.page_id');
  const page = requirePage(context, id);
  requireEditable(context, { kind: 'page', row: page });
  const parent = parentGiven(context, input.parent);
  if (parent.type === 'page_id' && (parent.page_id === id || isBelow(context, { type: 'page_id', page_id: parent.page_id }, id))) {
    return invalid('A page cannot be moved into itself or one of its own subpages.');
  }
  const isSame = isMembers(page.parent) && JSON.stringify(page.parent) === JSON.stringify(parent);
  if (!isSame) {
    unplace(context, page.parent, id);
    const moved: PageRow = {
      ...(requirePage(context, id) as unknown as PageRow),
      parent,
      values: valuesKept(context, page, parent),
      ...editedNow(context),
    };
    context.state.put('pages', id, moved);
    if (parent.type === 'data_source_id') numberRow(context, requireDataSource(context, parent.data_source_id), moved);
    if (parent.type === 'page_id') place(context, parent.page_id, [id]);
    context.events.emit('page.moved', { id, by: authorOf(context), parent });
    tellRows(context, id, parent);
  }
  return shownPage(context, requirePage(context, id));
}

/** In another data source a page keeps its title, and the plain values of properties that have the same name and type there. */
function valuesKept(context: Context, page: Page, parent: Parent): { [id: string]: Json } {
  const title = page.values.title ?? [];
  const from = sourceOf(context, page);
  if (parent.type !== 'data_source_id' || from === undefined) return { title };
  const alike = new Set(['rich_text', 'number', 'checkbox', 'url', 'email', 'phone_number', 'date', 'people', 'files']);
  const kept = requireDataSource(context, parent.data_source_id).properties.flatMap(({ id, name, type }): [string, Json][] => {
    const earlier = from.properties.find((property) => property.name === name && property.type === type && alike.has(type));
    const value = earlier === undefined ? undefined : page.values[earlier.id];
    return value === undefined ? [] : [[id, value]];
  });
  return { ...Object.fromEntries(kept), title };
}
