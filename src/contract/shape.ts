// Shapes as data: the JSON Schemas that typia makes of the types of this module (validators.ts). An object is closed unless it says what
// its other members are.
import { compareTexts } from '../text/compare-texts.js';
import type { JsonValue } from './json.js';

export interface Schema {
  $ref?: string;
  description?: string;
  type?: 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';
  const?: JsonValue;
  oneOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  properties?: { [name: string]: Schema };
  required?: string[];
  additionalProperties?: Schema;
}
export interface Shapes {
  readonly [name: string]: Schema;
}
export interface Members {
  readonly [name: string]: unknown;
}

export const refPrefix = '#/components/schemas/';

/** The name of the shape that a schema stands for; undefined for one written in place. */
export function shapeName(schema: Schema): string | undefined {
  return schema.$ref?.slice(refPrefix.length);
}

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonType;
}

export function typeOfSchema(schema: Schema): JsonType | undefined {
  if ('const' in schema) return jsonTypeOf(schema.const);
  return schema.type === 'integer' ? 'number' : schema.type;
}

/** One way to be: a schema, and its name where it has one. */
export interface Alternative {
  readonly schema: Schema;
  readonly name: string | undefined;
}

/** The alternatives of a schema, unions inside it taken apart; itself when it is none. */
export function alternatives(shapes: Shapes, schema: Schema, name?: string): Alternative[] {
  const ref = shapeName(schema);
  if (ref !== undefined) return alternatives(shapes, shapes[ref] as Schema, ref);
  if (schema.oneOf === undefined) return [{ schema, name }];
  return schema.oneOf.flatMap((alternative) => alternatives(shapes, alternative));
}

/** A union, analyzed once: all its alternatives, and what decides between those that are objects. */
export interface Union {
  readonly all: readonly Alternative[];
  readonly objects: readonly Alternative[];
  /** The member that has other constants in each object; without one, what fits best is taken. */
  readonly tag: string | undefined;
}

const unions = new WeakMap<Schema, Union>();
export function unionOf(shapes: Shapes, schema: Schema): Union {
  let union = unions.get(schema);
  if (union === undefined) {
    const all = alternatives(shapes, schema);
    const objects = all.filter((option) => typeOfSchema(option.schema) === 'object');
    union = { all, objects, tag: tagOf(objects) };
    unions.set(schema, union);
  }
  return union;
}

function tagOf(objects: readonly Alternative[]): string | undefined {
  return Object.keys(objects[0]?.schema.properties ?? {}).find((member) => {
    const constants = objects.map(({ schema }) => constantsOf(schema.properties?.[member]));
    const all = constants.flatMap((some) => some ?? []);
    return constants.every((some) => some !== undefined) && new Set(all).size === all.length;
  });
}

/** What a schema takes where that is a constant, or one of several. */
function constantsOf(schema: Schema | undefined): unknown[] | undefined {
  if (schema === undefined) return undefined;
  if ('const' in schema) return [schema.const];
  const some = schema.oneOf?.map(constantsOf);
  return some?.every((each) => each !== undefined) ? some.flat() : undefined;
}

/** Undefined when the tag says none of them. */
export function chooseObject({ objects, tag }: Union, value: Members): Alternative | undefined {
  if (tag !== undefined) return objects.find(({ schema }) => constantsOf(schema.properties?.[tag])?.includes(value[tag]));
  return objects.reduce((best, option) => (misfit(option.schema, value) < misfit(best.schema, value) ? option : best));
}

/** How many strangers and gaps an object would have. */
function misfit({ properties = {}, required = [] }: Schema, value: Members): number {
  let count = 0;
  for (const member of Object.keys(value)) if (!Object.hasOwn(properties, member)) count++;
  for (const member of required) if (value[member] === undefined) count++;
  return count;
}

const unordered = new Set(['required', 'enum', 'oneOf', 'anyOf']);
/**
 * The same shapes, alternatives and required members in text order: typia's own order depends on what else it compiles. Each is put in
 * order when it is first asked for: most processes ask for few.
 */
export function inOneOrder(shapes: Shapes): Shapes {
  // Without a prototype V8 keeps it as a table: otherwise each definition below copies the descriptions of all members, which takes as long
  // as all else that a service does at its start.
  const inOrder: { [name: string]: Schema } = Object.create(null);
  for (const [name, schema] of Object.entries(shapes)) {
    const define = (property: PropertyDescriptor): unknown =>
      Object.defineProperty(inOrder, name, { enumerable: true, configurable: true, ...property });
    define({
      get: () => {
        const value = ordered(schema) as Schema;
        define({ value });
        return value;
      },
    });
  }
  return inOrder;
}
function ordered(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => ordered(item));
    if (!unordered.has(key)) return items;
    const texts = items.map((item) => ({ item, text: JSON.stringify(item) }));
    return texts.sort((left, right) => compareTexts(left.text, right.text)).map(({ item }) => item);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, ordered(item, name)]));
}
