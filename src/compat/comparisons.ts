// `comparison: { operator, value }` of the other runner: of a value, and of a number of things.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { ShapeReader } from './members.js';

const line = 'assertions';
const operators: readonly string[] = ['equals', 'not_equals', 'greater_than_or_equal', 'less_than_or_equal', 'one_of'];

interface Comparison {
  operator: JsonValue;
  value: JsonValue;
}
function read(reader: ShapeReader, given: JsonValue | undefined, path: string): Comparison | undefined {
  if (!isJsonObject(given)) return undefined;
  const { operator = 'equals', value = null, ...rest } = given;
  for (const name of Object.keys(rest)) reader.refuse(`${path}/${name}`, `'${name}' of a comparison`, line);
  return { operator, value };
}

/** `comparison` and `expected` as ours; members that are ours already stay. */
export function readValueComparison(reader: ShapeReader, members: JsonObject, path: string): JsonObject {
  const found = read(reader, members.comparison, `${path}/comparison`);
  if (found === undefined) return members;
  if (!operators.includes(found.operator as string))
    reader.refuse(`${path}/comparison/operator`, `the operator ${JSON.stringify(found.operator)}`, line);
  return { ...members, comparison: found.operator, expected: found.value };
}

/** `count` as ours, from `comparison`, or from a `count` that is one; members that are ours already stay. */
export function readCountComparison(reader: ShapeReader, members: JsonObject, path: string): JsonObject {
  const name = isJsonObject(members.comparison) ? 'comparison' : 'count';
  const { [name]: given, ...rest } = members;
  if (!isJsonObject(given) || (name === 'count' && given.operator === undefined)) return members;
  const found = read(reader, given, `${path}/${name}`);
  const count = found === undefined ? undefined : countOf(found);
  if (count === undefined) {
    reader.refuse(`${path}/${name}`, `the number ${JSON.stringify(given)}`, line);
    return rest;
  }
  return { ...rest, count };
}

function countOf({ operator, value }: Comparison): JsonObject | undefined {
  if (operator === 'one_of') return rangeOf(value);
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined;
  switch (operator) {
    case 'equals':
      return { equals: value };
    case 'greater_than_or_equal':
      return { atLeast: value };
    case 'less_than_or_equal':
      return { atMost: value };
    case 'greater_than':
      return { atLeast: value + 1 };
    case 'less_than':
      return value > 0 ? { atMost: value - 1 } : undefined;
    // Of what is no less than none, all but none is at least one.
    case 'not_equals':
      return value === 0 ? { atLeast: 1 } : undefined;
    default:
      return undefined;
  }
}

/** Numbers without a gap are a range. */
function rangeOf(value: JsonValue): JsonObject | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(Number.isSafeInteger)) return undefined;
  const numbers = [...new Set(value as number[])].sort((one, other) => one - other);
  const [least, most] = [numbers[0] as number, numbers.at(-1) as number];
  return most - least === numbers.length - 1 ? { atLeast: least, atMost: most } : undefined;
}

interface OwnCount {
  equals?: number;
  atLeast?: number;
  atMost?: number;
}
export function isCount(count: JsonValue | undefined): count is JsonObject & OwnCount {
  if (!isJsonObject(count)) return false;
  const bounds = Object.entries(count);
  return (
    bounds.length > 0 && bounds.every(([name, value]) => ['equals', 'atLeast', 'atMost'].includes(name) && Number.isSafeInteger(value))
  );
}

/** A condition on a size. */
export function sizeCondition(size: string, { equals, atLeast, atMost }: OwnCount): string {
  const parts = [
    ...(equals === undefined ? [] : [`${size} == ${equals}`]),
    ...(atLeast === undefined ? [] : [`${size} >= ${atLeast}`]),
    ...(atMost === undefined ? [] : [`${size} <= ${atMost}`]),
  ];
  return parts.join(' && ');
}
