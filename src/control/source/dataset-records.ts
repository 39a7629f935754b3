// Datasets as they lie in the catalog: the dataset, and its immutable revisions, whose rows are blobs under the revision's digest.
import { ServiceError } from '../../contract/errors.js';
import { contentText, type DatasetContent } from '../../contract/hosted/dataset-content.js';
import type { DatasetRevisionView } from '../../contract/hosted/resources.js';
import type { Dataset } from '../../contract/hosted/source.js';
import { defineTable, type View } from '../catalog/tables.js';
import type { Blobs } from '../core/services.js';

export const datasetTable = defineTable<Dataset>({
  name: 'dataset',
  idOf: ({ datasetId }) => datasetId,
  // Ids rise with time, so every index lists in the order of creation.
  indexes: {
    byProject: ({ projectId }) => [projectId],
    byProjectState: ({ projectId, state }) => [projectId, state],
  },
});

export interface DatasetRevisionRecord {
  datasetId: string;
  revision: number;
  /** Of the content, a blob. */
  digest: string;
  provenance?: NonNullable<DatasetRevisionView['provenance']>;
  createdBy: string;
  createdAtMs: number;
}
export const datasetRevisionId = ({ datasetId, revision }: Pick<DatasetRevisionRecord, 'datasetId' | 'revision'>): string =>
  `${datasetId}.${revision}`;
export const datasetRevisionTable = defineTable<DatasetRevisionRecord>({
  name: 'dataset-revision',
  idOf: datasetRevisionId,
  indexes: { all: () => [] },
});

/** `content` is ordered. */
export async function keepContent(content: DatasetContent, blobs: Blobs): Promise<{ digest: string; bytes: number }> {
  const text = Buffer.from(contentText(content));
  return { digest: await blobs.put(text), bytes: text.length };
}

export async function loadContent(digest: string, blobs: Blobs): Promise<DatasetContent> {
  const { tool, collections } = JSON.parse(Buffer.from(await blobs.get(digest)).toString()) as DatasetContent;
  return { tool, collections };
}

interface Place {
  organizationId: string;
  projectId: string;
  datasetId: string;
}

/** As its project sees it, archived or not. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireDataset(view: View, place: Place): Dataset {
  const dataset = view.get(datasetTable, place.datasetId);
  if (dataset !== undefined && dataset.organizationId === place.organizationId && dataset.projectId === place.projectId) return dataset;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such dataset.' });
}

/** One to use or change: control.STATE_CONFLICT for an archived one. */
export function requireAvailableDataset(view: View, place: Place): Dataset {
  const dataset = requireDataset(view, place);
  if (dataset.state === 'available') return dataset;
  throw new ServiceError('control.STATE_CONFLICT', { message: 'The dataset is archived.', details: { state: dataset.state } });
}

export function requireDatasetRevision(
  view: View,
  place: Place & { revision: number },
): { dataset: Dataset; record: DatasetRevisionRecord } {
  const dataset = requireDataset(view, place);
  const record = view.get(datasetRevisionTable, `${place.datasetId}.${place.revision}`);
  if (record === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such dataset revision.' });
  return { dataset, record };
}
