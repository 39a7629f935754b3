// state.value: the value at a path of one row, compared. The row's changes are cited, newest last.
import type { StateValueAssertion } from '../../contract/assertion.js';
import type { JsonValue } from '../../contract/json.js';
import type { AssertionLocation } from '../../contract/run.js';
import { compare, describeExpected, preview, valueAt } from './compare.js';
import type { Finding, Space, StateCheck } from './finding.js';

const changesCited = 10;

export function stateValue(assertion: StateValueAssertion): StateCheck {
  const { packageId, instanceId = packageId, namespace, rowId, path } = assertion;
  const space: Space = { packageId, instanceId, namespace };
  const changes: number[] = [];
  return {
    observe: (entry) => {
      if (entry.kind !== 'state_change' || entry.rowId !== rowId || !inSpace(entry, space)) return;
      changes.push(entry.sequence);
      if (changes.length > changesCited) changes.shift();
    },
    finding: async (state) => {
      const row = await state.row(space, rowId);
      const location: AssertionLocation = { subject: 'state', packageId, instanceId, namespace, rowId, path };
      const evidenceSequences = [...changes];
      if (row !== null) return { ...compareRow(assertion, row), location, evidenceSequences };
      const gone = changes.length > 0 ? ' It was deleted.' : '';
      const message = `There is no row ${rowId} in ${packageId}/${namespace} to compare.${gone}`;
      return { status: 'inconclusive', settled: false, message, expected: assertion.expected, location, evidenceSequences };
    },
  };
}

function compareRow({ path, comparison, expected, rowId }: StateValueAssertion, row: JsonValue): Omit<Finding, 'evidenceSequences' | 'location'> {
  const where = path.length === 0 ? `row ${rowId}` : `/${path.join('/')} of row ${rowId}`;
  const actual = valueAt(row, path);
  if (actual === undefined) {
    const matched = comparison === 'not_equals';
    const message = matched
      ? `${where} is absent, so it is not ${preview(expected)}.`
      : `${where} is absent; expected ${describeExpected(comparison, expected)}.`;
    return {
      status: matched ? 'passed' : 'failed',
      settled: false,
      message,
      expected,
      diff: { operator: comparison, matched, details: { absent: true } },
    };
  }
  const compared = compare(actual, comparison, expected);
  if ('reason' in compared) {
    const status = compared.kind === 'invalid' ? 'invalid' : 'inconclusive';
    return { status, settled: compared.kind === 'invalid', message: `${where} is ${preview(actual)}: ${compared.reason}.`, expected, actual };
  }
  const matched = compared.kind === 'matched';
  return {
    status: matched ? 'passed' : 'failed',
    settled: false,
    message: matched
      ? `${where} is ${preview(actual)}, as wanted.`
      : `${where} is ${preview(actual)}; expected ${describeExpected(comparison, expected)}.`,
    expected,
    actual,
    diff: { operator: comparison, matched, details: {} },
  };
}

export function inSpace(entry: Space, space: Space): boolean {
  return entry.namespace === space.namespace && entry.packageId === space.packageId && entry.instanceId === space.instanceId;
}
