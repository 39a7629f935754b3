// Writing the values of a page's properties: what a request says, checked against the schema and made into what is kept.
import { invalid, isMembers, list, members, text, unfit, uuid } from './failures.js';
import type { Context, DataSource, Json, Members, Property } from './model.js';
import { chosenOption, type Option, optionsOf } from './options.js';
import { dateValue, file, richText } from './rich-text.js';
import { propertyNamed, propertyTypes } from './schema.js';
import { userAt } from './users.js';

const derivedTypes = new Set(['formula', 'rollup', 'created_time', 'created_by', 'last_edited_time', 'last_edited_by', 'unique_id']);
const titleAlone: readonly Property[] = [{ id: 'title', name: 'title', type: 'title', description: null, config: {} }];

export interface Written {
  values: { readonly [propertyId: string]: Json };
  /** Options that did not exist, by id of the property. */
  options: ReadonlyMap<string, readonly Option[]>;
}

/** The values that a request writes; `source` is what the page is a row of, where it is one. */
export function writtenValues(context: Context, value: Json | undefined, source: DataSource | undefined): Written {
  const properties = source?.properties ?? titleAlone;
  const values: { [propertyId: string]: Json } = {};
  const options = new Map<string, Option[]>();
  for (const [key, given] of Object.entries(value === undefined ? {} : members(value, 'body.properties'))) {
    const property = propertyNamed(properties, key) ?? invalid(`${key} is not a property that exists.`);
    const body = bodyOf(property, given, `body.properties.${key}`);
    const known = [...optionsOf(property.config), ...(options.get(property.id) ?? [])];
    const { kept, added } = keptValue(context, property, { body, known, path: `body.properties.${key}.${property.type}` });
    values[property.id] = kept;
    if (added.length > 0) options.set(property.id, [...(options.get(property.id) ?? []), ...added]);
  }
  return { values, options };
}

/** The part of a value that stands below the name of its type; a title may be given as its texts alone. */
function bodyOf({ name, type }: Property, given: Json, path: string): Json {
  if (type === 'title' && Array.isArray(given)) return given as Json;
  const wish = members(given, path);
  if (derivedTypes.has(type)) return invalid(`${name} is a ${type}, which cannot be set.`);
  const body = wish[type];
  const other = propertyTypes.find((one) => wish[one] !== undefined);
  if (body === undefined && other !== undefined) return invalid(`${name} is expected to be ${type}.`);
  return body === undefined ? unfit(`${path}.${type}`, 'defined', undefined) : body;
}

interface Kept {
  kept: Json;
  added: readonly Option[];
}
interface Given {
  body: Json;
  known: readonly Option[];
  path: string;
}

function keptValue(context: Context, { type }: Property, { body, known, path }: Given): Kept {
  if (type === 'select' || type === 'status') {
    if (body === null) return { kept: null, added: [] };
    const { id, added } = chosenOption(context, members(body, path), { path, known, grows: type === 'select' });
    return { kept: id, added: added === undefined ? [] : [added] };
  }
  if (type === 'multi_select') return keptOptions(context, { body, known, path });
  return { kept: plainValue(context, type, body, path), added: [] };
}

function keptOptions(context: Context, { body, known, path }: Given): Kept {
  const added: Option[] = [];
  const ids = list(body, path).map((item, index) => {
    const at = `${path}[${index}]`;
    const chosen = chosenOption(context, members(item, at), { path: at, known: [...known, ...added], grows: true });
    if (chosen.added !== undefined) added.push(chosen.added);
    return chosen.id;
  });
  return { kept: [...new Set(ids)], added };
}

function plainValue(context: Context, type: string, body: Json, path: string): Json {
  switch (type) {
    case 'title':
    case 'rich_text':
      return richText(context, body, path);
    case 'number':
      return body === null || (typeof body === 'number' && Number.isFinite(body)) ? body : unfit(path, 'a number', body);
    case 'checkbox':
      return typeof body === 'boolean' ? body : unfit(path, 'a boolean', body);
    case 'url':
    case 'email':
    case 'phone_number':
      return body === null ? null : text(body, path, type === 'url' ? 2000 : 200) || unfit(path, 'null or not empty', body);
    case 'date':
      return body === null ? null : { ...dateValue(members(body, path), path) };
    case 'people':
      return list(body, path).map((person, index) => personId(context, person, `${path}[${index}]`));
    case 'relation':
      return [...new Set(list(body, path).map((item, index) => uuid(members(item, `${path}[${index}]`).id, `${path}[${index}].id`)))];
    default:
      return list(body, path).map((item, index) => fileValue(item, `${path}[${index}]`));
  }
}

function personId(context: Context, value: Json, path: string): string {
  const id = uuid(members(value, path).id, `${path}.id`);
  return userAt(context, id) === undefined ? invalid(`${path} is no user of this workspace: ${id}.`) : id;
}

function fileValue(value: Json, path: string): Json {
  const given = members(value, path);
  const name = text(given.name ?? (isMembers(given.external) ? given.external.url : undefined), `${path}.name`);
  return { name, ...(file(given, path) as Members) };
}
