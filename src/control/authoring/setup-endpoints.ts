// Tool setups: a choice of library tools and test definitions, made into a source draft and its first build.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { CanonicalToolSetupRequest, CreateToolSetupRequest } from '../../contract/hosted/resources.js';
import type { ToolSetup } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import { canonicalToolSetupRequest } from '../../contract/validate/defaults.js';
import { orderBuild } from '../builds/build-runner.js';
import type { EndpointSet, UnsafeCall } from '../catalog/endpoint.js';
import { takeQuota } from '../catalog/quotas.js';
import { bytesOfRecord, noteStorage, requireStorage } from '../catalog/storage-use.js';
import type { Change, View } from '../catalog/tables.js';
import { requireConfirmation } from '../catalog/versions.js';
import type { CompilePort, ControlServices } from '../core/services.js';
import { putDraft, revisionKey, sourceRevisionTable, toolSetupTable } from '../source/source-records.js';
import { bytesOfTree, keepTree, treeOfFiles } from '../source/source-trees.js';
import { type ChosenTool, setupFiles } from './setup-source.js';

type Ids = 'validateToolSetup' | 'createToolSetup' | 'getToolSetup' | 'deleteToolSetup';

export function setupEndpoints(services: ControlServices): EndpointSet<Ids> {
  const { blobs, compiler } = services;
  return {
    validateToolSetup: { kind: 'read', run: (_, { body }) => ({ request: canonicalRequest(body) }) },
    createToolSetup: {
      kind: 'prepared',
      prepare: async (view, { caller, path, body }) => {
        const request = canonicalRequest(body);
        requireStorage(view, services, { ...path, organizationId: caller.organizationId });
        requirePrevious(view, { ...path, organizationId: caller.organizationId }, request);
        const tree = await treeOfFiles(setupFiles(request, await chooseTools(compiler, request)), blobs);
        return { request, sourceDigest: await keepTree(tree, blobs), bytes: bytesOfTree(tree) };
      },
      apply: (tx, call, prepared: PreparedSetup) => {
        requirePrevious(tx, { ...call.path, organizationId: call.caller.organizationId }, prepared.request);
        const reply = putSetup(tx, services, call, prepared);
        return { reply, resource: { type: 'tool-setup', id: reply.setup.setupId } };
      },
    },
    getToolSetup: {
      kind: 'read',
      run: (view, { caller, path }) => ({ setup: requireSetup(view, { ...path, organizationId: caller.organizationId }) }),
    },
    deleteToolSetup: {
      kind: 'change',
      apply: (tx, { caller, path, body }) => {
        const setup = requireSetup(tx, { ...path, organizationId: caller.organizationId });
        requireConfirmation(setup.setupId, body);
        tx.remove(toolSetupTable, setup.setupId);
        const { organizationId, projectId } = setup;
        noteStorage(tx, { ownerId: setup.setupId, organizationId, projectId, bytes: 0 });
        return { reply: { setup }, resource: { type: 'tool-setup', id: setup.setupId } };
      },
    },
  };
}

interface PreparedSetup {
  request: CanonicalToolSetupRequest;
  sourceDigest: string;
  bytes: number;
}
interface SetupPlace {
  organizationId: string;
  projectId: string;
  setupId: string;
}

/** With every default, and without what no list of tools can mean. */
function canonicalRequest(body: CreateToolSetupRequest): CanonicalToolSetupRequest {
  const keys = body.tools.map(({ libraryEntryId, instanceId }) => `${libraryEntryId} ${instanceId ?? ''}`);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice >= 0) {
    const issue = {
      path: `/tools/${twice}`,
      code: 'duplicate',
      message: 'the tool is listed already; another instance of it has another instanceId',
    };
    throw new ServiceError('control.INVALID_REQUEST', { message: 'The tool setup is not acceptable.', issues: [issue] });
  }
  return canonicalToolSetupRequest(body);
}

