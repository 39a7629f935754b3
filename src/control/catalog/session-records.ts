// Hosted world sessions as they lie in the catalog: the resource, and what it does not show.
// A session's world has the session's id. Ended sessions stay as records for a while (limits.endedSessionKeptMs); their worlds are gone.
import { ServiceError } from '../../contract/errors.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import { type Change, defineTable, type View } from './tables.js';

export interface SessionRecord {
  session: WorldSession;
  /** Of what the world starts from. */
  setupHash: string;
  createdBy: string;
  /** Virtual time is never before this in the present lease: the clock as the last operation left it. */
  clockUs: number;
  /** Of versions that kept accesses in memory: the lease generation under which one was last issued. */
  accessGeneration?: number;
  /** The run that owns this very lease. It stays after the run has ended (`runEnded`), until a reset makes a new lease. */
  hostedRunId?: string;
  runEnded?: boolean;
}

export const isLive = ({ session: { state } }: SessionRecord): boolean =>
  state !== 'expired' && state !== 'destroying' && state !== 'destroyed';
/** A hosted run is under way in it. */
export const isRunning = ({ hostedRunId, runEnded }: SessionRecord): boolean => hostedRunId !== undefined && runEnded !== true;
const hasAccess = ({ accessGeneration, session }: SessionRecord): boolean => accessGeneration === session.leaseGeneration;
const isPrepared = ({ session: { state, warmPool } }: SessionRecord): boolean => state === 'ready' && warmPool?.state === 'ready';

export const sessionTable = defineTable<SessionRecord>({
  name: 'session',
  idOf: ({ session }) => session.sessionId,
  // Ids rise with time, so every index by project or environment lists in the order of creation.
  indexes: {
    byProject: ({ session }) => [session.projectId],
    byProjectState: ({ session }) => [session.projectId, session.state],
    byProjectLive: (record) => (isLive(record) ? [record.session.projectId] : undefined),
    byEnvironment: ({ session }) => [session.projectId, session.environmentId],
    byEnvironmentState: ({ session }) => [session.projectId, session.environmentId, session.state],
    byEnvironmentLive: (record) => (isLive(record) ? [record.session.projectId, record.session.environmentId] : undefined),
    // A session whose run is under way does not expire; the run's own deadline ends that.
    byExpiry: (record) => (isLive(record) && !isRunning(record) ? [record.session.expiresAtMs] : undefined),
    byEnd: ({ session: { destroyedAtMs } }) => (destroyedAtMs === undefined ? undefined : [destroyedAtMs]),
    byAccess: (record) => (isLive(record) && hasAccess(record) ? [] : undefined),
    byReceivers: (record) => (isLive(record) && record.session.callbackReceiverBindingIds.length > 0 ? [] : undefined),
    byPrepared: (record) => {
      const { environmentId, buildHash, seed } = record.session;
      return isPrepared(record) ? [environmentId, buildHash, record.setupHash, seed] : undefined;
    },
  },
});

/** A session as its project sees it. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireSession(view: View, place: { organizationId: string; projectId: string; sessionId: string }): SessionRecord {
  const record = view.get(sessionTable, place.sessionId);
  if (record !== undefined && record.session.organizationId === place.organizationId && record.session.projectId === place.projectId)
    return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such session.' });
}

/** A session has its record for as long as it has operations. */
export function requireRecord(view: View, sessionId: string): SessionRecord {
  const record = view.get(sessionTable, sessionId);
  if (record === undefined) throw new Error(`there is no record of session ${sessionId}`);
  return record;
}

/** Writes what is new about a record, where anything is. */
export function keepSession(tx: Change, before: SessionRecord, after: SessionRecord): SessionRecord {
  if (after !== before) tx.put(sessionTable, after);
  return after;
}
