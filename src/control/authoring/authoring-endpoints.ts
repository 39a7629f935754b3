// The endpoints of authoring: conversations that author source, from the first turn to a published revision or the waste basket.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { AuthoringProposal, PublishProposalRequest } from '../../contract/hosted/authoring.js';
import type { AuthoringSession } from '../../contract/hosted/resources.js';
import type { SourceDraft, SourceRevision } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import { SourceInvalidError } from '../../drills/source-invalid.js';
import { listPage } from '../catalog/cursors.js';
import type { ChangeEndpoint, EndpointSet, UnsafeCall } from '../catalog/endpoint.js';
import { takeQuota } from '../catalog/quotas.js';
import type { Change } from '../catalog/tables.js';
import { requireConfirmation, requireVersion } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import { putDraft, putRevision, requireAvailableDraft, requireRevision } from '../source/source-records.js';
import {
  type AuthoringRecord,
  authoringTable,
  putAuthoring,
  requireAuthoring,
  requireInactive,
  requireProposal,
  turnTable,
} from './authoring-records.js';
import { createTurn, turnRunner } from './authoring-turns.js';

type Ids =
  | 'createAuthoringSession'
  | 'listAuthoringSessions'
  | 'getAuthoringSession'
  | 'createAuthoringTurn'
  | 'listAuthoringTurns'
  | 'getAuthoringProposal'
  | 'publishAuthoringProposal'
  | 'discardAuthoringSession';

export function authoringEndpoints(services: ControlServices): EndpointSet<Ids> {
  return {
    createAuthoringSession: createSession(services),
    listAuthoringSessions: {
      kind: 'read',
      run: (view, { path: { projectId }, query }) => {
        const { state = 'all' } = query ?? {};
        const place = state === 'all' ? { index: 'byProject', prefix: [projectId] } : { index: 'byState', prefix: [projectId, state] };
        const { items, ...page } = listPage(services, view, { table: authoringTable, ...place, reverse: true, query });
        return { items: items.map(({ session }) => session), ...page };
      },
    },
    getAuthoringSession: {
      kind: 'read',
      run: (view, { path, caller }) => ({ session: requireAuthoring(view, { ...path, ...caller }).session }),
    },
    createAuthoringTurn: createTurn(services),
    listAuthoringTurns: {
      kind: 'read',
      run: (view, { path, caller, query }) => {
        const { session } = requireAuthoring(view, { ...path, ...caller });
        return listPage(services, view, { table: turnTable, index: 'bySession', prefix: [session.authoringSessionId], query });
      },
    },
    getAuthoringProposal: { kind: 'read', run: (view, { path, caller }) => ({ proposal: requireProposal(view, { ...path, ...caller }) }) },
    publishAuthoringProposal: publishProposal(services),
    discardAuthoringSession: {
      kind: 'change',
      apply: (tx, { path, caller, body }) => {
        const record = requireAuthoring(tx, { ...path, ...caller });
        requireConfirmation(record.session.authoringSessionId, body);
        requireVersion(record.session, body);
        requireInactive(record);
        const { session } = putAuthoring(tx, record, { state: 'discarded' }, services.nowMs());
        return { reply: { session }, resource: { type: 'authoringSession', id: session.authoringSessionId } };
      },
    },
  };
}

export function defineAuthoringRunners(services: ControlServices): void {
  services.operations.define('authoring.turn', turnRunner(services));
}

function createSession(services: ControlServices): ChangeEndpoint<'createAuthoringSession'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller, body }) => {
      const { organizationId } = caller;
      const { projectId } = path;
      if (body.author === 'command' && services.settings.author === undefined) {
        throw new ServiceError('control.INVALID_REQUEST', {
          message: 'This server has no author command.',
          issues: [{ path: '/author', code: 'not_one_of', message: 'is manual here: no author command is set up' }],
        });
      }
      const base = body.base && requireRevision(tx, { organizationId, projectId, ...body.base }).record;
      const nowMs = services.nowMs();
      const session: AuthoringSession = {
        schemaVersion: 1,
        authoringSessionId: newId('authsess'),
        organizationId,
        projectId,
        createdBy: caller.userId ?? caller.credentialId,
        state: 'active',
        version: 1,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        workspace: 'repository',
        ...(base === undefined ? {} : { repositoryBindingId: base.sourceDraftId, baseRevision: String(base.revision) }),
        ...defined({ title: body.title }),
        pendingActionCount: 0,
      };
      const from =
        base === undefined ? {} : { base: { sourceDraftId: base.sourceDraftId, revision: base.revision }, sourceDigest: base.sourceDigest };
      tx.put(authoringTable, { session, author: body.author, ...from });
      return { reply: { session }, resource: { type: 'authoringSession', id: session.authoringSessionId } };
    },
  };
}

