// Datasets: rows of one tool's state, in immutable revisions bound to their digest.
import type { CompiledTool } from '../contract/build.js';
import { ServiceError } from '../contract/errors.js';
import type { DatasetRevisionView } from '../contract/hosted-resources.js';
import type { Build, CreateDatasetRequest, Dataset, DatasetCollectionInput } from '../contract/hosted-source.js';
import { newId } from '../contract/ids.js';
import { contentOf, loadBuild, requireBuild } from './build-records.js';
import { listPage } from './cursors.js';
import {
  type DatasetContent,
  type DatasetRevisionRecord,
  datasetRevisionTable,
  datasetTable,
  keepContent,
  loadContent,
  orderedContent,
  requireAvailableDataset,
  requireDataset,
  requireDatasetRevision,
} from './dataset-records.js';
import type { EndpointSet } from './endpoint.js';
import { returnQuota, takeQuota } from './quotas.js';
import type { ControlServices } from './services.js';
import { revisionKey, sourceRevisionTable } from './source-records.js';
import type { Change, View } from './tables.js';
import { requireConfirmation, requireVersion } from './versions.js';

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
        const identity = { schemaVersion: 1, organizationId, projectId, datasetId: newId('dataset'), name, packageId } as const;
        const first = { version: 1, currentRevision: 1, currentDigest: prepared.digest, state: 'available' } as const;
        return putRevision(tx, { ...identity, ...first, ...author, updatedAtMs: author.createdAtMs }, prepared, author);
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
        const [version, currentRevision] = [dataset.version + 1, dataset.currentRevision + 1];
        const next: Dataset = { ...dataset, version, currentRevision, currentDigest: prepared.digest, updatedAtMs: author.createdAtMs };
        return putRevision(tx, next, prepared, author);
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

interface PreparedRows {
  content: DatasetContent;
  digest: string;
  provenance: DatasetRevisionView['provenance'];
}
interface RowsRequest extends Pick<CreateDatasetRequest, 'buildHash' | 'packageId' | 'collections'> {
  organizationId: string;
  projectId: string;
}

/** The rows fit the tool as the build has it, and are kept. */
async function prepareRows(services: ControlServices, view: View, request: RowsRequest): Promise<PreparedRows> {
  const { blobs, compiler } = services;
  const { packageId, collections } = request;
  const build = requireBuild(view, request);
  const tool = (await loadBuild(services, build.buildHash)).tools.find((one) => one.packageId === packageId);
  if (tool === undefined) throw invalid([{ path: '/packageId', code: 'not_one_of', message: `the build has no tool package '${packageId}'` }]);
  const issues = await compiler.checkRows(tool.manifest.state, collections, request.projectId);
  if (issues.length > 0) throw invalid(issues);
  const content = contentFor(tool, collections);
  return { content, digest: await keepContent(content, blobs), provenance: provenanceOf(view, build, tool) };
}

function invalid(issues: { path: string; code: string; message: string }[]): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message: 'The rows do not fit the tool.', issues });
}

function contentFor(
  { packageId, version, manifestHash, artifactHash, stateSchemaDigest }: CompiledTool,
  collections: DatasetCollectionInput[],
): DatasetContent {
  return orderedContent({ tool: { packageId, version, manifestHash, artifactHash, stateSchemaDigest }, collections });
}

/** Where the schemas came from, when that was a build of a draft. */
function provenanceOf(view: View, { buildHash, source }: Build, { artifactHash, packageId }: CompiledTool): DatasetRevisionView['provenance'] {
  const revision = source && view.get(sourceRevisionTable, revisionKey(source.sourceDraftId, source.revision));
  if (source === undefined || revision === undefined) return undefined;
  return {
    sourceDraftId: source.sourceDraftId,
    sourceRevision: source.revision,
    sourceVersion: revision.draftVersion,
    sourceDigest: source.sourceDigest,
    buildHash,
    worldProjectionDigest: contentOf(view, buildHash).view,
    toolArtifactId: artifactHash,
    instanceId: packageId,
  };
}

function putRevision(
  tx: Change,
  dataset: Dataset,
  { content, digest, provenance }: PreparedRows,
  author: Pick<DatasetRevisionRecord, 'createdBy' | 'createdAtMs'>,
): { reply: DatasetRevisionView; resource: { type: string; id: string } } {
  const { datasetId, currentRevision: revision } = dataset;
  const record: DatasetRevisionRecord = { datasetId, revision, digest, ...(provenance === undefined ? {} : { provenance }), ...author };
  tx.put(datasetTable, dataset);
  tx.put(datasetRevisionTable, record);
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
    ...(provenance === undefined ? {} : { provenance }),
    revisionCreatedBy: createdBy,
    revisionCreatedAtMs: createdAtMs,
  };
}
