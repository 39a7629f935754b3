// Whether a JSON Schema is surely sound, without Ajv: nearly every schema of a tool is made of a few keywords, and compiling each only to
// learn that it compiles took a third of the time that a project's check takes. Of any other schema this says no, and Ajv judges.
//   PLAIN-SCHEMA-1. What is plain is sound: Ajv finds no fault in it. The other way round need not hold.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import type { JsonSchema } from '../contract/world/tool-manifest.js';
import { patternFault } from './patterns/schema-pattern.js';

export function isPlainSchema(schema: JsonSchema): boolean {
  return isSchema(schema);
}

type Fits = (value: JsonValue) => boolean;

const isSchema: Fits = (value) => {
  if (typeof value === 'boolean') return true;
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(([keyword, of]) => keywords.get(keyword)?.(of) === true);
};
const isText: Fits = (value) => typeof value === 'string';
const isTruth: Fits = (value) => typeof value === 'boolean';
const isNumber: Fits = (value) => typeof value === 'number';
const isCount: Fits = (value) => Number.isInteger(value) && (value as number) >= 0;
const isAnything: Fits = () => true;
const isSomeOf =
  (fits: Fits): Fits =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(fits);
const areDifferent: Fits = (value) => new Set(value as JsonValue[]).size === (value as JsonValue[]).length;

const types = new Set<JsonValue>(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);
const isType: Fits = (value) => types.has(value) || (isSomeOf((one) => types.has(one))(value) && areDifferent(value));
const areNames: Fits = (value) => Array.isArray(value) && value.every(isText) && areDifferent(value);
const areSchemas: Fits = (value) => isJsonObject(value) && Object.values(value).every(isSchema);

/** `\Z` is an anchor elsewhere, and Ajv refuses it. */
const isPattern: Fits = (value) => {
  if (typeof value !== 'string' || value.includes('\\Z')) return false;
  try {
    new RegExp(value);
  } catch {
    return false;
  }
  return patternFault(value) === undefined;
};

const keywords: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ['type', isType],
  ['title', isText],
  ['description', isText],
  ['default', isAnything],
  ['const', isAnything],
  ['enum', isSomeOf(isAnything)],
  ['examples', isSomeOf(isAnything)],
  ['format', isText],
  ['pattern', isPattern],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['items', isSchema],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['uniqueItems', isTruth],
  ['properties', areSchemas],
  ['required', areNames],
  ['additionalProperties', isSchema],
  ['propertyNames', isSchema],
  ['minProperties', isCount],
  ['maxProperties', isCount],
  ['allOf', isSomeOf(isSchema)],
  ['anyOf', isSomeOf(isSchema)],
  ['oneOf', isSomeOf(isSchema)],
]);
