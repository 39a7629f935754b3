// The input schema of a tool as models take it: an object whose root holds no `oneOf`, `anyOf`, `allOf`, `not`, `enum`, `if` or `$ref`,
// which the APIs of several vendors refuse together with the whole request.
// The folded schema tells a model what there is to say. What a call may hold is the world's to decide, by the manifest's schema.
//   MCP-INPUT-SCHEMA-1. Schemas are their authors', and lists are made where all worlds are served: each part is looked at once, steps are
//     counted, and what would take more than the list has left is shown as an object.
//   MCP-INPUT-SCHEMA-2. Each reference of a folded schema leads to a schema in it; one where that cannot be is shown as an object.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { SchemaReferences } from './schema-references.js';

/** What the folding of one list may take. A step is a part of a schema that is looked at, a member of it, a property that is taken over. */
export class FoldSteps {
  #left: number = limits.mcpFoldStepsMax;

  /** Throws NotFolded. */
  readonly spend = (steps: number): void => {
    this.#left -= steps;
    if (this.#left < 0) throw new NotFolded();
  };
}
class NotFolded extends Error {}

/** A schema that says it is of an object, with the alternatives and conditions of its root folded into its properties. */
export function foldedInputSchema(schema: JsonObject, steps: FoldSteps): JsonObject {
  if (!foldedKeywords.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  try {
    return new Fold(schema, steps).folded();
  } catch (error) {
    if (error instanceof NotFolded) return { type: 'object' };
    throw error;
  }
}

const foldedKeywords = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else', '$ref', 'dependentSchemas'];
/** They see the properties of their own schema alone, so beside the folded ones they would say something else. */
const foldedMembers = ['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'maxProperties'];

interface Members {
  /** What each property may be, by any of the schemas that know it. */
  properties: Map<string, Set<JsonValue>>;
  /** In every value that is valid. */
  required: Set<string>;
}
const noMembers = (): Members => ({ properties: new Map(), required: new Set() });

class Fold {
  readonly #root: JsonObject;
  readonly #spend: FoldSteps['spend'];
  readonly #references: SchemaReferences;
  /** Of each schema that was looked at, and what is known so far of one that is being looked at: one that leads to itself adds nothing. */
  readonly #known = new Map<JsonObject, Members>();

  constructor(root: JsonObject, { spend }: FoldSteps) {
    this.#root = root;
    this.#spend = spend;
    this.#references = new SchemaReferences(root, spend);
    // What lies inside of a part with a name of its own would refer to something else at the root.
    if (this.#references.hasInnerIds && !this.#references.isEmpty) throw new NotFolded();
  }

  folded(): JsonObject {
    const { properties, required } = this.#membersOf(this.#root, 0);
    const kept = Object.entries(this.#root).filter(([keyword]) => !foldedKeywords.includes(keyword) && !foldedMembers.includes(keyword));
    const folded: JsonObject = { ...Object.fromEntries(kept), type: 'object' };
    if (properties.size > 0)
      folded.properties = Object.fromEntries([...properties].map(([name, schemas]) => [name, this.#eitherOf([...schemas])]));
    if (required.size > 0) folded.required = [...required];
    // A reference into what has gone would lead nowhere.
    if (!new SchemaReferences(folded, this.#spend).areWhole) throw new NotFolded();
    return folded;
  }

  #membersOf(schema: JsonValue, depth: number): Members {
    if (!isJsonObject(schema)) return noMembers();
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (depth > limits.mcpFoldDepthMax) throw new NotFolded();
    const members = noMembers();
    this.#known.set(schema, noMembers());
    this.#addOwn(members, schema);
    const inside = (part: JsonValue): Members => this.#membersOf(part, depth + 1);
    const referred = typeof schema.$ref === 'string' ? [this.#references.at(schema.$ref) ?? true] : [];
    const together = [...listOf(schema.allOf), ...referred].map(inside);
    for (const part of together) this.#add(members, part, part.required);
    for (const list of [schema.oneOf, schema.anyOf]) {
      const alternatives = listOf(list)
        .filter((part) => part !== false)
        .map(inside);
      const required = this.#inAll(alternatives);
      for (const part of alternatives) this.#add(members, part, required);
    }
    for (const part of [schema.if, schema.then, schema.else, ...valuesOf(schema.dependentSchemas)].map((part) => inside(part ?? true)))
      this.#add(members, part, new Set());
    this.#known.set(schema, members);
    return members;
  }

  #addOwn({ properties, required }: Members, schema: JsonObject): void {
    if (isJsonObject(schema.properties))
      for (const [name, property] of Object.entries(schema.properties)) properties.set(name, new Set([property]));
    for (const name of listOf(schema.required)) if (typeof name === 'string') required.add(name);
    this.#spend(1 + properties.size + required.size);
  }

  #add(to: Members, { properties }: Members, required: ReadonlySet<string>): void {
    this.#spend(1 + required.size);
    for (const [name, schemas] of properties) {
      this.#spend(1 + schemas.size);
      const all = to.properties.get(name);
      if (all === undefined) to.properties.set(name, new Set(schemas));
      else for (const schema of schemas) all.add(schema);
    }
    for (const name of required) to.required.add(name);
  }

  #inAll([first, ...others]: readonly Members[]): Set<string> {
    const required = [...(first?.required ?? [])];
    this.#spend(required.length * (1 + others.length));
    return new Set(required.filter((name) => others.every((part) => part.required.has(name))));
  }

  /** The same schema once; of one alone it is that. */
  #eitherOf(schemas: readonly JsonValue[]): JsonValue {
    for (const schema of schemas) this.#spend(stepsIn(schema));
    const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
    return distinct.length === 1 ? (distinct[0] as JsonValue) : { anyOf: distinct };
  }
}

/** A schema is listed with all that is in it, once for each property that leads to it. */
function stepsIn(value: JsonValue): number {
  if (typeof value === 'string') return 1 + value.length / charsOfStep;
  if (typeof value !== 'object' || value === null) return 1;
  let steps = 1;
  for (const [name, member] of Object.entries(value)) steps += 1 + name.length / charsOfStep + stepsIn(member);
  return steps;
}
const charsOfStep = 0x40;

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);
const valuesOf = (value: JsonValue | undefined): JsonValue[] => (isJsonObject(value) ? Object.values(value) : []);
