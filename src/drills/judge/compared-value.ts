// One value at a path, compared: what state.value and output.value find out.
import type { JsonValue } from '../../contract/json.js';
import { valueAt } from '../../contract/json-path.js';
import type { Comparison } from '../../contract/run/assertion.js';
import { compare, describeExpected, preview } from './compare.js';
import type { Finding } from './finding.js';

export interface ValueComparison {
  path: readonly (string | number)[];
  comparison: Comparison;
  expected: JsonValue;
}

/** `value`: undefined where there is none. `where`: `row t1`, with the path in it. A value that is absent equals nothing. */
export function compareAt(
  { path, comparison, expected }: ValueComparison,
  { value, where }: { value: JsonValue | undefined; where: string },
): Omit<Finding, 'settled' | 'evidenceSequences'> {
  const actual = value === undefined ? undefined : valueAt(value, path);
  if (actual === undefined) {
    const matched = comparison === 'not_equals';
    const message = matched
      ? `${where} is absent, so it is not ${preview(expected)}.`
      : `${where} is absent; expected ${describeExpected(comparison, expected)}.`;
    return { status: matched ? 'passed' : 'failed', message, expected, diff: { operator: comparison, matched, details: { absent: true } } };
  }
  const compared = compare(actual, comparison, expected);
  if ('reason' in compared) {
    const status = compared.kind === 'invalid' ? 'invalid' : 'inconclusive';
    return { status, message: `${where} is ${preview(actual)}: ${compared.reason}.`, expected, actual };
  }
  const matched = compared.kind === 'matched';
  return {
    status: matched ? 'passed' : 'failed',
    message: matched
      ? `${where} is ${preview(actual)}, as wanted.`
      : `${where} is ${preview(actual)}; expected ${describeExpected(comparison, expected)}.`,
    expected,
    actual,
    diff: { operator: comparison, matched, details: {} },
  };
}
