// Source drafts as they lie in the catalog: the draft, its immutable revisions, the data chosen for them, and the tool setups they came
// from.
import { ServiceError } from '../../contract/errors.js';
import type { SourceDataChoices } from '../../contract/hosted/resources.js';
import type { SourceDraft, ToolSetup } from '../../contract/hosted/source.js';
import { addStorage, noteStorage } from '../catalog/storage-use.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';

export const sourceDraftTable = defineTable<SourceDraft>({
  name: 'source-draft',
  idOf: ({ sourceDraftId }) => sourceDraftId,
  // Ids rise with time, so the index lists in the order of creation.
  indexes: { byProjectAvailable: ({ projectId, state }) => (state === 'available' ? [projectId] : undefined) },
});

/** Its files lie in the blobs: `loadTree(sourceDigest)`. */
export interface SourceRevisionRecord {
  organizationId: string;
  projectId: string;
  sourceDraftId: string;
  revision: number;
  sourceDigest: string;
  /** The draft's version when it got this revision. */
  draftVersion: number;
  createdBy: string;
  createdAtMs: number;
}
export const sourceRevisionTable = defineTable<SourceRevisionRecord>({
  name: 'source-revision',
  idOf: (record) => revisionKey(record.sourceDraftId, record.revision),
  indexes: { all: () => [] },
});
export const revisionKey = (sourceDraftId: string, revision: number): string => `${sourceDraftId}.${revision}`;

export const dataChoicesTable = defineTable<SourceDataChoices>({
  name: 'source-data-choices',
  idOf: ({ sourceDraftId, sourceRevision }) => revisionKey(sourceDraftId, sourceRevision),
  indexes: {},
});

export const toolSetupTable = defineTable<ToolSetup>({
  name: 'tool-setup',
  idOf: ({ setupId }) => setupId,
  indexes: { byProject: ({ projectId }) => [projectId] },
});

interface ProjectPlace {
  organizationId: string;
  projectId: string;
}

/** A draft as its project sees it, deleted or not. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireDraft(view: View, place: ProjectPlace & { sourceDraftId: string }): SourceDraft {
  const draft = view.get(sourceDraftTable, place.sourceDraftId);
  if (draft !== undefined && draft.organizationId === place.organizationId && draft.projectId === place.projectId) return draft;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such source draft.' });
}

/** One to change: control.STATE_CONFLICT for a deleted one. */
export function requireAvailableDraft(view: View, place: ProjectPlace & { sourceDraftId: string }): SourceDraft {
  const draft = requireDraft(view, place);
  if (draft.state === 'available') return draft;
  throw new ServiceError('control.STATE_CONFLICT', { message: 'The source draft is deleted.', details: { state: draft.state } });
}

/** A revision with its draft; those of a deleted draft are gone with it. */
export function requireRevision(
  view: View,
  place: ProjectPlace & { sourceDraftId: string; revision: number },
): { draft: SourceDraft; record: SourceRevisionRecord } {
  const draft = requireDraft(view, place);
  const record = view.get(sourceRevisionTable, revisionKey(place.sourceDraftId, place.revision));
  if (record !== undefined && draft.state === 'available') return { draft, record };
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such source revision.' });
}

export interface NextRevision {
  /** Of a tree that is kept (`keepTree`). */
  sourceDigest: string;
  /** Of the files that it was sent with. */
  bytes: number;
  createdBy: string;
  nowMs: number;
}
/** The draft's next revision and the draft that has it, in one change. */
export function putRevision(tx: Change, draft: SourceDraft, { sourceDigest, bytes, createdBy, nowMs }: NextRevision): SourceDraft {
  const revision = draft.currentRevision + 1;
  const version = draft.version + 1;
  const next: SourceDraft = { ...draft, currentRevision: revision, version, sourceDigest, updatedAtMs: nowMs };
  const { organizationId, projectId, sourceDraftId } = draft;
  tx.put(sourceDraftTable, next);
  tx.put(sourceRevisionTable, {
    organizationId,
    projectId,
    sourceDraftId,
    revision,
    sourceDigest,
    draftVersion: version,
    createdBy,
    createdAtMs: nowMs,
  });
  addStorage(tx, { ownerId: sourceDraftId, organizationId, projectId, bytes });
  return next;
}

/** Its files are no longer available, and a sweep removes them (blob-sweep.ts). */
export function deleteDraft(tx: Change, draft: SourceDraft, nowMs: number): SourceDraft {
  const { organizationId, projectId, sourceDraftId } = draft;
  const deleted: SourceDraft = { ...draft, state: 'deleted', version: draft.version + 1, updatedAtMs: nowMs, deletedAtMs: nowMs };
  tx.put(sourceDraftTable, deleted);
  noteStorage(tx, { ownerId: sourceDraftId, organizationId, projectId, bytes: 0 });
  return deleted;
}

export interface NewDraft extends ProjectPlace, NextRevision {
  sourceDraftId: string;
  name: string;
}
/** A draft with its first revision. The caller has counted it (quotas.ts). */
export function putDraft(tx: Change, { organizationId, projectId, sourceDraftId, name, ...first }: NewDraft): SourceDraft {
  const { sourceDigest, createdBy, nowMs } = first;
  const times = { createdBy, createdAtMs: nowMs, updatedAtMs: nowMs };
  const empty = { state: 'available', version: 0, currentRevision: 0, sourceDigest } as const;
  return putRevision(tx, { schemaVersion: 1, sourceDraftId, organizationId, projectId, name, ...empty, ...times }, first);
}
