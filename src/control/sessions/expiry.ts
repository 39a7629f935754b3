// The end of a session's time, and of that of accesses: moved by the session's owner, enforced by a sweep.
import { defined } from '../../contract/defined.js';
import { isServiceError, ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { accessTable } from '../catalog/access-records.js';
import type { ChangeEndpoint } from '../catalog/endpoint.js';
import { requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { DamageOfPass, sweepListed } from '../core/sweep-listed.js';
import { askedByService, endSession } from './ending.js';
import { forgetSnapshots } from './snapshot-records.js';
import { advanceLease, isOver, requireLease, requireUsable, touch } from './states.js';

export function extendSession(services: ControlServices): ChangeEndpoint<'extendSession'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller, body }) => {
      const record = requireSession(tx, { ...path, ...caller });
      const { version, sessionId } = record.session;
      if (version !== body.expectedVersion) {
        throw new ServiceError('control.VERSION_CONFLICT', { message: 'The session has changed since.', details: { version } });
      }
      requireLease(record, body.expectedLeaseGeneration);
      const nowMs = services.nowMs();
      requireUsable(record, nowMs);
      const extended = touch(record, nowMs, { expiresAtMs: nowMs + body.ttlMs });
      tx.put(sessionTable, extended);
      return { reply: { session: extended.session }, resource: { type: 'session', id: sessionId } };
    },
  };
}

/** Ends the sessions whose time is over and forgets those that ended long ago. Yields how many of both. Accesses go with their time. */
export async function sweepSessions(services: ControlServices): Promise<{ expired: number; forgotten: number }> {
  services.sessionMemory.dropVoid(services.nowMs());
  await dropAccesses(services);
  return { expired: await expireSessions(services), forgotten: await forgetSessions(services) };
}

function expireSessions(services: ControlServices): Promise<number> {
  const { nowMs } = services;
  return sweepListed(services, {
    table: sessionTable,
    index: 'byExpiry',
    limit: limits.sessionBatch,
    isDue: (record) => isOver(record, nowMs()),
    work: (tx, record) => expired(tx, services, record),
  });
}

/** False where too many operations wait: their session is the next sweep's. */
function expired(tx: Change, services: ControlServices, record: SessionRecord): boolean {
  try {
    endSession(tx, services, record, { to: 'expired', askedBy: askedByService(`expiry.${record.session.sessionId}`) });
    return true;
  } catch (error) {
    if (isServiceError(error, 'control.WORLD_BUSY')) return false;
    throw error;
  }
}

function dropAccesses(services: ControlServices): Promise<number> {
  return sweepListed(services, {
    table: accessTable,
    index: 'byExpiry',
    limit: limits.sessionBatch,
    isDue: ({ access }) => access.expiresAtMs <= services.nowMs(),
    work: (tx, { access }) => {
      tx.remove(accessTable, access.accessId);
      return true;
    },
  });
}

function forgetSessions(services: ControlServices): Promise<number> {
  const { nowMs } = services;
  return sweepListed(services, {
    table: sessionTable,
    index: 'byEnd',
    limit: limits.sessionBatch,
    isDue: ({ session }) => (session.destroyedAtMs as number) < nowMs() - limits.endedSessionKeptMs,
    work: (tx, { session }) => {
      forgetSnapshots(tx, session);
      tx.remove(sessionTable, session.sessionId);
      return true;
    },
  });
}

/**
 * At start, before anything else. Versions that kept accesses in memory have left sessions of which nobody knows the accesses any more:
 * their leases move on. Those of the catalog open again when they are used.
 */
export async function recoverSessions(services: ControlServices): Promise<number> {
  const { catalog, nowMs } = services;
  const damage = new DamageOfPass(services);
  const place = { index: 'byAccess', prefix: [], limit: limits.sessionBatch, onDamage: damage.note };
  return await inBatches(() =>
    catalog.change((tx) => {
      const { records } = tx.list(sessionTable, place);
      for (const record of records) {
        const { hostedRunId, runEnded } = record;
        // Its run continues in this incarnation, under the lease as it is now.
        const owner = defined({ hostedRunId, runEnded });
        tx.put(sessionTable, { ...advanceLease(touch(record, nowMs())), ...owner });
      }
      return records.length;
    }),
  );
}

async function inBatches(some: () => Promise<number>): Promise<number> {
  for (let all = 0; ; ) {
    const count = await some();
    all += count;
    if (count < limits.sessionBatch) return all;
  }
}
