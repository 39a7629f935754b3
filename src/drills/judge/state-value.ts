// state.value: the value at a path of one row, compared. The row's changes are cited, newest last.
import { limits } from '../../contract/limits.js';
import type { StateValueAssertion } from '../../contract/run/assertion.js';
import type { AssertionLocation } from '../../contract/run/run.js';
import { compareAt } from './compared-value.js';
import type { ViewCheck, WorldSpace } from './finding.js';

export function stateValue(assertion: StateValueAssertion): ViewCheck {
  const { packageId, instanceId = packageId, namespace, rowId, path } = assertion;
  const space: WorldSpace = { packageId, instanceId, namespace };
  const changes: number[] = [];
  return {
    observe: (entry) => {
      if (entry.kind !== 'state_change' || entry.rowId !== rowId || !inSpace(entry, space)) return;
      changes.push(entry.sequence);
      if (changes.length > limits.citedChangesMax) changes.shift();
    },
    finding: async (state) => {
      const row = await state.row(space, rowId);
      const location: AssertionLocation = { subject: 'state', packageId, instanceId, namespace, rowId, path };
      const evidenceSequences = [...changes];
      if (row !== null) {
        const compared = compareAt(assertion, {
          value: row,
          where: path.length === 0 ? `row ${rowId}` : `/${path.join('/')} of row ${rowId}`,
        });
        return { ...compared, settled: compared.status === 'invalid', location, evidenceSequences };
      }
      const gone = changes.length > 0 ? ' It was deleted.' : '';
      const message = `There is no row ${rowId} in ${packageId}/${namespace} to compare.${gone}`;
      return { status: 'inconclusive', settled: false, message, expected: assertion.expected, location, evidenceSequences };
    },
  };
}

export function inSpace(entry: WorldSpace, space: WorldSpace): boolean {
  return entry.namespace === space.namespace && entry.packageId === space.packageId && entry.instanceId === space.instanceId;
}
