// The shapes of the contract as schemas of the document: constants become enums, what is sent is closed, names that only a compiler could
// love are written in place.
import type { JsonObject, JsonValue } from '../../contract/json.js';
import { refPrefix, type Schema, type Shapes, shapeName } from '../../contract/shape.js';
import type { RouteContract, RoutePart } from '../../contract/validate/route-validators.js';

/** Shapes that the document shows in place: the join of several types, and names that two modules use for different things. */
const joins = 'Parts.*|Array.*|Omit.*|Pick.*|AdvanceProgress\\w+|\\w*provenanceProvenance|AccessBundlehosted\\w+';
const inlined = new RegExp(`^(?:Everything|Name(?:\\.o1)?|Path|Title|Ordinal|${joins})$`);

/** The schemas of one document. */
export class DocumentSchemas<Id extends string> {
  readonly #contract: RouteContract<Id>;
  readonly #shapes: Shapes;

  constructor(contract: RouteContract<Id>) {
    this.#contract = contract;
    this.#shapes = contract.shapes;
  }

  /** Every shape that these routes name, by name, in alphabetical order. */
  all(ids: readonly Id[]): { [name: string]: JsonObject } {
    const sent = this.#reached(ids.flatMap((id) => this.#namesOf(id, ['path', 'query', 'body'])));
    const given = this.#reached([...ids.flatMap((id) => this.#namesOf(id, ['reply'])), 'ErrorEnvelope']);
    const parameters = new Set(ids.flatMap((id) => this.#namesOf(id, ['path', 'query'])));
    const names = [...new Set([...sent, ...given])].filter((name) => !inlined.test(name) && !parameters.has(name)).sort();
    return Object.fromEntries(names.map((name) => [name, this.#render(this.#shapes[name] as Schema, name, sent)]));
  }

  of(schema: Schema): JsonObject {
    return this.#render(schema, undefined, new Set());
  }

  #namesOf(id: Id, parts: readonly RoutePart[]): string[] {
    return parts.map((part) => this.#contract.shapeNameOf(id, part)).filter((name) => name !== undefined && name !== 'bytes') as string[];
  }

  /** All shapes that these mention, themselves included. */
  #reached(names: readonly string[]): Set<string> {
    const found = new Set<string>();
    const visit = (schema: Schema): void => {
      const name = shapeName(schema);
      if (name !== undefined && !found.has(name)) {
        found.add(name);
        visit(this.#shapes[name] as Schema);
      }
      for (const part of partsOf(schema)) visit(part);
    };
    for (const name of names) visit({ $ref: refPrefix + name });
    return found;
  }

  /** `closed`: the names of shapes that come from clients, which refuse members they do not know. */
  #render(schema: Schema, name: string | undefined, closed: ReadonlySet<string>): JsonObject {
    if (name === 'JsonValue') return { description: 'Any JSON value, at most 64 levels deep.' };
    const ref = shapeName(schema);
    const note = schema.description === undefined ? {} : { description: schema.description };
    if (ref !== undefined) {
      return inlined.test(ref)
        ? { ...this.#render(this.#shapes[ref] as Schema, name, closed), ...note }
        : { $ref: schema.$ref as string, ...note };
    }
    const inside = (part: Schema): JsonObject => this.#render(part, undefined, closed);
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
}

function partsOf({ oneOf = [], properties = {}, items, additionalProperties }: Schema): Schema[] {
  return [
    ...oneOf,
    ...Object.values(properties),
    ...(items === undefined ? [] : [items]),
    ...(additionalProperties === undefined ? [] : [additionalProperties]),
  ];
}

function unionSchema(options: readonly Schema[], inside: (part: Schema) => JsonObject): JsonObject {
  const constants = options.filter((option) => 'const' in option || option.type === 'null');
  if (constants.length < options.length) return { anyOf: options.map(inside) };
  const values = constants.map((option) => ('const' in option ? (option.const as JsonValue) : null));
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? (types[0] as string) : types, enum: values };
}
