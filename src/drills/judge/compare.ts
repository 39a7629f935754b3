// Comparing JSON values the way assertions do: deeply, members in any order, numbers by value.
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import type { Comparison, CountBounds } from '../../contract/run/assertion.js';
import { beginningOf } from '../../text/cut-text.js';
import { tuning } from '../tuning.js';

export function deepEqual(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, index) => deepEqual(item, right[index]!));
  if (Array.isArray(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key]!, right[key]!));
}

/** Every member of `wanted` is in `value`, deeply equal. */
export function hasMembers(value: JsonValue, wanted: JsonObject | undefined): boolean {
  if (wanted === undefined) return true;
  if (!isJsonObject(value)) return false;
  return Object.keys(wanted).every((key) => Object.hasOwn(value, key) && deepEqual(value[key]!, wanted[key]!));
}

/** Whether the comparison can be asked of these values at all; a reason where it cannot. */
export type ComparisonOutcome = { kind: 'matched' | 'differs' } | { kind: 'invalid' | 'undecided'; reason: string };

export function compare(actual: JsonValue, comparison: Comparison, expected: JsonValue): ComparisonOutcome {
  switch (comparison) {
    case 'equals':
      return decided(deepEqual(actual, expected));
    case 'not_equals':
      return decided(!deepEqual(actual, expected));
    case 'one_of':
      if (!Array.isArray(expected)) return { kind: 'invalid', reason: 'one_of needs an array in `expected`' };
      return decided(expected.some((candidate) => deepEqual(actual, candidate)));
    case 'greater_than_or_equal':
    case 'less_than_or_equal':
      return compareOrder(actual, comparison, expected);
    default:
      return comparison satisfies never;
  }
}

/** Numbers by size, strings by UTF-16 code units (so that ISO 8601 times order as times). */
function compareOrder(
  actual: JsonValue,
  comparison: 'greater_than_or_equal' | 'less_than_or_equal',
  expected: JsonValue,
): ComparisonOutcome {
  if (typeof expected !== 'number' && typeof expected !== 'string') {
    return { kind: 'invalid', reason: `${comparison} needs a number or a string in \`expected\`` };
  }
  if (typeof actual !== typeof expected)
    return { kind: 'undecided', reason: `${typeName(actual)} cannot be ordered against ${typeName(expected)}` };
  const ordered = actual as number | string;
  return decided(comparison === 'greater_than_or_equal' ? ordered >= expected : ordered <= expected);
}

function decided(matched: boolean): ComparisonOutcome {
  return { kind: matched ? 'matched' : 'differs' };
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export type CountCheck = 'within' | 'too_few' | 'too_many';

export function checkCount(count: number, { equals, atLeast, atMost }: CountBounds): CountCheck {
  if (count < Math.max(equals ?? 0, atLeast ?? 0)) return 'too_few';
  if (count > Math.min(equals ?? Number.POSITIVE_INFINITY, atMost ?? Number.POSITIVE_INFINITY)) return 'too_many';
  return 'within';
}

/** `exactly 2`, `at least 1 and at most 3`. */
export function describeCount({ equals, atLeast, atMost }: CountBounds): string {
  const parts: string[] = [];
  if (equals !== undefined) parts.push(`exactly ${equals}`);
  if (atLeast !== undefined) parts.push(`at least ${atLeast}`);
  if (atMost !== undefined) parts.push(`at most ${atMost}`);
  return parts.join(' and ');
}

/** `990`, `at least 990`: what is expected, as the end of a sentence. */
export function describeExpected(comparison: Comparison, expected: JsonValue): string {
  const words = {
    equals: '',
    not_equals: 'anything but ',
    one_of: 'one of ',
    greater_than_or_equal: 'at least ',
    less_than_or_equal: 'at most ',
  };
  return words[comparison] + preview(expected);
}

/** A value short enough for a message. */
export function preview(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= tuning.comparedCharsShown ? text : `${beginningOf(text, tuning.comparedCharsShown - 3)}...`;
}