function publishProposal(services: ControlServices): ChangeEndpoint<'publishAuthoringProposal'> {
  return {
    kind: 'change',
    apply: (tx, call) => {
      const { path, caller, body } = call;
      const proposal = requireProposal(tx, { ...path, ...caller });
      const record = requireAuthoring(tx, { ...path, ...caller });
      requireVersion(record.session, body);
      requireInactive(record);
      requirePublishable(record, proposal);
      const sourceDraft =
        record.base === undefined
          ? newDraft(tx, services, { record, proposal, call })
          : nextRevision(tx, services, { record, proposal, call });
      const { session } = putAuthoring(tx, record, { state: 'published' }, services.nowMs());
      const { sourceDraftId, currentRevision } = sourceDraft;
      const revision: SourceRevision = {
        schemaVersion: 1,
        sourceDraftId,
        revision: currentRevision,
        sourceDigest: proposal.sourceDigest,
        files: proposal.files,
        createdBy: caller.userId ?? caller.credentialId,
        createdAtMs: sourceDraft.updatedAtMs,
      };
      return { reply: { session, sourceDraft, revision }, resource: { type: 'sourceDraft', id: sourceDraftId } };
    },
  };
}

function requirePublishable(
  { session: { currentProposalId } }: AuthoringRecord,
  { proposalId, compiles, diagnostics }: AuthoringProposal,
): void {
  if (proposalId !== currentProposalId) {
    const details = defined({ currentProposalId });
    throw new ServiceError('control.STATE_CONFLICT', { message: 'A later turn has taken the place of this proposal.', details });
  }
  if (!compiles) throw new SourceInvalidError(diagnostics);
}

interface Publication {
  record: AuthoringRecord;
  proposal: AuthoringProposal;
  call: UnsafeCall<'publishAuthoringProposal'>;
}

function newDraft(tx: Change, services: ControlServices, { record: { session }, proposal, call }: Publication): SourceDraft {
  const { organizationId, projectId, authoringSessionId, title } = session;
  const { name = (title ?? authoringSessionId).slice(0, limits.draftNameCharsMax) }: PublishProposalRequest = call.body;
  takeQuota(tx, services, { organizationId, name: 'sourceDraftsMax' });
  return putDraft(tx, { organizationId, projectId, sourceDraftId: newId('draft'), name, ...revisionOf(services, proposal, call) });
}

/** The base must still be what the conversation began with, unless the caller names the version it has seen. */
function nextRevision(tx: Change, services: ControlServices, { record, proposal, call }: Publication): SourceDraft {
  const { sourceDraftId, revision } = record.base!;
  const draft = requireAvailableDraft(tx, { ...call.path, ...call.caller, sourceDraftId });
  const { expectedDraftVersion } = call.body;
  if (expectedDraftVersion !== undefined) requireVersion(draft, { expectedVersion: expectedDraftVersion });
  else if (draft.currentRevision !== revision) {
    const { currentRevision, version } = draft;
    throw new ServiceError('control.VERSION_CONFLICT', {
      message: 'The source draft has a later revision.',
      details: { currentRevision, version },
    });
  }
  return putRevision(tx, draft, revisionOf(services, proposal, call));
}

function revisionOf({ nowMs }: ControlServices, { sourceDigest, files }: AuthoringProposal, { caller }: Publication['call']) {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { sourceDigest, bytes, createdBy: caller.userId ?? caller.credentialId, nowMs: nowMs() };
}
