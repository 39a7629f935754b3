// Authoring sessions, their turns and proposals as they lie in the catalog, and the one place that says which moves they may make.
import { defined } from '../../contract/defined.js';
import { invariant, ServiceError } from '../../contract/errors.js';
import type { AuthoringProposal, AuthoringTurn, CreateAuthoringSessionRequest } from '../../contract/hosted/authoring.js';
import type { AuthoringSession } from '../../contract/hosted/resources.js';
import { addStorage, bytesOfRecord, noteStorage, type Tenant } from '../catalog/storage-use.js';
import { type Change, defineTable, type View } from '../catalog/tables.js';

export interface AuthoringRecord {
  session: AuthoringSession;
  author: CreateAuthoringSessionRequest['author'];
  base?: { sourceDraftId: string; revision: number };
  /** The tree the next turn works on; absent: an empty one. */
  sourceDigest?: string;
}
export const authoringTable = defineTable<AuthoringRecord>({
  name: 'authoring-session',
  idOf: ({ session }) => session.authoringSessionId,
  // Ids rise with time.
  indexes: {
    active: ({ session }) => (session.state === 'active' ? [] : undefined),
    byProject: ({ session }) => [session.projectId],
    byState: ({ session }) => [session.projectId, session.state],
  },
});
export const turnTable = defineTable<AuthoringTurn>({
  name: 'authoring-turn',
  idOf: ({ turnId }) => turnId,
  indexes: { bySession: ({ authoringSessionId }) => [authoringSessionId] },
});
export const proposalTable = defineTable<AuthoringProposal>({
  name: 'authoring-proposal',
  idOf: ({ proposalId }) => proposalId,
  indexes: {},
});

interface Place extends Tenant {
  authoringSessionId: string;
}

/** Its turns and proposals count from when they are made until they are removed with it; what it works on has a share of its own. */
export function noteRecord(
  tx: Change,
  { organizationId, projectId, authoringSessionId }: Place,
  record: AuthoringTurn | AuthoringProposal,
): void {
  addStorage(tx, { ownerId: recordsOwner(authoringSessionId), organizationId, projectId, bytes: bytesOfRecord(record) });
}
export const recordsOwner = (authoringSessionId: string): string => `${authoringSessionId} records`;

/** control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireAuthoring(view: View, { organizationId, projectId, authoringSessionId }: Place): AuthoringRecord {
  const record = view.get(authoringTable, authoringSessionId);
  if (record?.session.organizationId === organizationId && record.session.projectId === projectId) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such authoring session.' });
}

export function requireProposal(view: View, place: Place & { proposalId: string }): AuthoringProposal {
  const { session } = requireAuthoring(view, place);
  const proposal = view.get(proposalTable, place.proposalId);
  if (proposal?.authoringSessionId === session.authoringSessionId) return proposal;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such proposal.' });
}

/** One to continue with: active, and no turn queued or running. */
export function requireInactive({ session: { state, activeTurnId } }: AuthoringRecord): void {
  if (state !== 'active')
    throw new ServiceError('control.STATE_CONFLICT', { message: `The conversation is ${state}.`, details: { state } });
  if (activeTurnId === undefined) return;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'A turn of the conversation is queued or running.',
    details: { state, activeTurnId },
  });
}

const nextSessionStates: { readonly [State in AuthoringSession['state']]: readonly AuthoringSession['state'][] } = {
  active: ['active', 'published', 'discarded'],
  published: [],
  discarded: [],
};

export type SessionChange = Omit<Partial<AuthoringSession>, 'activeTurnId'> & { activeTurnId?: string | undefined };

/** Writes the record with this changed in its session, its version and times with it. */
export function putAuthoring(tx: Change, record: AuthoringRecord, change: SessionChange, nowMs: number): AuthoringRecord {
  const { activeTurnId, ...session } = { ...record.session, ...change };
  invariant(
    nextSessionStates[record.session.state].includes(session.state),
    `an authoring session goes from ${record.session.state} to ${session.state}`,
  );
  const closed = session.state === 'active' ? {} : { closedAtMs: nowMs };
  const active = defined({ activeTurnId });
  const version = session.version + 1;
  const next = {
    ...record,
    session: { ...session, ...active, ...closed, version, updatedAtMs: nowMs, pendingActionCount: activeTurnId === undefined ? 0 : 1 },
  };
  tx.put(authoringTable, next);
  // Of a conversation that is over, the draft has what was published.
  const { organizationId, projectId, authoringSessionId } = next.session;
  if (session.state !== 'active') noteStorage(tx, { ownerId: authoringSessionId, organizationId, projectId, bytes: 0 });
  return next;
}

const nextTurnStates: { readonly [State in AuthoringTurn['state']]: readonly AuthoringTurn['state'][] } = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['running', 'succeeded', 'unchanged', 'failed', 'cancelled'],
  succeeded: [],
  unchanged: [],
  failed: [],
  cancelled: [],
};

export function putTurn(
  tx: Change,
  turnId: string,
  change: Partial<AuthoringTurn> & Pick<AuthoringTurn, 'state'>,
  nowMs: number,
): AuthoringTurn {
  const turn = tx.get(turnTable, turnId);
  invariant(turn !== undefined && nextTurnStates[turn.state].includes(change.state), `a turn goes from ${turn?.state} to ${change.state}`);
  const next = { ...turn, ...change, ...(change.state === 'running' ? {} : { finishedAtMs: nowMs }) };
  tx.put(turnTable, next);
  return next;
}
