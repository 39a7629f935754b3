// Datasets: rows of one tool's state, in immutable revisions bound to their digest.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { type DatasetContent, orderedContent } from '../../contract/hosted/dataset-content.js';
import type { DatasetRevisionView } from '../../contract/hosted/resources.js';
import type { Build, CreateDatasetRequest, Dataset } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import type { CompiledTool } from '../../contract/run/build.js';
import { contentOf, loadBuild, requireBuild } from '../builds/build-records.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import { returnQuota, takeQuota } from '../catalog/quotas.js';
import { noteStorage, requireStorage } from '../catalog/storage-use.js';
import type { Change, View } from '../catalog/tables.js';
import { requireConfirmation, requireVersion } from '../catalog/versions.js';
import type { ControlServices, DatasetTool } from '../core/services.js';
import {
  type DatasetRevisionRecord,
  datasetRevisionId,
  datasetRevisionTable,
  datasetTable,
  keepContent,
  loadContent,
  requireAvailableDataset,
  requireDataset,
  requireDatasetRevision,
} from '../source/dataset-records.js';
import { revisionKey, sourceRevisionTable } from '../source/source-records.js';

type Reads = 'listDatasets' | 'getDataset' | 'getDatasetRevision';
type Changes = 'createDataset' | 'createDatasetRevision' | 'archiveDataset';

export function datasetEndpoints(services: ControlServices): EndpointSet<Reads | Changes> {
  return { ...reads(services), ...changes(services) };
}

function reads(services: ControlServices): EndpointSet<Reads> {
  const { blobs } = services;
  return {
    listDatasets: {
      kind: 'read',
      run: (view, { path: { projectId }, query: { packageId, state = 'all', ...query } }) =>
        listPage(services, view, {
          table: datasetTable,
          ...(state === 'all' ? { index: 'byProject', prefix: [projectId] } : { index: 'byProjectState', prefix: [projectId, state] }),
          query,
          filters: { packageId },
          where: (dataset) => packageId === undefined || dataset.packageId === packageId,
        }),
    },
    getDataset: {
      kind: 'read',
      run: (view, { caller, path }) => ({ dataset: requireDataset(view, { ...path, organizationId: caller.organizationId }) }),
    },
    getDatasetRevision: {
      kind: 'read',
      run: async (view, { caller, path }) => {
        const { dataset, record } = requireDatasetRevision(view, { ...path, organizationId: caller.organizationId });
        return viewOf(dataset, record, await loadContent(record.digest, blobs));
      },
    },
  };
}

function changes(services: ControlServices): EndpointSet<Changes> {
  const { nowMs } = services;
  return {
    createDataset: {
      kind: 'prepared',
      prepare: (view, { caller, path, body }) => prepareRows(services, view, { ...path, ...body, organizationId: caller.organizationId }),
      apply: (tx, { caller, path: { projectId }, body: { name, packageId } }, prepared: PreparedRows) => {
        const { organizationId } = caller;
        takeQuota(tx, services, { organizationId, name: 'datasetsMax' });
        const author = { createdBy: caller.userId ?? caller.credentialId, createdAtMs: nowMs() };
        return putRevision(tx, firstOf({ organizationId, projectId, name, packageId, digest: prepared.digest }, author), prepared, author);
      },
    },
    createDatasetRevision: {
      kind: 'prepared',
      prepare: async (view, { caller, path, body }) => {
        const place = { ...path, organizationId: caller.organizationId };
        const dataset = requireDataset(view, place);
        requireVersion(dataset, body);
        return prepareRows(services, view, { ...place, ...body, packageId: dataset.packageId });
      },
      apply: (tx, { caller, path, body }, prepared: PreparedRows) => {
        const place = { ...path, organizationId: caller.organizationId };
        requireVersion(requireDataset(tx, place), body);
        const dataset = requireAvailableDataset(tx, place);
        const author = { createdBy: caller.userId ?? caller.credentialId, createdAtMs: nowMs() };
        return putRevision(tx, nextOf(dataset, prepared.digest, author), prepared, author);
      },
    },
    archiveDataset: {
      kind: 'change',
      apply: (tx, { caller, path, body }) => {
        const place = { ...path, organizationId: caller.organizationId };
        const found = requireDataset(tx, place);
        requireConfirmation(found.datasetId, body);
        requireVersion(found, body);
        requireAvailableDataset(tx, place);
        const atMs = nowMs();
        const dataset: Dataset = { ...found, state: 'archived', version: found.version + 1, updatedAtMs: atMs, archivedAtMs: atMs };
        tx.put(datasetTable, dataset);
        returnQuota(tx, { organizationId: place.organizationId, name: 'datasetsMax' });
        return { reply: { dataset }, resource: { type: 'dataset', id: dataset.datasetId } };
      },
    },
  };
}

