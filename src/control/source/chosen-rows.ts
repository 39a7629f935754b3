// The rows that a source version's data choices stand for, as the compiler takes them.
import type { DataChoices } from '../../compiler/data-choices.js';
import type { SourceDataChoices } from '../../contract/hosted/resources.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import type { Blobs } from '../core/services.js';
import { loadContent } from './dataset-records.js';

export async function chosenRows({ blobs }: { blobs: Blobs }, { target, selections }: SourceDataChoices): Promise<DataChoices> {
  const rows = await Promise.all(
    selections.map(async ({ packageId, instanceId, digest }) => {
      const { collections } = await loadContent(digest, blobs);
      const state = collections.flatMap(({ namespace, records }) =>
        records.map(({ rowId, value }): StatePatch => ({ action: 'upsert', packageId, instanceId, namespace, rowId, value })),
      );
      return { packageId, instanceId, state };
    }),
  );
  return { target, rows };
}
