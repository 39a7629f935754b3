// state.unchanged: everything but a declared footprint is what it was when the run began.
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import type { StateUnchangedAssertion } from '../../contract/run/assertion.js';
import { counted } from '../../text/counted.js';
import type { Check } from './finding.js';
import { changeFacts, describeChange, liesIn, NetChanges } from './net-changes.js';

export function stateUnchanged({ except, scope }: StateUnchangedAssertion): Check {
  const changes = new NetChanges(scope);
  return {
    observe: (entry) => changes.observe(entry),
    finding: () => {
      const all = changes.list();
      const stray = all.filter((change) => !liesIn(change, except));
      const matched = stray.length === 0;
      const allowed = all.length - stray.length;
      const first = stray[0];
      const shown = stray.slice(0, 3).map((change) => `${describeChange(change)} at sequence ${change.sequence}`);
      const more = stray.length > shown.length ? `, and ${stray.length - shown.length} more` : '';
      return {
        status: matched ? 'passed' : 'failed',
        // What was changed can be changed back.
        settled: false,
        message: matched
          ? `Nothing changed${allowed === 0 ? '' : ` but ${counted(allowed, 'row')} of the declared footprint`}.`
          : `Expected no change outside the declared footprint, found ${counted(stray.length, 'changed row')}: ${shown.join(', ')}${more}.`,
        expected: [],
        actual: stray.slice(0, limits.diffChangesShown).map(changeFacts),
        location: {
          subject: 'state',
          ...defined({ packageId: first?.packageId, instanceId: first?.instanceId, namespace: first?.namespace, rowId: first?.rowId }),
        },
        diff: { operator: 'unchanged', matched, details: { changedRows: stray.length, allowedRows: allowed } },
        evidenceSequences: stray.slice(0, limits.citedSequencesMax).map(({ sequence }) => sequence),
      };
    },
  };
}
