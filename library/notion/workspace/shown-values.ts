// The values of a page's properties as the API shows them: what is kept, and what follows from it (formulas, rollups, times, people).

import { isMembers } from './failures.js';
import { evaluate } from './formula.js';
import type { Moment, Value } from './formula-functions.js';
import type { Context, DataSource, Json, Members, Page, Property } from './model.js';
import { optionsOf } from './options.js';
import { plain } from './rich-text.js';
import { rolledUp } from './rollup.js';
import { dateText, hasTime, isoText, minuteText, timeOf } from './time.js';
import { userAt } from './users.js';

/** How deep formulas and rollups may stand in one another before they say nothing. */
const derivedDepthMax = 8;
/** References that a page shows of one property; all of them are at the endpoint of the property. */
const referencesMax = 25;

const nothing: { readonly [type: string]: Json } = {
  title: [],
  rich_text: [],
  multi_select: [],
  people: [],
  files: [],
  relation: [],
  checkbox: false,
};

/** What stands below the name of the type. */
export function shownValue(context: Context, page: Page, property: Property, depth = 0): Json {
  const { type, config } = property;
  const kept = page.values[property.id] ?? nothing[type] ?? null;
  switch (type) {
    case 'select':
    case 'status':
      return (
        optionsOf(config)
          .filter(({ id }) => id === kept)
          .map(shownOption)[0] ?? null
      );
    case 'multi_select':
      return (kept as readonly string[]).flatMap((id) => optionsOf(config).filter((option) => option.id === id)).map(shownOption);
    case 'people':
      return (kept as readonly string[]).map((id) => userAt(context, id) ?? { object: 'user', id });
    case 'relation':
      return (kept as readonly string[]).filter((id) => context.state.get('pages', id)?.in_trash === false).map((id) => ({ id }));
    case 'created_time':
      return minuteText(page.created_us);
    case 'last_edited_time':
      return minuteText(page.edited_us);
    case 'created_by':
      return userAt(context, page.created_by) ?? { object: 'user', id: page.created_by };
    case 'last_edited_by':
      return userAt(context, page.edited_by) ?? { object: 'user', id: page.edited_by };
    case 'unique_id':
      return { prefix: config.prefix ?? null, number: kept };
    case 'formula':
      return depth > derivedDepthMax ? { type: 'string', string: null } : formulaValue(context, page, property, depth + 1);
    case 'rollup':
      return rollupValue(context, page, property, depth + 1);
    default:
      return kept;
  }
}

const shownOption = ({ id, name, color }: { id: string; name: string; color: string }): Json => ({ id, name, color });

/** The properties of a page by name, of all of them or of those that are asked for. */
export function shownProperties(context: Context, page: Page, wanted?: readonly string[]): Members {
  const properties = propertiesOf(context, page).filter(
    ({ id, name }) => wanted === undefined || wanted.includes(id) || wanted.includes(name),
  );
  return Object.fromEntries(properties.map((property) => [property.name, shownProperty(context, page, property)]));
}

function shownProperty(context: Context, page: Page, property: Property): Json {
  const value = shownValue(context, page, property);
  const shared = { id: property.id, type: property.type };
  if (property.type !== 'relation' || !Array.isArray(value)) return { ...shared, [property.type]: value };
  return { ...shared, relation: (value as Json[]).slice(0, referencesMax), has_more: value.length > referencesMax };
}

/** A page on a page has a title and nothing else. */
export function propertiesOf(context: Context, page: Page): readonly Property[] {
  const source = sourceOf(context, page);
  return source?.properties ?? [{ id: 'title', name: 'title', type: 'title', description: null, config: {} }];
}

export function sourceOf(context: Context, { parent }: Page): DataSource | undefined {
  return parent.type === 'data_source_id' ? context.state.get('data_sources', parent.data_source_id) : undefined;
}

function rollupValue(context: Context, page: Page, { config }: Property, depth: number): Json {
  const name = String(config.function);
  const relation = propertiesOf(context, page).find(({ id }) => id === config.relation_property_id);
  const target = relation === undefined ? undefined : context.state.get('data_sources', String(relation.config.data_source_id));
  const rolled = target?.properties.find(({ id }) => id === config.rollup_property_id);
  if (relation === undefined || rolled === undefined || depth > derivedDepthMax) return { type: 'array', array: [], function: name };
  const ids = shownValue(context, page, relation, depth) as readonly { readonly id: string }[];
  const items = ids
    .map(({ id }) => context.state.get('pages', id))
    .filter((related): related is Page => related !== undefined)
    .map((related) => ({ type: rolled.type, [rolled.type]: shownValue(context, related, rolled, depth) }));
  return { ...rolledUp(name, items), function: name };
}

function formulaValue(context: Context, page: Page, { config }: Property, depth: number): Json {
  const properties = propertiesOf(context, page);
  const read = (name: string): Value => {
    const property = properties.find((one) => one.name === name);
    return property === undefined ? null : formulaInput(property.type, shownValue(context, page, property, depth));
  };
  return formulaResult(evaluate(String(config.expression), { read, nowUs: context.clock.nowUs() }));
}

function formulaResult(value: Value): Json {
  if (typeof value === 'number') return { type: 'number', number: value };
  if (typeof value === 'boolean') return { type: 'boolean', boolean: value };
  if (typeof value === 'string' || value === null) return { type: 'string', string: value };
  if (!('us' in value))
    return { type: 'string', string: value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join(', ') };
  const { us, day } = value as Moment;
  return { type: 'date', date: { start: day ? dateText(us) : isoText(us), end: null, time_zone: null } };
}

/** A value of the API as a formula sees it. */
function formulaInput(type: string, value: Json): Value {
  if (type === 'formula' || type === 'rollup') return isMembers(value) ? derivedInput(value) : null;
  if (type === 'unique_id')
    return isMembers(value) ? `${value.prefix === null ? '' : `${String(value.prefix)}-`}${String(value.number)}` : null;
  if (type === 'title' || type === 'rich_text') return plain(value as readonly Json[]);
  if (type === 'created_time' || type === 'last_edited_time') return { us: timeOf(String(value)) ?? 0, day: false };
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item) => (isMembers(item) ? String(item.name ?? item.id ?? '') : String(item)));
  if (!isMembers(value)) return value as Value;
  if (type === 'date') return { us: timeOf(String(value.start)) ?? 0, day: !hasTime(String(value.start)) };
  return String(value.name ?? '');
}

function derivedInput(value: Members): Value {
  const inner = value[String(value.type)] ?? null;
  if (value.type === 'date') return isMembers(inner) ? formulaInput('date', inner) : null;
  if (value.type !== 'array') return inner as Value;
  return (inner as readonly Members[]).map((item) => formulaInput(String(item.type), item[String(item.type)] ?? null));
}
