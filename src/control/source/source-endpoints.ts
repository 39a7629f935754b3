// Source drafts and their immutable revisions.
import { ServiceError } from '../../contract/errors.js';
import type { CreateSourceRevisionRequest, SourceDraft, SourceRevision } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import { listPage } from '../catalog/cursors.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import { returnQuota, takeQuota } from '../catalog/quotas.js';
import { requireStorage } from '../catalog/storage-use.js';
import { requireConfirmation, requireVersion } from '../catalog/versions.js';
import type { Blobs, ControlServices } from '../core/services.js';
import { archiveOf } from './archives.js';
import {
  deleteDraft,
  putDraft,
  putRevision,
  requireAvailableDraft,
  requireDraft,
  requireRevision,
  sourceDraftTable,
} from './source-records.js';
import { applyChanges, bytesSent, filesOf, keepTree, loadTree, type SourceTree, treeOfFiles } from './source-trees.js';

type Ids = 'createSourceDraft' | 'listSourceDrafts' | 'getSourceDraft' | 'deleteSourceDraft' | 'createSourceRevision' | 'getSourceArchive';

export function sourceEndpoints(services: ControlServices): EndpointSet<Ids> {
  const { blobs, nowMs } = services;
  return {
    createSourceDraft: {
      kind: 'prepared',
      prepare: (view, { caller, path, body }) => {
        requireStorage(view, services, { ...path, organizationId: caller.organizationId });
        return storeTree(treeOfFiles(body.files, blobs), blobs);
      },
      apply: (tx, { caller, path: { projectId }, body: { name, files } }, { tree, sourceDigest }: KeptTree) => {
        const { organizationId, userId, credentialId } = caller;
        requireStorage(tx, services, { organizationId, projectId });
        takeQuota(tx, services, { organizationId, name: 'sourceDraftsMax' });
        const author = { createdBy: userId ?? credentialId, nowMs: nowMs() };
        const place = { sourceDraftId: newId('draft'), organizationId, projectId };
        const sourceDraft = putDraft(tx, { ...place, name, sourceDigest, bytes: bytesSent({ files }), ...author });
        const resource = { type: 'source-draft', id: sourceDraft.sourceDraftId };
        return { reply: { sourceDraft, revision: revisionOf(sourceDraft, tree, author) }, resource };
      },
    },
    listSourceDrafts: {
      kind: 'read',
      run: (view, { path, query }) =>
        listPage(services, view, { table: sourceDraftTable, index: 'byProjectAvailable', prefix: [path.projectId], query }),
    },
    getSourceDraft: {
      kind: 'read',
      run: (view, { caller, path }) => ({ sourceDraft: requireDraft(view, { ...path, organizationId: caller.organizationId }) }),
    },
    deleteSourceDraft: {
      kind: 'change',
      apply: (tx, { caller, path, body }) => {
        const { organizationId } = caller;
        const draft = requireDraft(tx, { ...path, organizationId });
        requireConfirmation(draft.sourceDraftId, body);
        requireVersion(draft, body);
        requireAvailableDraft(tx, { ...path, organizationId });
        const sourceDraft = deleteDraft(tx, draft, nowMs());
        returnQuota(tx, { organizationId, name: 'sourceDraftsMax' });
        return { reply: { sourceDraft }, resource: { type: 'source-draft', id: draft.sourceDraftId } };
      },
    },
    createSourceRevision: {
      kind: 'prepared',
      prepare: async (view, { caller, path, body }) => {
        const draft = requireDraft(view, { ...path, organizationId: caller.organizationId });
        requireVersion(draft, body);
        requireStorage(view, services, draft);
        return storeTree(nextTree(body, draft, blobs), blobs);
      },
      apply: (tx, { caller, path, body }, { tree, sourceDigest }: KeptTree) => {
        const place = { ...path, organizationId: caller.organizationId };
        requireVersion(requireDraft(tx, place), body);
        const author = { createdBy: caller.userId ?? caller.credentialId, nowMs: nowMs() };
        const draft = requireAvailableDraft(tx, place);
        requireStorage(tx, services, draft);
        const sourceDraft = putRevision(tx, draft, { sourceDigest, bytes: bytesSent(body), ...author });
        const resource = { type: 'source-draft', id: sourceDraft.sourceDraftId };
        return { reply: { sourceDraft, revision: revisionOf(sourceDraft, tree, author) }, resource };
      },
    },
    getSourceArchive: {
      kind: 'read',
      run: async (view, { caller, path }) => {
        const { record } = requireRevision(view, { ...path, organizationId: caller.organizationId });
        return archiveOf(await loadTree(record.sourceDigest, blobs), blobs);
      },
    },
  };
}

interface KeptTree {
  tree: SourceTree;
  sourceDigest: string;
}

async function storeTree(coming: Promise<SourceTree>, blobs: Blobs): Promise<KeptTree> {
  const tree = await coming;
  return { tree, sourceDigest: await keepTree(tree, blobs) };
}

async function nextTree({ files, changes }: CreateSourceRevisionRequest, { sourceDigest }: SourceDraft, blobs: Blobs): Promise<SourceTree> {
  if (files !== undefined && changes === undefined) return treeOfFiles(files, blobs);
  if (changes !== undefined && files === undefined) return applyChanges(await loadTree(sourceDigest, blobs), changes, blobs);
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'A revision is made of files or of changes.',
    issues: [{ path: '', code: files === undefined ? 'required' : 'conflict', message: 'expected exactly one of "files" and "changes"' }],
  });
}

function revisionOf(draft: SourceDraft, tree: SourceTree, { createdBy, nowMs }: { createdBy: string; nowMs: number }): SourceRevision {
  const { sourceDraftId, currentRevision: revision, sourceDigest } = draft;
  return { schemaVersion: 1, sourceDraftId, revision, sourceDigest, files: filesOf(tree), createdBy, createdAtMs: nowMs };
}
