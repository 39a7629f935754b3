// Access of agents to the world of a session: one credential for one actor, derived from its id, good until its time or its lease is over.
import { ServiceError } from '../../contract/errors.js';
import type { WorldSession } from '../../contract/hosted/resources.js';
import type { AccessBundle, SessionAccess } from '../../contract/hosted/sessions.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import { type ActorName, resolveActor, unresolvedActor } from '../../contract/world/persona.js';
import type { ActorView } from '../../contract/world/world-protocol.js';
import type { Access } from '../../drills/ports/bindings-port.js';
import type { Caller, ChangeEndpoint, PreparedEndpoint, ReadEndpoint } from '../catalog/endpoint.js';
import { credentialTable, isOpenProject } from '../catalog/organization-records.js';
import { requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import { requireConfirmation } from '../catalog/versions.js';
import { unauthenticated } from '../core/authorities.js';
import type { ControlServices } from '../core/services.js';
import { standingOf } from '../core/standing.js';
import { annotate, claim, requireFreeLease, requireLease, requireUsable } from './states.js';

/** Who is to act, and who lets it. */
export interface AccessFor {
  actorId: string;
  actorInstanceId?: string;
  caller: Caller;
}
export interface GivenAccess {
  bundle: AccessBundle;
  access: Access;
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
      return await giveAccess(services, session, { ...actor, caller }, Math.min(services.nowMs() + ttlMs, session.expiresAtMs));
    },
    apply: (tx, { path, caller }, { bundle, access }) => {
      try {
        const record = requireFree(requireSession(tx, { ...path, ...caller }));
        const { leaseGeneration } = bundle;
        requireLease(record, leaseGeneration);
        const next = claim(record, services.nowMs());
        if (next !== record || record.accessGeneration !== leaseGeneration)
          tx.put(sessionTable, annotate(next, { accessGeneration: leaseGeneration }));
        return { reply: { access: bundle }, resource: { type: 'session', id: path.sessionId } };
      } catch (error) {
        void access.revoke();
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
      const issued = services.sessionMemory.accessesOf(session.sessionId, services.nowMs());
      return { schemaVersion: 1, items: issued.map((one) => one.view) };
    },
  };
}

/** control.NOT_FOUND for one that is over. Calls that had begun are still answered. */
export function revokeSessionAccess(services: ControlServices): ChangeEndpoint<'revokeSessionAccess'> {
  return {
    kind: 'change',
    apply: (tx, { path, body, caller }) => {
      const { sessionId } = requireSession(tx, { ...path, ...caller }).session;
      const memory = services.sessionMemory;
      const issued = memory.accessesOf(sessionId, services.nowMs()).find(({ view }) => view.accessId === path.accessId);
      if (issued === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'The session has no such access.' });
      requireConfirmation(path.accessId, body);
      tx.afterCommit(() => memory.revokeOne(sessionId, issued));
      return { reply: { access: issued.view }, resource: { type: 'access', id: path.accessId } };
    },
  };
}

/**
 * Opens an access that ends with the lease. Before its credential is returned, the session's record must say durably that this lease has
 * access (`accessGeneration`): after a crash nobody remembers the access, and the lease moves on.
 */
export async function giveAccess(
  services: ControlServices,
  session: WorldSession,
  actor: AccessFor,
  expiresAtMs: number,
): Promise<GivenAccess> {
  const memory = services.sessionMemory;
  const { sessionId, leaseGeneration } = session;
  memory.requireFreeAccess(sessionId, services.nowMs());
  const world = await memory.world(sessionId);
  const { capabilities, ...found } = requireActor(await world.query({ kind: 'actors' }), actor);
  const issuerStands = standingIssuer(services, actor.caller, session.projectId);
  const accessId = newId('access');
  const keyGeneration = services.keyring.generation;
  const credential = services.keyring.token('world', accessId, keyGeneration);
  const access = await services.bindings.open({
    world,
    ...found,
    bindings: ['http', 'mcp', 'cli'],
    token: credential,
    expiresAtMs,
    owner: session.projectId,
    requireOpen: () => {
      services.organizationsNow.requireActive(session.organizationId);
      if (!issuerStands()) throw unauthenticated();
    },
  });
  const createdAtMs = services.nowMs();
  const view: SessionAccess = {
    ...{ schemaVersion: 1, accessId, sessionId, ...found, leaseGeneration, createdBy: actor.caller.credentialId, createdAtMs, expiresAtMs },
  };
  memory.issued(sessionId, { access, view, issuerStands, expiresAtMs, keyGeneration });
  const { http, mcp, cli } = access.endpoints;
  const urls = { worldHttpUrl: http!.url, worldMcpUrl: mcp!.url, worldCliUrl: cli!.url };
  return {
    access,
    bundle: { schemaVersion: 1, accessId, sessionId, ...found, leaseGeneration, ...urls, credential, expiresAtMs, capabilities },
  };
}

/** In a project that is not being deleted. Looked up once between two commits: agents ask often. */
function standingIssuer({ catalog }: ControlServices, { credentialId }: Caller, projectId: string): () => boolean {
  let commits = -1;
  let stands = false;
  return () => {
    if (commits === catalog.commits) return stands;
    commits = catalog.commits;
    const record = catalog.view.get(credentialTable, credentialId);
    const isValid = record !== undefined && record.credential.revokedAtMs === undefined && standingOf(catalog.view, record) !== undefined;
    stands = isValid && isOpenProject(catalog.view, projectId);
    return stands;
  };
}

function requireActor(actors: readonly ActorView[], name: ActorName): ActorView {
  const found = resolveActor(actors, name);
  if (found !== undefined) return found;
  const { member, message } = unresolvedActor(actors, name);
  const issues = [{ path: `/${member}`, code: 'not_one_of', message }];
  throw new ServiceError('control.INVALID_REQUEST', { message: 'The world has no such actor.', issues });
}
