// What a JSON Schema says of one member of the values it describes: that it is declared, that it cannot be, or nothing. It looks through
// local references and the keywords that combine schemas; where these leave a doubt, the member may be.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { JsonSchema } from '../contract/world/tool-manifest.js';
import { schemaPattern } from '../tools/patterns/schema-pattern.js';

export type SchemaMember =
  | { kind: 'declared'; schemas: readonly JsonSchema[] }
  /** `names`: what is declared in its place. */
  | { kind: 'impossible'; names: readonly string[] }
  | { kind: 'undeclared'; names: readonly string[] };

/** `schemas`: each of them may describe the value; references in them lead into `root`. */
export function schemaMember(root: JsonSchema, schemas: readonly JsonSchema[], step: string | number): SchemaMember {
  const isPosition = /^(?:0|[1-9]\d*)$/.test(String(step));
  const looks = schemas.map((schema) => look({ root, step: String(step), isPosition, seen: new Set() }, schema));
  const found = looks.flatMap((one) => one.found);
  if (found.length > 0) return { kind: 'declared', schemas: found };
  const names = [...new Set(looks.flatMap((one) => one.names))];
  return { kind: looks.every(({ isClosed }) => isClosed) ? 'impossible' : 'undeclared', names };
}

interface Look {
  found: JsonSchema[];
  names: string[];
  /** What is not found cannot be. */
  isClosed: boolean;
}
interface MemberQuestion {
  root: JsonSchema;
  step: string;
  isPosition: boolean;
  /** Each schema is read once, however many paths lead to it; where it is met again it closes nothing. */
  seen: Set<JsonSchema>;
}

function look(asked: MemberQuestion, schema: JsonSchema): Look {
  if (typeof schema === 'boolean' || asked.seen.has(schema)) return { found: [], names: [], isClosed: schema === false };
  asked.seen.add(schema);
  const own = ownLook(asked, schema);
  const below = (list: JsonValue | undefined): Look[] =>
    (Array.isArray(list) ? list : []).filter(isSchema).map((part) => look(asked, part));
  const every = below(schema.allOf);
  const choices = [below(schema.anyOf), below(schema.oneOf)].filter((list) => list.length > 0);
  const conditional = below([schema.then, schema.else].filter((part) => part !== undefined));
  const referred = typeof schema.$ref === 'string' ? [look(asked, resolve(asked.root, schema.$ref))] : [];
  const all = [own, ...every, ...choices.flat(), ...conditional, ...referred];
  return {
    found: all.flatMap(({ found }) => found),
    names: all.flatMap(({ names }) => names),
    isClosed:
      [own, ...every, ...referred].some(({ isClosed }) => isClosed) || choices.some((list) => list.every(({ isClosed }) => isClosed)),
  };
}

function ownLook({ step, isPosition }: MemberQuestion, schema: JsonObject): Look {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties, prefixItems, items } = schema;
  const declared = isJsonObject(properties) ? properties : {};
  const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : [];
  const found: JsonSchema[] = [];
  const isList = isPosition && allows(schema, 'array');
  const isMap = allows(schema, 'object');
  if (isMap) {
    if (Object.hasOwn(declared, step)) found.push(declared[step] as JsonSchema);
    for (const [pattern, member] of patterns) if (matches(pattern, step)) found.push(member as JsonSchema);
    if (found.length === 0 && isJsonObject(additionalProperties)) found.push(additionalProperties);
  }
  if (isList) {
    const place = Array.isArray(prefixItems) ? prefixItems[Number(step)] : undefined;
    if (isSchema(place)) found.push(place);
    else if (items !== undefined && items !== false) found.push(items as JsonSchema);
  }
  const mapIsClosed = !isMap || additionalProperties === false || unevaluatedProperties === false;
  return { found, names: isMap ? Object.keys(declared) : [], isClosed: mapIsClosed && (!isList || items === false) };
}

function allows({ type }: JsonObject, wanted: 'object' | 'array'): boolean {
  if (typeof type === 'string') return type === wanted;
  return !Array.isArray(type) || type.includes(wanted);
}

/** A pattern that is not taken has its own diagnostic, and closes nothing. */
function matches(pattern: string, name: string): boolean {
  try {
    return schemaPattern(pattern).test(name);
  } catch {
    return true;
  }
}

/** What a reference leads to elsewhere than in this schema may be anything. */
function resolve(root: JsonSchema, reference: string): JsonSchema {
  if (!reference.startsWith('#')) return true;
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decodeStep(step);
    found = typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? (found as JsonObject)[name] : undefined;
  }
  return /^#(?:\/|$)/.test(reference) && isSchema(found) ? found : true;
}

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}
