// The shapes of the contract as schemas of the document: constants become enums, what is sent is closed, names that only a compiler could
// love are written in place.
import { endpointShapes, shapeNameOf } from '../../contract/endpoint-validators.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { refPrefix, type Schema, shapeName } from '../../contract/shape.js';

/** Shapes that the document shows in place: the join of several types, and names that two rooms use for different things. */
const inlined = /^(?:Everything|Name(?:\.o1)?|Path|Title|Ordinal|Parts.*|Array.*|Omit.*|\w*provenanceProvenance|AccessBundlehosted\w+)$/;

/** Every shape that the endpoints name, by name, in alphabetical order. */
export function documentSchemas(ids: readonly EndpointId[]): { [name: string]: JsonObject } {
  const sent = reached(ids.flatMap((id) => namesOf(id, ['path', 'query', 'body'])));
  const given = reached([...ids.flatMap((id) => namesOf(id, ['reply'])), 'ErrorEnvelope']);
  const parameters = new Set(ids.flatMap((id) => namesOf(id, ['path', 'query'])));
  const names = [...new Set([...sent, ...given])].filter((name) => !inlined.test(name) && !parameters.has(name)).sort();
  return Object.fromEntries(names.map((name) => [name, documentSchema(endpointShapes[name] as Schema, name, sent)]));
}

export function documentSchemaOf(schema: Schema): JsonObject {
  return documentSchema(schema, undefined, new Set());
}

function namesOf(id: EndpointId, parts: readonly ('path' | 'query' | 'body' | 'reply')[]): string[] {
  return parts.map((part) => shapeNameOf(id, part)).filter((name) => name !== undefined && name !== 'bytes') as string[];
}

/** All shapes that these mention, themselves included. */
function reached(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (schema: Schema): void => {
    const name = shapeName(schema);
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(endpointShapes[name] as Schema);
    }
    for (const part of partsOf(schema)) visit(part);
  };
  for (const name of names) visit({ $ref: refPrefix + name });
  return found;
}

function partsOf({ oneOf = [], properties = {}, items, additionalProperties }: Schema): Schema[] {
  return [
    ...oneOf,
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
    ...(additionalProperties === undefined ? [] : [additionalProperties]),
  ];
}

/** `closed`: the names of shapes that come from clients, which refuse members they do not know. */
function documentSchema(schema: Schema, name: string | undefined, closed: ReadonlySet<string>): JsonObject {
  if (name === 'JsonValue') return { description: 'Any JSON value, at most 64 levels deep.' };
  const ref = shapeName(schema);
  const note = schema.description === undefined ? {} : { description: schema.description };
  if (ref !== undefined) {
    return inlined.test(ref)
      ? { ...documentSchema(endpointShapes[ref] as Schema, name, closed), ...note }
      : { $ref: schema.$ref as string, ...note };
  }
  const inside = (part: Schema): JsonObject => documentSchema(part, undefined, closed);
  if (schema.oneOf !== undefined) return { ...unionSchema(schema.oneOf, inside), ...note };
  const { properties, items, additionalProperties, required, ...plain } = schema;
  const made = plain as JsonObject;
  if (items !== undefined) made.items = inside(items);
  if (schema.type !== 'object') return made;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    made.properties = Object.fromEntries(Object.entries(properties).map(([member, part]) => [member, inside(part)]));
  }
  if (required !== undefined && required.length > 0) made.required = required;
  if (additionalProperties !== undefined) made.additionalProperties = inside(additionalProperties);
  else if (name !== undefined && closed.has(name)) made.additionalProperties = false;
  return made;
}

function unionSchema(options: readonly Schema[], inside: (part: Schema) => JsonObject): JsonObject {
  const constants = options.filter((option) => 'const' in option || option.type === 'null');
  if (constants.length < options.length) return { anyOf: options.map(inside) };
  const values = constants.map((option) => ('const' in option ? (option.const as JsonValue) : null));
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? (types[0] as string) : types, enum: values };
}
