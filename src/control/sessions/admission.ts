// How a change of a session's world is admitted and how it ends: the checks in their order, the operation in the session's lane, its
// result.
import { ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation, OperationKind } from '../../contract/hosted/operation.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { Caller } from '../catalog/endpoint.js';
import { keepSession, requireRecord, requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change, View } from '../catalog/tables.js';
import type { CreateOperation } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';
import { requireFreeLease, requireLease, requireUsable, transition } from './states.js';

/** Operations of one session run one after the other. */
const sessionLane = (sessionId: string): string => `session:${sessionId}`;

export type AskedBy = Pick<CreateOperation, 'idempotencyKey' | 'requestHash' | 'correlationId'>;
export interface SessionCall {
  path: { projectId: string; sessionId: string };
  caller: Caller;
  body: { expectedLeaseGeneration: number; environmentId?: string; buildHash?: string };
}

/** The session of a request that changes its world: existence, what the request says of it, lease, readiness, owner. */
export function admit(
  view: View,
  { nowMs, guard }: ControlServices,
  { path, caller, body }: SessionCall,
  free: { afterRun?: boolean } = {},
): SessionRecord {
  const record = requireSession(view, { ...path, ...caller });
  requireLease(record, body.expectedLeaseGeneration);
  requireUsable(record, nowMs());
  requireFreeLease(record, free);
  guard.quarantines.requireOpen(record.session);
  return record;
}

/** Of requests that name the environment and the build they believe the session to be of. */
export function requireSame({ session }: SessionRecord, named: { environmentId: string; buildHash: string }): void {
  for (const name of ['environmentId', 'buildHash'] as const) {
    if (session[name] === named[name]) continue;
    throw new ServiceError('control.STATE_CONFLICT', { message: `The session has another ${name}.`, details: { [name]: session[name] } });
  }
}

/** `lane`: the session whose world does the work. Default: the session itself. */
export function startOperation(
  tx: Change,
  { operations }: ControlServices,
  { idempotencyKey, requestHash, correlationId }: AskedBy,
  { kind, session, resource, lane = session.sessionId, input = {} }: StartOperation,
): LongRunningOperation {
  const { organizationId, projectId, sessionId } = session;
  return operations.create(tx, {
    kind,
    organizationId,
    projectId,
    lane: sessionLane(lane),
    resource: resource ?? { type: 'session', id: sessionId },
    input,
    idempotencyKey,
    requestHash,
    correlationId,
  });
}
interface StartOperation {
  kind: OperationKind;
  session: WorldSession;
  resource?: { type: string; id: string };
  lane?: string;
  input?: JsonValue;
}

/** What the operation's result says in every case. */
export function resultOf({ kind }: LongRunningOperation, { session }: SessionRecord, more: JsonObject = {}): JsonObject {
  const { sessionId, leaseGeneration } = session;
  return { schemaVersion: 1, kind, sessionId, leaseGeneration, ...more };
}

/** The world did what it was asked: a degraded session is itself again. */
export function markRecovered(tx: Change, sessionId: string, nowMs: number): SessionRecord {
  const record = requireRecord(tx, sessionId);
  return keepSession(tx, record, record.session.state === 'degraded' ? transition(record, 'ready', nowMs) : record);
}

/** When its host failed at it and not the request: what the session holds is its last commit. */
export function markDegraded(tx: Change, sessionId: string, { error, nowMs }: { error: unknown; nowMs: number }): void {
  const record = requireRecord(tx, sessionId);
  const isRefusal = error instanceof ServiceError && !hostFailures.has(error.code);
  if (!isRefusal && record.session.state === 'ready') tx.put(sessionTable, transition(record, 'degraded', nowMs));
}
const hostFailures = new Set<string>(['world.HANDLER_TIMEOUT', 'world.ACTOR_RESTARTED', 'control.ATTEMPTS_EXHAUSTED', 'control.INTERNAL']);
