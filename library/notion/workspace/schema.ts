// The properties of a data source: what a request says of one, made into what is kept and shown.

import { invalid, isMembers, members, oneOf, text, unfit, uuid } from './failures.js';
import { checkFormula } from './formula.js';
import type { Context, DataSource, Json, Members, Property, PropertyRow } from './model.js';
import { listedOptions, optionsOf, statusConfig } from './options.js';
import { rollupFunctions } from './rollup.js';
import { shortId } from './rows.js';
import { requireDataSource } from './tree.js';

const plainTypes = ['title', 'rich_text', 'date', 'people', 'files', 'checkbox', 'url', 'email', 'phone_number'];
const keptTypes = ['created_time', 'created_by', 'last_edited_time', 'last_edited_by'];
const richTypes = ['number', 'select', 'multi_select', 'status', 'formula', 'relation', 'rollup', 'unique_id'];
export const propertyTypes: readonly string[] = [...plainTypes, ...keptTypes, ...richTypes];
/** Types that the real service has and this one refuses. */
const refusedTypes = ['button', 'location', 'verification', 'last_visited_time', 'place'];

interface Wish {
  name: string;
  given: Members;
  path: string;
  /** What it was before. */
  known?: Property;
}

/** Of a new data source: exactly one title, whatever else, names that differ. */
export function newProperties(context: Context, value: Json | undefined, path: string, self: string): PropertyRow[] {
  const wishes = Object.entries(value === undefined ? {} : members(value, path));
  let made: PropertyRow[] = [];
  // Formulas and rollups name other properties, so they come last; the order of the others is that of the request.
  const isLate = (given: Json): boolean => isMembers(given) && (given.formula !== undefined || given.rollup !== undefined);
  for (const [name, given] of [...wishes.filter(([, one]) => !isLate(one)), ...wishes.filter(([, one]) => isLate(one))]) {
    const wish = { name, given: members(given, `${path}.${name}`), path: `${path}.${name}` };
    made = [...made, propertyOf(context, wish, { id: self, properties: made })];
  }
  const titles = made.filter(({ type }) => type === 'title').length;
  if (titles > 1) return invalid('A data source can only have one title property.');
  return titles === 1 ? made : [{ id: 'title', name: 'Name', type: 'title', description: null, config: {} }, ...made];
}

type Schema = Pick<DataSource, 'id' | 'properties'>;

export function propertyOf(context: Context, { name, given, path, known }: Wish, schema: Schema): PropertyRow {
  if (name === '' || name.length > 200) return invalid('The name of a property has 1 to 200 characters.');
  const others = schema.properties.filter((other) => other.id !== known?.id);
  if (others.some((other) => other.name === name)) return invalid(`There is a property ${name} already.`);
  const type = typeOf(given, path, known);
  if (known !== undefined && (known.type === 'title') !== (type === 'title')) return invalid('The title property cannot change its type.');
  const taken = new Set(schema.properties.map(({ id }) => id));
  const id = known?.id ?? (type === 'title' ? 'title' : shortId(context, taken));
  const description =
    given.description === undefined ? (known?.description ?? null) : nullableText(given.description, `${path}.description`);
  const earlier = known?.type === type ? known.config : undefined;
  const body = given[type];
  const config =
    body === undefined && earlier !== undefined
      ? earlier
      : configOf(context, type, members(body, `${path}.${type}`), {
          path: `${path}.${type}`,
          known: earlier,
          schema: { ...schema, properties: others },
        });
  return { id, name, type, description, config };
}

const nullableText = (value: Json, path: string): string | null => (value === null ? null : text(value, path, 280));

function typeOf(given: Members, path: string, known: Property | undefined): string {
  const refused = refusedTypes.find((type) => given.type === type || given[type] !== undefined);
  if (refused !== undefined) return invalid(`Properties of the type ${refused} are not supported by this workspace.`);
  const named = given.type ?? propertyTypes.find((type) => given[type] !== undefined) ?? known?.type;
  return named === undefined ? unfit(`${path}.type`, 'one of the property types', undefined) : oneOf(named, `${path}.type`, propertyTypes);
}

