// The rows that a source version's data choices stand for, as a compile worker takes them: the event loop never walks them.
import { ServiceError } from '../../contract/errors.js';
import type { SourceDataChoices } from '../../contract/hosted/resources.js';
import { limits } from '../../contract/limits.js';
import { storageOf } from '../catalog/storage-use.js';
import type { View } from '../catalog/tables.js';
import type { Blobs, ChosenContent } from '../core/services.js';
import { datasetRevisionId } from './dataset-records.js';

const { chosenRowsBytesMax } = limits;
export const tooManyChosen = `expected at most ${chosenRowsBytesMax} bytes of rows in all selections`;

/** Which selection is beyond the bound; -1 for none. Rows of early versions, whose bytes are not known, count when they are read. */
export function firstBeyondBound(view: View, selections: SourceDataChoices['selections']): number {
  let bytes = 0;
  return selections.findIndex((selection) => {
    bytes += storageOf(view, datasetRevisionId(selection));
    return bytes > chosenRowsBytesMax;
  });
}

/** Each content is read once, one after another. control.SOURCE_INVALID beyond the bound: the choice may be older than that. */
export async function chosenContent({ blobs }: { blobs: Blobs }, { target, selections }: SourceDataChoices): Promise<ChosenContent> {
  const contents: ChosenContent['contents'] = {};
  let bytes = 0;
  for (const [index, { digest }] of selections.entries()) {
    const content = contents[digest] ?? (await blobs.get(digest));
    contents[digest] = content;
    bytes += content.length;
    if (bytes > chosenRowsBytesMax) {
      const issue = { path: `/selections/${index}`, code: 'too_large', message: tooManyChosen };
      throw new ServiceError('control.SOURCE_INVALID', { message: 'Too much data is chosen for this source revision.', issues: [issue] });
    }
  }
  return { target, selections: selections.map(({ packageId, instanceId, digest }) => ({ packageId, instanceId, digest })), contents };
}
