// A value to start from when an operation is tried by hand: what its input schema requires, with the plainest values that fit.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/json.js';
import type { JsonSchema } from '../../../contract/world/tool-manifest.js';
import { tuning } from '../../tuning.js';

export function sampleOf(schema: JsonSchema | JsonValue | undefined, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > tuning.sampleDepthMax) return {};
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]!;
  const choice = firstOf(schema.oneOf) ?? firstOf(schema.anyOf);
  if (choice !== undefined) return sampleOf(choice, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return [];
    default:
      return sampleObject(schema, depth);
  }
}

function sampleObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name], depth + 1)]));
}

/** How a schema reads in one word or two: `string`, `integer`, `list of string`, `one of "a", "b"`. */
export function schemaWord(schema: JsonSchema | JsonValue | undefined): string {
  if (!isJsonObject(schema)) return 'anything';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map((value) => JSON.stringify(value)).join(', ')}`;
  if (schema.type === 'array') return `list of ${schemaWord(schema.items)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

function firstOf(value: JsonValue | undefined): JsonValue | undefined {
  return Array.isArray(value) ? value[0] : undefined;
}
