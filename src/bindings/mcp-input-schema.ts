// The input schema of a tool as models take it: an object whose root holds no `oneOf`, `anyOf`, `allOf`, `not`, `enum`, `if` or `$ref`,
// which the APIs of several vendors refuse together with the whole request.
// The folded schema tells a model what there is to say. What a call may hold is the world's to decide, by the manifest's schema.
import type { JsonObject, JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { isObject } from './mcp-messages.js';

/** A schema that says it is of an object, with the alternatives and conditions of its root folded into its properties. */
export function foldedInputSchema(schema: JsonObject): JsonObject {
  if (!foldedKeywords.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  const { properties, required } = membersOf(schema, schema, 0);
  const kept = Object.entries(schema).filter(([keyword]) => !foldedKeywords.includes(keyword) && !foldedMembers.includes(keyword));
  const folded: JsonObject = { ...Object.fromEntries(kept), type: 'object' };
  if (properties.size > 0) folded.properties = Object.fromEntries([...properties].map(([name, schemas]) => [name, eitherOf(schemas)]));
  if (required.size > 0) folded.required = [...required];
  // A reference into what has gone would lead nowhere.
  return pointsInto(folded, foldedKeywords) ? { type: 'object' } : folded;
}

const foldedKeywords = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else', '$ref', 'dependentSchemas'];
/** They see the properties of their own schema alone, so beside the folded ones they would say something else. */
const foldedMembers = ['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'maxProperties'];

interface Members {
  /** What each property may be, by any of the schemas that know it. */
  properties: Map<string, JsonValue[]>;
  /** In every value that is valid. */
  required: Set<string>;
}
function membersOf(schema: JsonValue, root: JsonObject, depth: number): Members {
  const members: Members = { properties: new Map(), required: new Set() };
  if (!isObject(schema) || depth > limits.mcpFoldDepthMax) return members;
  addOwn(members, schema);
  const inside = (part: JsonValue): Members => membersOf(part, root, depth + 1);
  const together = [...listOf(schema.allOf), ...(typeof schema.$ref === 'string' ? [referred(schema.$ref, root)] : [])].map(inside);
  for (const part of together) add(members, part, part.required);
  for (const alternatives of [listOf(schema.oneOf), listOf(schema.anyOf)].map((list) => list.filter((part) => part !== false).map(inside)))
    for (const part of alternatives) add(members, part, inAll(alternatives));
  for (const part of [schema.if, schema.then, schema.else, ...valuesOf(schema.dependentSchemas)].map((part) => inside(part ?? true)))
    add(members, part, new Set());
  return members;
}

function addOwn({ properties, required }: Members, schema: JsonObject): void {
  if (isObject(schema.properties)) for (const [name, property] of Object.entries(schema.properties)) properties.set(name, [property]);
  for (const name of listOf(schema.required)) if (typeof name === 'string') required.add(name);
}

function add(to: Members, { properties }: Members, required: ReadonlySet<string>): void {
  for (const [name, schemas] of properties) to.properties.set(name, [...(to.properties.get(name) ?? []), ...schemas]);
  for (const name of required) to.required.add(name);
}

function inAll(parts: readonly Members[]): Set<string> {
  return new Set([...(parts[0]?.required ?? [])].filter((name) => parts.every(({ required }) => required.has(name))));
}

/** The same schema once; of one alone it is that. */
function eitherOf(schemas: readonly JsonValue[]): JsonValue {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return distinct.length === 1 ? (distinct[0] as JsonValue) : { anyOf: distinct };
}

/** A schema of the same document by its JSON Pointer; `true` for any other. */
function referred(reference: string, root: JsonObject): JsonValue {
  if (!reference.startsWith('#/')) return reference === '#' ? root : true;
  let at: JsonValue | undefined = root;
  for (const token of decodeURI(reference)
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')))
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, token) ? (at as JsonObject)[token] : undefined;
  return at ?? true;
}

function pointsInto(schema: JsonValue, keywords: readonly string[]): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(
    ([keyword, value]) =>
      (keyword === '$ref' && typeof value === 'string' && keywords.some((name) => value.startsWith(`#/${name}`))) ||
      pointsInto(value, keywords),
  );
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const valuesOf = (value: JsonValue | undefined): JsonValue[] => (isObject(value) ? Object.values(value) : []);