/** What the library has of the chosen tools: the very packages that the request expects. */
async function chooseTools(compiler: CompilePort, { tools }: CanonicalToolSetupRequest): Promise<ChosenTool[]> {
  const library = new Map((await compiler.library()).map((entry) => [entry.libraryEntryId, entry]));
  return tools.map(({ libraryEntryId, expectedPackageArchiveDigest, initialState, instanceId }) => {
    const entry = library.get(libraryEntryId);
    if (entry === undefined)
      throw new ServiceError('control.NOT_FOUND', { message: 'There is no such tool in the library.', details: { libraryEntryId } });
    const { packageArchiveDigest, lifecycle } = entry;
    if (packageArchiveDigest !== expectedPackageArchiveDigest) {
      const details = { libraryEntryId, packageArchiveDigest };
      throw new ServiceError('control.STATE_CONFLICT', { message: `The library has another package of '${libraryEntryId}'.`, details });
    }
    if (lifecycle === 'revoked') {
      throw new ServiceError('control.STATE_CONFLICT', {
        message: `The tool '${libraryEntryId}' is revoked.`,
        details: { libraryEntryId, lifecycle },
      });
    }
    return { entry, initialState, ...defined({ instanceId }) };
  });
}

/** The parent exists, and its build is exactly the expected one. */
function requirePrevious(
  view: View,
  place: Omit<SetupPlace, 'setupId'>,
  { previousSetupId, expectedPreviousBuildHash }: CanonicalToolSetupRequest,
): void {
  const previous = previousSetupId === undefined ? undefined : requireSetup(view, { ...place, setupId: previousSetupId });
  if (expectedPreviousBuildHash === undefined || previous?.buildHash === expectedPreviousBuildHash) return;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: previous === undefined ? 'There is no previous setup whose build could be expected.' : 'The previous setup has another build.',
    details: { previousBuildHash: previous?.buildHash ?? null },
  });
}

/** control.NOT_FOUND for one that does not exist and for one of another project alike. */
function requireSetup(view: View, place: SetupPlace): ToolSetup {
  const setup = view.get(toolSetupTable, place.setupId);
  if (setup !== undefined && setup.organizationId === place.organizationId && setup.projectId === place.projectId) return setup;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such tool setup.' });
}

/** The setup, its draft and its build operation, in one change. */
function putSetup(tx: Change, services: ControlServices, call: UnsafeCall<'createToolSetup'>, prepared: PreparedSetup) {
  const { request, sourceDigest, bytes } = prepared;
  const { organizationId, userId, credentialId } = call.caller;
  const { projectId } = call.path;
  const author = { createdBy: userId ?? credentialId, nowMs: services.nowMs() };
  takeQuota(tx, services, { organizationId, name: 'sourceDraftsMax' });
  const { name = 'Tool setup', use, previousSetupId } = request;
  const sourceDraft = putDraft(tx, { sourceDraftId: newId('draft'), organizationId, projectId, name, sourceDigest, bytes, ...author });
  const { sourceDraftId, currentRevision: sourceRevision } = sourceDraft;
  const revision = tx.get(sourceRevisionTable, revisionKey(sourceDraftId, sourceRevision))!;
  const setupId = newId('setup');
  const { operation } = orderBuild(tx, services, { revision, setupId, call });
  const setup: ToolSetup = {
    schemaVersion: 1,
    setupId,
    organizationId,
    projectId,
    ...defined({ name: request.name }),
    use,
    request,
    ...defined({ previousSetupId }),
    sourceDraftId,
    sourceRevision,
    buildOperationId: operation.operationId,
    createdBy: author.createdBy,
    createdAtMs: author.nowMs,
  };
  tx.put(toolSetupTable, setup);
  noteStorage(tx, { ownerId: setupId, organizationId, projectId, bytes: bytesOfRecord(setup) });
  return { setup, sourceDraft, operation };
}
