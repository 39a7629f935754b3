// Rows from a file as a dataset of the project: found by its name, given a revision where its rows are others, made where there is none.
import { basename, dirname, resolve } from 'node:path';
import { Diagnostics, placeOfFile } from '../compiler/diagnostics.js';
import { jsonSyntaxFault } from '../compiler/json-syntax.js';
import { parseSourceDocument } from '../compiler/source-document.js';
import { readFileBelow } from '../compiler/source-files.js';
import { sha256Digest } from '../contract/digest.js';
import { type Issue, ServiceError } from '../contract/errors.js';
import { contentText, orderedContent } from '../contract/hosted/dataset-content.js';
import type { CreateDatasetRequest, Dataset } from '../contract/hosted/source.js';
import { isRecord } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import { endpointValidators } from '../contract/validate/endpoint-validators.js';
import type { Validator } from '../contract/validate/validators.js';
import { SourceInvalidError } from '../drills/source-invalid.js';
import { asked, type Remote } from './connection.js';
import { tuning } from './tuning.js';

export interface PushedDataset {
  name: string;
  packageId: string;
  datasetId: string;
  revision: number;
  digest: string;
  /** Its last revision had these rows already. */
  isUnchanged: boolean;
}
interface DatasetFile extends Pick<CreateDatasetRequest, 'name' | 'packageId' | 'collections'> {
  file: string;
  text: string;
}

/**
 * `{name, packageId, collections}` as JSON. control.NOT_FOUND where there is no such file; control.SOURCE_INVALID (`diagnostics`) for one
 * that is no dataset, control.PAYLOAD_TOO_LARGE for one that is too large.
 */
export function readDatasetFile(file: string): DatasetFile {
  const path = resolve(file);
  const read = readFileBelow(dirname(path), basename(path), limits.datasetUploadBytesMax);
  if (read.kind === 'fault') {
    const code = read.fault === 'too_large' ? 'control.PAYLOAD_TOO_LARGE' : 'control.NOT_FOUND';
    throw new ServiceError(code, { message: `The dataset ${file} cannot be sent: it ${read.message}.` });
  }
  const { text } = read;
  const validate = endpointValidators.createDataset.body as Validator<CreateDatasetRequest>;
  const checked = validate({ ...parsed(file, text), buildHash: noBuild });
  if (!checked.ok) throw faultsAt({ file, text }, checked.issues, 'Write {"name", "packageId", "collections"}: docs/cli.md, push.');
  const { name, packageId, collections } = checked.value;
  return { file, text, name, packageId, collections };
}
const noBuild = `sha256:${'0'.repeat(64)}`;

function parsed(file: string, text: string): object {
  const fault = jsonSyntaxFault(text);
  if (fault === undefined) {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  }
  const { offset, message, suggestion } = fault ?? { offset: 0, message: 'a dataset is a JSON object', suggestion: undefined };
  const lines = text.slice(0, offset).split('\n');
  const place = { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1, path: '' };
  const diagnostics = new Diagnostics();
  diagnostics.report('DY1003', place, message, { suggestion });
  throw new SourceInvalidError(diagnostics.sorted());
}

/** Issues of what was read, at their places in the file. */
function faultsAt({ file, text }: Pick<DatasetFile, 'file' | 'text'>, issues: readonly Issue[], suggestion: string): SourceInvalidError {
  const { document } = parseSourceDocument(file.endsWith('.json') ? file : `${file}.json`, text);
  const diagnostics = new Diagnostics();
  for (const { path, code, message } of issues.slice(0, limits.issuesMax)) {
    const place = document?.place(path, code === 'unknown_property' ? 'key' : undefined) ?? placeOfFile(file);
    diagnostics.report('DY2003', { ...place, file }, message, { suggestion });
  }
  return new SourceInvalidError(diagnostics.sorted());
}

/** What the service refuses of the rows, at their places in the file. */
async function atPlaces<T>(file: Pick<DatasetFile, 'file' | 'text'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const issues = error instanceof ServiceError ? (error.extra.issues ?? []).filter(({ path }) => path.startsWith('/collections')) : [];
    if (issues.length === 0) throw error;
    throw faultsAt(file, issues, 'Write the row as the schema of its namespace wants it.');
  }
}

/** `buildHash`: of the build that has just been pushed; its tool checks the rows. */
export async function pushDataset(
  remote: Remote,
  { file, text, name, packageId, collections }: DatasetFile,
  { build, buildHash, ...waiting }: { build: CompiledBuild; buildHash: string; signal?: AbortSignal },
): Promise<PushedDataset> {
  const { client, projectId } = remote;
  const found = await asked(() => findDataset(remote, { name, packageId }, waiting));
  if (found !== undefined && found.currentDigest === digestHere(build, { packageId, collections })) {
    return { name, packageId, datasetId: found.datasetId, revision: found.currentRevision, digest: found.currentDigest, isUnchanged: true };
  }
  const content = Buffer.from(JSON.stringify({ collections }));
  if (content.length > limits.datasetUploadBytesMax) {
    throw new ServiceError('control.PAYLOAD_TOO_LARGE', {
      message: `The rows of ${file} have ${content.length} bytes; a dataset takes ${limits.datasetUploadBytesMax}.`,
    });
  }
  const as = found === undefined ? { name, packageId } : { datasetId: found.datasetId, expectedVersion: found.version };
  const send = async () => {
    const announced = { bytes: content.length, hash: sha256Digest(content) };
    const { upload } = await client.createDatasetUpload({ path: { projectId }, body: announced }, waiting);
    const path = { projectId, uploadId: upload.uploadId };
    await client.putDatasetUploadContent({ path, body: content }, waiting);
    return await client.completeDatasetUpload({ path, body: { buildHash, ...as } }, waiting);
  };
  const { dataset, revision } = await atPlaces({ file, text }, () => asked(send));
  return { name, packageId, datasetId: dataset.datasetId, revision: revision.revision, digest: revision.digest, isUnchanged: false };
}

async function findDataset(
  { client, projectId }: Remote,
  { name, packageId }: Pick<DatasetFile, 'name' | 'packageId'>,
  waiting: { signal?: AbortSignal },
): Promise<Dataset | undefined> {
  const query = { packageId, state: 'available', limit: tuning.pageItems } as const;
  for await (const { items } of client.pages('listDatasets', { path: { projectId }, query }, waiting)) {
    const found = items.find((dataset) => dataset.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What the service calls the same rows; undefined where the build has no such tool, which the service then says. */
function digestHere(
  { tools }: CompiledBuild,
  { packageId, collections }: Pick<DatasetFile, 'packageId' | 'collections'>,
): string | undefined {
  const tool = tools.find((one) => one.packageId === packageId);
  if (tool === undefined) return undefined;
  const { version, manifestHash, artifactHash, stateSchemaDigest } = tool;
  return sha256Digest(
    contentText(orderedContent({ tool: { packageId, version, manifestHash, artifactHash, stateSchemaDigest }, collections })),
  );
}
