// Queries of a data source: the pages that a filter lets through, in the order of the sorts, a page of them at a time.
import { flag, invalid, list, members, oneOf, text, uuid } from './failures.js';
import { type FilterInput, matcher } from './filter.js';
import type { Context, DataSource, Json, Members, Page } from './model.js';
import { optionsOf } from './options.js';
import { shownPage, wantedOf } from './pages.js';
import { plain } from './rich-text.js';
import { isEmptyValue } from './rollup.js';
import { authorOf, listed, type PageInput, pageOf, rowsWhere } from './rows.js';
import { propertyNamed } from './schema.js';
import { shownValue } from './shown-values.js';
import { timeOf } from './time.js';
import { isBelowTrash, requireDataSource } from './tree.js';

interface Querying extends PageInput {
  readonly data_source_id: string;
  readonly filter?: Json;
  readonly sorts?: Json;
  readonly filter_properties?: Json;
  readonly in_trash?: Json;
  readonly archived?: Json;
  readonly result_type?: Json;
}

export function queryDataSource(input: Querying, context: Context): Json {
  const source = requireDataSource(context, uuid(input.data_source_id, 'path.data_source_id'));
  if (source.in_trash || isBelowTrash(context, { type: 'database_id', database_id: source.database_id })) {
    return invalid(`Data source ${source.id} is in the trash; restore it before querying.`);
  }
  const inTrash = flag(input.in_trash ?? input.archived, 'body.in_trash');
  const isWanted = matches(context, source, input.filter);
  const rows = rowsWhere(context, 'pages', (page) => {
    const isRow = page.parent.type === 'data_source_id' && page.parent.data_source_id === source.id && !page.is_template;
    return isRow && page.in_trash === inTrash;
  }).filter(isWanted);
  const order = orderOf(context, source, input.sorts);
  const found = input.result_type === 'data_source' ? [] : sorted(rows, order);
  const page = pageOf(found, input, ({ id }) => id, 'body');
  const wanted = wantedOf(input.filter_properties);
  return listed('page_or_data_source', { ...page, items: page.items.map((row) => shownPage(context, row, wanted)) });
}

function matches(context: Context, source: DataSource, filter: Json | undefined): (page: Page) => boolean {
  if (filter === undefined) return () => true;
  const input: FilterInput = { properties: source.properties, nowUs: context.clock.nowUs(), me: authorOf(context) };
  const test = matcher(filter, input, { path: 'body.filter', depth: 0 });
  return (page) => test((property) => shownValue(context, page, property));
}

type Key = string | number | undefined;
interface Order {
  key(page: Page): Key;
  sign: number;
}

function orderOf(context: Context, source: DataSource, value: Json | undefined): Order[] {
  const wishes = value === undefined ? [] : list(value, 'body.sorts');
  return wishes.map((item, index): Order => {
    const path = `body.sorts[${index}]`;
    const given = members(item, path);
    const sign = oneOf(given.direction ?? 'ascending', `${path}.direction`, ['ascending', 'descending']) === 'ascending' ? 1 : -1;
    if (given.property === undefined) {
      const name = oneOf(given.timestamp, `${path}.timestamp`, ['created_time', 'last_edited_time']);
      return { sign, key: (page) => (name === 'created_time' ? page.created_us : page.edited_us) };
    }
    const key = text(given.property, `${path}.property`);
    const property = propertyNamed(source.properties, key) ?? invalid(`Could not find sort property with name or id: ${key}`);
    return { sign, key: (page) => keyOf(property, shownValue(context, page, property), page) };
  });
}

/** What a value is compared by: options by their place in the schema, texts without their case. Undefined: empty. */
function keyOf({ type, config }: DataSource['properties'][number], value: Json, page: Page): Key {
  if (type === 'created_time') return page.created_us;
  if (type === 'last_edited_time') return page.edited_us;
  if (type === 'checkbox') return value === true ? 1 : 0;
  if (isEmptyValue(type, value)) return undefined;
  if (type === 'select' || type === 'status') return optionsOf(config).findIndex(({ id }) => id === (value as Members).id);
  if (type === 'title' || type === 'rich_text') return plain(value as readonly Json[]).toLowerCase();
  if (type === 'unique_id') return (value as Members).number as number;
  return simpleKey(value);
}

function simpleKey(value: Json): Key {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return value.toLowerCase();
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null) return undefined;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => String(simpleKey(item) ?? '')).join(',');
  const given = value as Members;
  if (typeof given.start === 'string') return timeOf(given.start);
  if (given.type === 'date' || given.type === 'number' || given.type === 'string' || given.type === 'boolean' || given.type === 'array') {
    return simpleKey(given[given.type] ?? null);
  }
  return String(given.name ?? given.id ?? '').toLowerCase();
}

/** Empty values come last in either direction; where all else is equal, the page that was made last comes first, as Notion has it. */
function sorted(rows: readonly Page[], order: readonly Order[]): Page[] {
  const keyed = rows.map((row) => ({ row, keys: order.map(({ key }) => key(row)) }));
  keyed.sort((a, b) => {
    for (const [index, { sign }] of order.entries()) {
      const difference = compareKeys(a.keys[index], b.keys[index], sign);
      if (difference !== 0) return difference;
    }
    return b.row.created_us - a.row.created_us || (a.row.id < b.row.id ? -1 : 1);
  });
  return keyed.map(({ row }) => row);
}

function compareKeys(a: Key, b: Key, sign: number): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -sign : sign;
}