type Author = Pick<DatasetRevisionRecord, 'createdBy' | 'createdAtMs'>;
/** A dataset with its first revision. */
export function firstOf(
  { digest, ...named }: Pick<Dataset, 'organizationId' | 'projectId' | 'name' | 'packageId'> & { digest: string },
  author: Author,
): Dataset {
  const first = { version: 1, currentRevision: 1, currentDigest: digest, state: 'available' } as const;
  return { schemaVersion: 1, datasetId: newId('dataset'), ...named, ...first, ...author, updatedAtMs: author.createdAtMs };
}
/** ... with one more. */
export function nextOf(dataset: Dataset, digest: string, { createdAtMs }: Author): Dataset {
  const [version, currentRevision] = [dataset.version + 1, dataset.currentRevision + 1];
  return { ...dataset, version, currentRevision, currentDigest: digest, updatedAtMs: createdAtMs };
}

interface PreparedRows {
  content: DatasetContent;
  digest: string;
  bytes: number;
  provenance: DatasetRevisionView['provenance'];
}
interface RowsRequest extends Pick<CreateDatasetRequest, 'buildHash' | 'packageId' | 'collections'> {
  organizationId: string;
  projectId: string;
}

/** The rows fit the tool as the build has it, and are kept. */
async function prepareRows(services: ControlServices, view: View, request: RowsRequest): Promise<PreparedRows> {
  const { blobs, compiler } = services;
  const { collections } = request;
  requireStorage(view, services, request);
  const { build, tool } = await toolFor(services, view, request);
  const issues = await compiler.checkRows(tool.manifest.state, collections, request.projectId);
  if (issues.length > 0) throw rowsRefused(issues);
  const content = orderedContent({ tool: datasetToolOf(tool), collections });
  return { content, ...(await keepContent(content, blobs)), provenance: provenanceOf(view, build, tool) };
}

/** The build and its tool. control.INVALID_REQUEST where it has none of this name. */
export async function toolFor(
  services: ControlServices,
  view: View,
  request: { organizationId: string; projectId: string; buildHash: string; packageId: string },
): Promise<{ build: Build; tool: CompiledTool }> {
  const build = requireBuild(view, request);
  const { packageId } = request;
  const tool = (await loadBuild(services, build)).tools.find((one) => one.packageId === packageId);
  if (tool !== undefined) return { build, tool };
  throw rowsRefused([{ path: '/packageId', code: 'not_one_of', message: `the build has no tool package '${packageId}'` }]);
}

export function rowsRefused(issues: { path: string; code: string; message: string }[]): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The rows do not fit the tool.', issues });
}

export function datasetToolOf({ packageId, version, manifestHash, artifactHash, stateSchemaDigest }: CompiledTool): DatasetTool {
  return { packageId, version, manifestHash, artifactHash, stateSchemaDigest };
}

/** Where the schemas came from, when that was a build of a draft. */
export function provenanceOf(
  view: View,
  { projectId, buildHash, source }: Build,
  { artifactHash, packageId }: CompiledTool,
): DatasetRevisionView['provenance'] {
  const revision = source && view.get(sourceRevisionTable, revisionKey(source.sourceDraftId, source.revision));
  if (source === undefined || revision === undefined) return undefined;
  return {
    sourceDraftId: source.sourceDraftId,
    sourceRevision: source.revision,
    sourceVersion: revision.draftVersion,
    sourceDigest: source.sourceDigest,
    buildHash,
    worldProjectionDigest: contentOf(view, { projectId, buildHash }).view,
    toolArtifactId: artifactHash,
    instanceId: packageId,
  };
}

function putRevision(
  tx: Change,
  dataset: Dataset,
  { content, digest, bytes, provenance }: PreparedRows,
  author: Pick<DatasetRevisionRecord, 'createdBy' | 'createdAtMs'>,
): { reply: DatasetRevisionView; resource: { type: string; id: string } } {
  const { datasetId, currentRevision: revision } = dataset;
  const record: DatasetRevisionRecord = { datasetId, revision, digest, ...defined({ provenance }), ...author };
  tx.put(datasetTable, dataset);
  tx.put(datasetRevisionTable, record);
  const { organizationId, projectId } = dataset;
  noteStorage(tx, { ownerId: datasetRevisionId(record), organizationId, projectId, bytes });
  return { reply: viewOf(dataset, record, content), resource: { type: 'dataset', id: datasetId } };
}

function viewOf(
  dataset: Dataset,
  { revision, digest, provenance, createdBy, createdAtMs }: DatasetRevisionRecord,
  content: DatasetContent,
): DatasetRevisionView {
  return {
    dataset,
    revision: { schemaVersion: 1, datasetId: dataset.datasetId, revision, ...content, digest },
    ...defined({ provenance }),
    revisionCreatedBy: createdBy,
    revisionCreatedAtMs: createdAtMs,
  };
}
