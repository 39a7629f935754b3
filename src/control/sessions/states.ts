// How a session's record changes: its states, its version, its lease. The one place that knows which state may follow which.
//   SESSION-STATES-1. The version rises by one at every change of what the resource shows; what only the service notes (`noted`) is none.
//   SESSION-STATES-2. The lease generation rises whenever what the holders of the old one knew is no longer so; the run that owned the old
//     one owns the new one no more.
import { ServiceError } from '../../contract/errors.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import { limits } from '../../contract/limits.js';
import { isLive, isRunning, type SessionRecord } from '../catalog/session-records.js';

export type SessionState = WorldSession['state'];

/** docs/hosted-api.md draws it. */
export const sessionMoves: { readonly [From in SessionState]: readonly SessionState[] } = {
  creating: ['warming', 'ready', 'expired', 'destroying'],
  warming: ['ready', 'expired', 'destroying'],
  ready: ['resetting', 'degraded', 'expired', 'destroying'],
  // A host failed under it. What it holds is its last commit; the next operation that succeeds makes it ready again.
  degraded: ['ready', 'resetting', 'expired', 'destroying'],
  resetting: ['ready', 'expired', 'destroying'],
  expired: [],
  destroying: ['destroyed'],
  destroyed: [],
};

export type SessionChanges = Partial<
  Pick<WorldSession, 'expiresAtMs' | 'warmPool' | 'destroyedAtMs' | 'drillId' | 'scenarioId' | 'callbackReceiverBindingIds'>
>;
export function touch(record: SessionRecord, nowMs: number, changes: SessionChanges = {}): SessionRecord {
  return { ...record, session: { ...record.session, ...changes, version: record.session.version + 1, updatedAtMs: nowMs } };
}

export function transition(record: SessionRecord, to: SessionState, nowMs: number, changes?: SessionChanges): SessionRecord {
  const from = record.session.state;
  if (!sessionMoves[from].includes(to)) throw new Error(`a session does not go from ${from} to ${to}`);
  const next = touch(record, nowMs, changes);
  next.session.state = to;
  return next;
}

export const annotate = (record: SessionRecord, notes: Pick<SessionRecord, 'clockUs'>): SessionRecord => ({
  ...record,
  ...notes,
});

/** Under a new lease; nothing of the old one is valid any more. */
export function advanceLease({ hostedRunId: _owner, runEnded: _ended, ...record }: SessionRecord): SessionRecord {
  return { ...record, session: { ...record.session, leaseGeneration: record.session.leaseGeneration + 1 } };
}

/** A caller that uses a prepared session has claimed it: it is not for the next that prefers one. */
export function claim(record: SessionRecord, nowMs: number): SessionRecord {
  const { warmPool } = record.session;
  return warmPool?.state === 'ready' ? touch(record, nowMs, { warmPool: { ...warmPool, state: 'claimed' } }) : record;
}

/** A run takes the lease, which must be free (`requireFreeLease`). What access there was is to be revoked with it. */
export function takeLease(record: SessionRecord, hostedRunId: string, nowMs: number): SessionRecord {
  return { ...claim(record, nowMs), hostedRunId };
}
/** The run has ended. The world is as it left it, so the lease stays its own until a reset. */
export function releaseLease(record: SessionRecord): SessionRecord {
  return { ...record, runEnded: true };
}

/** Past its time, whether the sweep has come by or not. */
export const isOver = (record: SessionRecord, nowMs: number): boolean =>
  isLive(record) && !isRunning(record) && record.session.expiresAtMs <= nowMs;

/** The world takes queries and commands. Whether it is still about to be, or will never be again, stands in details.state. */
export function requireUsable(record: SessionRecord, nowMs: number): void {
  const state = isOver(record, nowMs) ? 'expired' : record.session.state;
  if (state === 'ready' || state === 'degraded') return;
  const isComing = state === 'creating' || state === 'warming' || state === 'resetting';
  const retry = isComing ? { retryAfterMs: limits.notReadyRetryMs } : { isFinal: true };
  throw new ServiceError('world.NOT_READY', { message: `The session is ${state}.`, details: { state }, ...evidenceOf(record), ...retry });
}

export function requireLease({ session: { leaseGeneration } }: SessionRecord, expected: number): void {
  if (leaseGeneration === expected) return;
  throw new ServiceError('control.LEASE_CONFLICT', { message: 'The session has another lease by now.', details: { leaseGeneration } });
}

/** `afterRun`: what is asked leaves the world as the run left it, or makes a new one, so it may be done once the run has ended. */
export function requireFreeLease(record: SessionRecord, { afterRun = false }: { afterRun?: boolean } = {}): void {
  const { hostedRunId } = record;
  if (hostedRunId === undefined || (afterRun && !isRunning(record))) return;
  const message = isRunning(record) ? 'A hosted run owns this lease.' : 'A hosted run has used this world; reset the whole of it first.';
  throw new ServiceError('world.RUN_OWNS_LEASE', { message, details: { hostedRunId }, ...evidenceOf(record) });
}

function evidenceOf({ session: { sessionId, buildHash } }: SessionRecord): { evidence: { sessionId: string; buildHash: string } } {
  return { evidence: { sessionId, buildHash } };
}
