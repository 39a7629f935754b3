// What a compile worker makes of chosen rows that came as bytes.
import type { DataChoices } from '../../compiler/data-choices.js';
import type { DatasetContent } from '../../contract/hosted/dataset-content.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import type { ChosenContent } from '../core/services.js';

/** Selections of one content share its values. */
export function dataChoicesOf({ target, selections, contents }: ChosenContent): DataChoices {
  const read = new Map(
    Object.entries(contents).map(([digest, bytes]) => [digest, JSON.parse(Buffer.from(bytes).toString()) as DatasetContent]),
  );
  const rows = selections.map(({ packageId, instanceId, digest }) => {
    const { collections } = read.get(digest) as DatasetContent;
    const state = collections.flatMap(({ namespace, records }) =>
      records.map(({ rowId, value }): StatePatch => ({ action: 'upsert', packageId, instanceId, namespace, rowId, value })),
    );
    return { packageId, instanceId, state };
  });
  return { target, rows };
}
