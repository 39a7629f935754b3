// Templates of a data source: pages that new ones are made like. Notion applies one some moments after the call that asked for it.
import { addBlocks, copiesOf } from './blocks.js';
import { invalid, members, oneOf, text, uuid } from './failures.js';
import type { Context, DataSource, Json, Page } from './model.js';
import { secondUs } from './model.js';
import { authorOf, type PageInput, pageOf, rowsWhere } from './rows.js';
import { requireDataSource, titleOf } from './tree.js';

const applyAfterUs = 3 * secondUs;

const templatesOf = (context: Context, source: DataSource): Page[] =>
  rowsWhere(context, 'pages', ({ is_template, in_trash, parent }) => {
    return is_template && !in_trash && parent.type === 'data_source_id' && parent.data_source_id === source.id;
  });

export function listTemplates(input: PageInput & { readonly data_source_id: string; readonly name?: Json }, context: Context): Json {
  const source = requireDataSource(context, uuid(input.data_source_id, 'path.data_source_id'));
  const wanted = input.name === undefined ? '' : text(input.name, 'name').toLowerCase();
  const all = templatesOf(context, source)
    .map((row) => ({ id: row.id, name: titleOf({ kind: 'page', row }), is_default: row.id === source.default_template }))
    .filter(({ name }) => name.toLowerCase().includes(wanted));
  const { items, has_more, next_cursor } = pageOf(all, input, ({ id }) => id);
  return { templates: items, has_more, next_cursor };
}

/** The template that a request names; undefined where it wants none. */
export function requireTemplate(context: Context, source: DataSource, value: Json | undefined): Page | undefined {
  if (value === undefined) return undefined;
  const given = members(value, 'body.template');
  const type = oneOf(given.type, 'body.template.type', ['none', 'default', 'template_id']);
  if (type === 'none') return undefined;
  const id = type === 'default' ? source.default_template : uuid(given.template_id, 'body.template.template_id');
  const found = templatesOf(context, source).find((template) => template.id === id);
  return found ?? invalid(id === null ? 'The data source has no default template.' : `There is no template ${id} in the data source.`);
}

export function scheduleTemplate(context: Context, page_id: string, template_id: string): void {
  context.events.scheduleAt('template.apply-due', { page_id, template_id, by: authorOf(context) }, context.clock.nowUs() + applyAfterUs);
}

/** Copies what the template holds. Values that the page has stay as they are. */
export function applyTemplate(
  { page_id, template_id }: { readonly page_id: string; readonly template_id: string },
  context: Context,
): void {
  const page = context.state.get('pages', page_id);
  const template = context.state.get('pages', template_id);
  if (page === undefined || page.in_trash || template === undefined) return;
  const row = {
    ...page,
    values: { ...template.values, ...page.values },
    icon: page.icon ?? template.icon,
    cover: page.cover ?? template.cover,
  };
  context.state.put('pages', page_id, row);
  addBlocks(context, { kind: 'page', row }, { blocks: copiesOf(context, template_id) });
}
