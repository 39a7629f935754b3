// Uploads of rows as they lie in the catalog. Their bytes are blobs, which are kept longer than the record (limits.blobUnreferencedKeptMs).
import { ServiceError } from '../../contract/errors.js';
import type { DatasetUpload } from '../../contract/hosted/source.js';
import { limits } from '../../contract/limits.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';

export const uploadTable = defineTable<DatasetUpload>({
  name: 'dataset-upload',
  idOf: ({ uploadId }) => uploadId,
  indexes: { byProject: ({ projectId }) => [projectId] },
});

interface Place {
  organizationId: string;
  projectId: string;
  uploadId: string;
}

/** control.NOT_FOUND for one that does not exist, and for one of another project alike. */
export function requireUpload(view: View, { organizationId, projectId, uploadId }: Place): DatasetUpload {
  const upload = view.get(uploadTable, uploadId);
  if (upload !== undefined && upload.organizationId === organizationId && upload.projectId === projectId) return upload;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such upload.' });
}

/** ... whose time is not over. */
export function requireOpenUpload(view: View, place: Place, nowMs: number): DatasetUpload {
  const upload = requireUpload(view, place);
  if (upload.expiresAtMs > nowMs) return upload;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'The upload is past its time; begin another.',
    details: { expiresAtMs: upload.expiresAtMs },
  });
}

/** Those of the project that are past their time go; control.QUOTA_EXCEEDED where too many are left. */
export function dropOldUploads(tx: Change, projectId: string, nowMs: number): void {
  const { records } = tx.list(uploadTable, { index: 'byProject', prefix: [projectId], limit: limits.datasetUploadsMax });
  const left = records.filter(({ expiresAtMs }) => expiresAtMs > nowMs);
  for (const { uploadId, expiresAtMs } of records) if (expiresAtMs <= nowMs) tx.remove(uploadTable, uploadId);
  if (left.length < limits.datasetUploadsMax) return;
  throw new ServiceError('control.QUOTA_EXCEEDED', {
    message: `A project has at most ${limits.datasetUploadsMax} uploads at once that no dataset has taken.`,
    details: { quota: 'datasetUploadsMax', projectId, max: limits.datasetUploadsMax, used: left.length },
    retryAfterMs: Math.max(1, Math.min(...left.map(({ expiresAtMs }) => expiresAtMs)) - nowMs),
  });
}
