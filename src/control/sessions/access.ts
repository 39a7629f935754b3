// Access of agents to the world of a session: one credential for one actor, derived from its id, good until its time or its lease is over.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import type { AccessBundle, SessionAccess } from '../../contract/hosted/sessions.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import { type ActorName, resolveActor, unresolvedActor } from '../../contract/world/persona.js';
import type { ActorView } from '../../contract/world/world-protocol.js';
import type { Access } from '../../drills/ports/bindings-port.js';
import { type AccessRecord, accessRecordsOf, accessTable } from '../catalog/access-records.js';
import type { Caller, ChangeEndpoint, PreparedEndpoint, ReadEndpoint } from '../catalog/endpoint.js';
import { tokenHash } from '../catalog/keyring.js';
import { keepSession, requireSession, type SessionRecord } from '../catalog/session-records.js';
import { requireConfirmation } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import { openAccess } from './open-access.js';
import { isStanding, keepAccess, requireFreeAccess } from './standing-access.js';
import { claim, requireFreeLease, requireLease, requireUsable } from './states.js';

/** Who is to act, who lets it, and until when. */
export interface AccessFor {
  actorId: string;
  actorInstanceId?: string;
  caller: Caller;
  expiresAtMs: number;
  /** Whose pending interaction it is for. */
  hostedRunId?: string;
}
export interface GivenAccess {
  bundle: AccessBundle;
  access: Access;
  /** To be kept in the change that answers with the bundle. */
  record: AccessRecord;
  /** Nobody is shown it. */
  withdraw(): void;
}

export function createSessionAccess(services: ControlServices): PreparedEndpoint<'createSessionAccess', GivenAccess> {
  const requireFree = (record: SessionRecord): SessionRecord => {
    requireUsable(record, services.nowMs());
    requireFreeLease(record);
    return record;
  };
  return {
    kind: 'prepared',
    prepare: async (view, { path, body, caller }) => {
      const { session } = requireFree(requireSession(view, { ...path, ...caller }));
      const { ttlMs = limits.accessTtlMs, ...actor } = body;
      const expiresAtMs = Math.min(services.nowMs() + ttlMs, session.expiresAtMs);
      return await giveAccess(services, session, { ...actor, caller, expiresAtMs });
    },
    apply: (tx, { path, caller }, { bundle, record: given, withdraw }) => {
      try {
        const record = requireFree(requireSession(tx, { ...path, ...caller }));
        requireLease(record, bundle.leaseGeneration);
        keepSession(tx, record, claim(record, services.nowMs()));
        keepAccess(tx, services, given);
        return { reply: { access: bundle }, resource: { type: 'session', id: path.sessionId } };
      } catch (error) {
        withdraw();
        throw error;
      }
    },
    withoutSecret: ({ access }) => ({ access: { ...access, credential: '' } }),
    withSecret: ({ access }, generation) => ({
      access: { ...access, credential: services.keyring.token('world', access.accessId, generation) },
    }),
  };
}

export function listSessionAccess(services: ControlServices): ReadEndpoint<'listSessionAccess'> {
  return {
    kind: 'read',
    run: (view, { path, caller }) => {
      const { session } = requireSession(view, { ...path, ...caller });
      const records = accessRecordsOf(view, session.sessionId).filter((record) => isStanding(services, view, record));
      return { schemaVersion: 1, items: records.map(({ access }) => access) };
    },
  };
}

/** control.NOT_FOUND for one that is over. Calls that had begun are still answered. */
export function revokeSessionAccess(services: ControlServices): ChangeEndpoint<'revokeSessionAccess'> {
  return {
    kind: 'change',
    apply: (tx, { path, body, caller }) => {
      const { sessionId } = requireSession(tx, { ...path, ...caller }).session;
      const { accessId } = path;
      const record = tx.get(accessTable, accessId);
      if (record === undefined || record.access.sessionId !== sessionId || !isStanding(services, tx, record))
        throw new ServiceError('control.NOT_FOUND', { message: 'The session has no such access.' });
      requireConfirmation(accessId, body);
      tx.remove(accessTable, accessId);
      tx.afterCommit(() => services.sessionMemory.revokeOne(sessionId, accessId));
      return { reply: { access: record.access }, resource: { type: 'access', id: accessId } };
    },
  };
}

/**
 * Opens an access that ends with the lease. Its credential opens nothing later than the record of it in the catalog is there, so nobody is
 * shown the one before the other is durable.
 */
export async function giveAccess(services: ControlServices, session: WorldSession, wanted: AccessFor): Promise<GivenAccess> {
  const { caller, expiresAtMs, hostedRunId, ...actor } = wanted;
  const { keyring, catalog, nowMs } = services;
  const { sessionId, projectId, leaseGeneration } = session;
  requireFreeAccess(services, catalog.view, sessionId);
  const world = await services.sessionMemory.world(sessionId);
  const { capabilities, ...found } = requireActor(await world.query({ kind: 'actors' }), actor);
  const accessId = newId('access');
  const keyGeneration = keyring.generation;
  const credential = keyring.token('world', accessId, keyGeneration);
  const which = { schemaVersion: 1, accessId, sessionId, ...found, leaseGeneration } as const;
  const view: SessionAccess = { ...which, createdBy: caller.credentialId, createdAtMs: nowMs(), expiresAtMs };
  const made = { access: view, projectId, bindings: agentBindings, tokenHash: tokenHash(credential), keyGeneration };
  const record: AccessRecord = { ...made, ...defined({ hostedRunId }) };
  const access = await openAccess(services, record, { world, credential });
  const { http, mcp, cli } = access.endpoints;
  const urls = {
    worldHttpUrl: http!.url,
    worldMcpUrl: mcp!.url,
    worldCliUrl: cli!.url,
    ...defined({ worldHttpMounts: http!.mounts, worldHttpKeyId: http!.keyId }),
  };
  return {
    access,
    record: { ...record, ...defined({ address: access.address }) },
    bundle: { ...which, ...urls, credential, expiresAtMs, capabilities },
    withdraw: () => services.sessionMemory.revokeOne(sessionId, accessId),
  };
}
const agentBindings = ['http', 'mcp', 'cli'] as const;

function requireActor(actors: readonly ActorView[], name: ActorName): ActorView {
  const found = resolveActor(actors, name);
  if (found !== undefined) return found;
  const { member, message } = unresolvedActor(actors, name);
  const issues = [{ path: `/${member}`, code: 'not_one_of', message }];
  throw new ServiceError('control.INVALID_REQUEST', { message: 'The world has no such actor.', issues });
}
