// state.count: how many rows of a namespace have all members of `where`. The changes that made or unmade such rows are cited.
import type { JsonValue } from '../../contract/json.js';
import type { StateCountAssertion } from '../../contract/run/assertion.js';
import { noun } from '../../text/counted.js';
import { hasMembers } from './compare.js';
import { countFinding } from './count-finding.js';
import { Citations, type ViewCheck, type WorldSpace } from './finding.js';
import { inSpace } from './state-value.js';

export function stateCount({ packageId, instanceId = packageId, namespace, where, count: bounds }: StateCountAssertion): ViewCheck {
  const space: WorldSpace = { packageId, instanceId, namespace };
  const cited = new Citations();
  const counts = (row: JsonValue): boolean => row !== null && hasMembers(row, where);
  return {
    observe: (entry) => {
      if (entry.kind !== 'state_change' || !inSpace(entry, space)) return;
      if (counts(entry.before) !== counts(entry.after)) cited.add(entry.sequence);
    },
    finding: async (state) => {
      let count = 0;
      await state.eachRow(space, ({ value }) => {
        if (counts(value)) count += 1;
      });
      return countFinding({
        subject: (many) =>
          `${noun(many, 'row')} of ${packageId}/${namespace}${where === undefined ? '' : ` with ${JSON.stringify(where)}`}`,
        count,
        bounds,
        location: { subject: 'state', packageId, instanceId, namespace },
        evidenceSequences: [...cited.sequences],
        grows: false,
      });
    },
  };
}