interface Place {
  path: string;
  known: Members | undefined;
  schema: Schema;
}

function configOf(context: Context, type: string, body: Members, { path, known, schema }: Place): Members {
  switch (type) {
    case 'number':
      return { format: text(body.format ?? known?.format ?? 'number', `${path}.format`) };
    case 'select':
    case 'multi_select': {
      const earlier = known === undefined ? [] : optionsOf(known);
      if (body.options === undefined && known !== undefined) return known;
      return { options: listedOptions(context, body.options, { path: `${path}.options`, known: earlier }) as unknown as Json };
    }
    case 'status':
      return statusConfig(context, body, { path, known });
    case 'formula':
      return { expression: checkFormula(text(body.expression ?? '', `${path}.expression`, 10_000), schema.properties) };
    case 'unique_id':
      return { prefix: body.prefix === undefined || body.prefix === null ? null : prefix(body.prefix, `${path}.prefix`) };
    case 'relation':
      return relationConfig(context, body, { path, known, schema });
    case 'rollup':
      return rollupConfig(context, body, { path, known, schema });
    default:
      return {};
  }
}

function prefix(value: Json, path: string): string {
  const word = text(value, path, 10);
  return /^[A-Za-z][A-Za-z0-9]*$/.test(word) ? word : unfit(path, 'letters and digits', value);
}

/** A dual relation gets its other side when the property is kept (`relations.ts`). */
function relationConfig(context: Context, body: Members, { path, known, schema }: Place): Members {
  const id = uuid(body.data_source_id, `${path}.data_source_id`);
  if (known?.data_source_id === id && body.dual_property === undefined) return known;
  if (id !== schema.id) requireDataSource(context, id);
  if (body.type === 'dual_property' || body.dual_property !== undefined) {
    const wish = members(body.dual_property, `${path}.dual_property`);
    const name =
      wish.synced_property_name === undefined ? '' : text(wish.synced_property_name, `${path}.dual_property.synced_property_name`, 200);
    return { data_source_id: id, type: 'dual_property', dual_property: { synced_property_id: '', synced_property_name: name } };
  }
  return { data_source_id: id, type: 'single_property', single_property: {} };
}

function rollupConfig(context: Context, body: Members, { path, schema }: Place): Members {
  const relation = named(schema.properties, body, { path, member: 'relation_property' });
  if (relation.type !== 'relation') return invalid(`${relation.name} is no relation that could be rolled up.`);
  const targetId = String(relation.config.data_source_id);
  const target = targetId === schema.id ? schema : requireDataSource(context, targetId);
  const rolled = named(target.properties, body, { path, member: 'rollup_property' });
  if (rolled.type === 'rollup') return invalid(`${rolled.name} is a rollup itself, which cannot be rolled up.`);
  const { function: name } = body;
  if (name === 'count_per_group' || name === 'percent_per_group' || name === 'date_range') {
    return invalid(`Rollups with the function ${name} are not supported by this workspace.`);
  }
  return {
    function: oneOf(name, `${path}.function`, rollupFunctions),
    relation_property_id: relation.id,
    relation_property_name: relation.name,
    rollup_property_id: rolled.id,
    rollup_property_name: rolled.name,
  };
}

function named(properties: readonly Property[], body: Members, { path, member }: { path: string; member: string }): Property {
  const id = body[`${member}_id`];
  const name = body[`${member}_name`];
  const found = properties.find((property) => (id === undefined ? property.name === name : property.id === id));
  return found ?? invalid(`${path}.${member} ${String(id ?? name)} is not a property that exists.`);
}

/** By name first, then by id: the two ways in which the API lets one be named. */
export function propertyNamed(properties: readonly Property[], key: string): Property | undefined {
  const id = decoded(key);
  return properties.find(({ name }) => name === key) ?? properties.find((property) => property.id === key || property.id === id);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
