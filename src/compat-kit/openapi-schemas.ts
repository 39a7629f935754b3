// The schemas of an OpenAPI document as JSON Schema 2020-12, each where it lies, so that references hold. Only keywords are looked at: a
// member that a schema describes may be called as a keyword is.
import { isRecord } from '../contract/json.js';

export interface SchemaConversion {
  /** Which members of an object have to be there: those that the document calls required, or each that it lists. */
  presence: 'required' | 'declared';
  /** OpenAPI 3.0, whose schemas are not JSON Schema yet. */
  isOld: boolean;
}
// biome-ignore lint/suspicious/noExplicitAny: a document of somebody else, looked at member by member
type Foreign = any;

/** Keywords whose value is a schema, a list of them, and a record of them. */
const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedProperties'];
const lists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const records = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** The document, its schemas converted. Whole, as references may lead anywhere. */
export function withJsonSchemas(value: unknown, conversion: SchemaConversion): unknown {
  if (Array.isArray(value)) return value.map((item) => withJsonSchemas(item, conversion));
  if (!isRecord(value)) return value;
  return mapMembers(value, (member, name) => {
    if (name === 'schema') return schemaOf(member, conversion);
    if (name === 'schemas' && isRecord(member)) return mapMembers(member, (schema) => schemaOf(schema, conversion));
    return name === 'example' || name === 'examples' ? member : withJsonSchemas(member, conversion);
  });
}

function schemaOf(schema: Foreign, conversion: SchemaConversion): Foreign {
  if (!isRecord(schema)) return schema;
  const changed = { ...schema };
  for (const name of single) if (name in changed) changed[name] = schemaOf(changed[name], conversion);
  for (const name of lists)
    if (Array.isArray(changed[name])) changed[name] = changed[name].map((item: Foreign) => schemaOf(item, conversion));
  for (const name of records)
    if (isRecord(changed[name])) changed[name] = mapMembers(changed[name], (member) => schemaOf(member, conversion));
  requireMembers(changed, schema, conversion);
  return conversion.isOld ? modernized(changed) : changed;
}

/** What is for requests alone is never in a response. */
function requireMembers(changed: Foreign, { properties }: Foreign, { presence }: SchemaConversion): void {
  const described: { [name: string]: Foreign } = isRecord(properties) ? properties : {};
  const listed = presence === 'declared' ? Object.keys(described) : Array.isArray(changed.required) ? changed.required : [];
  const wanted = listed.filter((name: string) => described[name]?.writeOnly !== true);
  if (wanted.length > 0 && allowsObject(changed)) changed.required = wanted;
  else delete changed.required;
}
const allowsObject = ({ type }: Foreign): boolean => type === undefined || [type].flat().includes('object');

function modernized({ nullable, ...schema }: Foreign): Foreign {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue;
    const isExclusive = schema[flag];
    delete schema[flag];
    if (!isExclusive) continue;
    schema[flag] = schema[bound];
    delete schema[bound];
  }
  // Around all of it: `type` alone would not let a null past an enum or a reference.
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function mapMembers(value: Foreign, change: (member: unknown, name: string) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]));
}
