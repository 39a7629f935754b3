// Datasets that do not fit a request's body: their rows are announced with size and digest, sent as bytes, then checked in a
// worker and made a revision.
//   DATASET-UPLOADS-1. What was sent is of its project alone, and gone after an hour unless a dataset has taken it.
//   DATASET-UPLOADS-2. What a revision has on the disk counts as storage of its project (storage-use.ts).
// The event loop never walks the rows as they come, and no reply to who sent them has them.
import { defined } from '../../contract/defined.js';
import { sha256Digest } from '../../contract/digest.js';
import { ServiceError } from '../../contract/errors.js';
import type { CompleteDatasetUploadRequest, Dataset, DatasetUpload } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import type { EndpointSet, UnsafeCall } from '../catalog/endpoint.js';
import { takeQuota } from '../catalog/quotas.js';
import { noteStorage, requireStorage } from '../catalog/storage-use.js';
import type { Change, View } from '../catalog/tables.js';
import { requireVersion } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import {
  type DatasetRevisionRecord,
  datasetRevisionId,
  datasetRevisionTable,
  datasetTable,
  requireAvailableDataset,
  requireDataset,
} from '../source/dataset-records.js';
import { dropOldUploads, requireOpenUpload, uploadTable } from '../source/dataset-upload-records.js';
import { datasetToolOf, firstOf, nextOf, provenanceOf, rowsRefused, toolFor } from './dataset-endpoints.js';

interface CheckedUpload {
  digest: string;
  bytes: number;
  collections: { namespace: string; records: number }[];
  provenance: DatasetRevisionRecord['provenance'];
}

type Ids = 'createDatasetUpload' | 'putDatasetUploadContent' | 'completeDatasetUpload';

export function datasetUploadEndpoints(services: ControlServices): EndpointSet<Ids> {
  const { nowMs } = services;
  return {
    createDatasetUpload: {
      kind: 'change',
      apply: (tx, { caller, path: { projectId }, body: { bytes, hash } }) => {
        const { organizationId, userId, credentialId } = caller;
        requireStorage(tx, services, { organizationId, projectId });
        const atMs = nowMs();
        dropOldUploads(tx, projectId, atMs);
        const times = { createdAtMs: atMs, expiresAtMs: atMs + limits.datasetUploadKeptMs };
        const place = { uploadId: newId('upload'), organizationId, projectId };
        return put(tx, { schemaVersion: 1, ...place, state: 'pending', bytes, hash, createdBy: userId ?? credentialId, ...times });
      },
    },
    putDatasetUploadContent: {
      kind: 'prepared',
      prepare: (view, { caller, path, body }) => takeContent(services, requireOpenUpload(view, { ...path, ...caller }, nowMs()), body),
      apply: (tx, { caller, path }) => put(tx, { ...requireOpenUpload(tx, { ...path, ...caller }, nowMs()), state: 'uploaded' }),
    },
    completeDatasetUpload: {
      kind: 'prepared',
      prepare: (view, call) => checkUpload(services, view, call),
      apply: (tx, { caller, path, body }, checked: CheckedUpload) => {
        const place = { organizationId: caller.organizationId, projectId: path.projectId };
        requireOpenUpload(tx, { ...path, ...caller }, nowMs());
        requireStorage(tx, services, place);
        const author = { createdBy: caller.userId ?? caller.credentialId, createdAtMs: nowMs() };
        const dataset = datasetOf(tx, services, { ...place, body, digest: checked.digest, author });
        const { datasetId, currentRevision: revision } = dataset;
        const { digest, bytes, collections, provenance } = checked;
        tx.put(datasetTable, dataset);
        tx.put(datasetRevisionTable, { datasetId, revision, digest, ...defined({ provenance }), ...author });
        tx.remove(uploadTable, path.uploadId);
        noteStorage(tx, { ownerId: datasetRevisionId({ datasetId, revision }), ...place, bytes });
        const reply = { dataset, revision: { schemaVersion: 1 as const, datasetId, revision, digest, bytes, collections } };
        return { reply, resource: { type: 'dataset', id: datasetId } };
      },
    },
  };
}

function put(tx: Change, upload: DatasetUpload) {
  tx.put(uploadTable, upload);
  return { reply: { upload }, resource: { type: 'dataset-upload', id: upload.uploadId } };
}

async function takeContent({ blobs }: ControlServices, { bytes, hash }: DatasetUpload, content: Uint8Array): Promise<void> {
  const found = sha256Digest(content);
  if (found !== hash || content.length !== bytes) {
    const message = `has ${content.length} bytes and ${found}; announced were ${bytes} and ${hash}`;
    throw new ServiceError('control.INVALID_REQUEST', {
      message: 'These are not the bytes that were announced.',
      issues: [{ path: '', code: 'conflict', message }],
    });
  }
  // On the disk before the catalog says so.
  await blobs.put(content);
}

async function checkUpload(
  services: ControlServices,
  view: View,
  { caller, path, body }: UnsafeCall<'completeDatasetUpload'>,
): Promise<CheckedUpload> {
  const { blobs, compiler, nowMs } = services;
  const place = { organizationId: caller.organizationId, projectId: path.projectId };
  const upload = requireOpenUpload(view, { ...path, ...caller }, nowMs());
  if (upload.state !== 'uploaded')
    throw new ServiceError('control.STATE_CONFLICT', { message: 'The rows were not sent yet.', details: { state: upload.state } });
  const packageId = packageOf(view, place, body);
  const { build, tool } = await toolFor(services, view, { ...place, buildHash: body.buildHash, packageId });
  const content = await blobs.get(upload.hash);
  const read = await compiler.readUpload({ tool: datasetToolOf(tool), state: tool.manifest.state, content, projectId: path.projectId });
  if (!('content' in read)) throw rowsRefused(read.issues);
  const provenance = provenanceOf(view, build, tool);
  return { digest: await blobs.put(read.content), bytes: read.content.length, collections: read.collections, provenance };
}

interface Place {
  organizationId: string;
  projectId: string;
}

/** Which tool the rows are of. */
function packageOf(view: View, place: Place, { name, packageId, datasetId, expectedVersion }: CompleteDatasetUploadRequest): string {
  if (name !== undefined && packageId !== undefined && datasetId === undefined && expectedVersion === undefined) return packageId;
  if (datasetId !== undefined && expectedVersion !== undefined && name === undefined && packageId === undefined) {
    const dataset = requireDataset(view, { ...place, datasetId });
    requireVersion(dataset, { expectedVersion });
    return dataset.packageId;
  }
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'Rows become a new dataset or a revision of one.',
    issues: [{ path: '', code: 'required', message: 'expected either "name" and "packageId", or "datasetId" and "expectedVersion"' }],
  });
}

interface UploadPlace extends Place {
  body: CompleteDatasetUploadRequest;
  digest: string;
  author: { createdBy: string; createdAtMs: number };
}
function datasetOf(tx: Change, services: ControlServices, { body, digest, author, ...place }: UploadPlace): Dataset {
  const { name, packageId, datasetId, expectedVersion } = body;
  if (datasetId === undefined || expectedVersion === undefined) {
    takeQuota(tx, services, { organizationId: place.organizationId, name: 'datasetsMax' });
    return firstOf({ ...place, name: name as string, packageId: packageId as string, digest }, author);
  }
  requireVersion(requireDataset(tx, { ...place, datasetId }), { expectedVersion });
  return nextOf(requireAvailableDataset(tx, { ...place, datasetId }), digest, author);
}
