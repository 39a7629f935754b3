// Access of agents to the world of a session: one credential for one actor, derived from its id, good until its time or its lease is over.
import { ServiceError } from '../contract/errors.js';
import type { WorldSession } from '../contract/hosted-resources.js';
import type { AccessBundle } from '../contract/hosted-sessions.js';
import { newId } from '../contract/ids.js';
import { limits } from '../contract/limits.js';
import type { ActorView } from '../contract/world-protocol.js';
import type { Access } from '../drills/bindings-port.js';
import type { PreparedEndpoint } from './endpoint.js';
import { requireActive } from './organization-now.js';
import type { ControlServices } from './services.js';
import { sessionMemory } from './session-memory.js';
import { requireSession, type SessionRecord, sessionTable } from './session-records.js';
import { noted, requireFreeLease, requireLease, requireUsable, used } from './session-states.js';

export interface AccessFor {
  actorId: string;
  actorInstanceId?: string;
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
      return await giveAccess(services, session, actor, Math.min(services.nowMs() + ttlMs, session.expiresAtMs));
    },
    apply: (tx, { path, caller }, { bundle, access }) => {
      try {
        const record = requireFree(requireSession(tx, { ...path, ...caller }));
        const { leaseGeneration } = bundle;
        requireLease(record, leaseGeneration);
        const next = used(record, services.nowMs());
        if (next !== record || record.accessGeneration !== leaseGeneration) tx.put(sessionTable, noted(next, { accessGeneration: leaseGeneration }));
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

/**
 * Opens an access that ends with the lease. Before its credential is told, the session's record must say durably that this lease has access
 * (`accessGeneration`): after a crash nobody remembers the access, and the lease moves on.
 */
export async function giveAccess(services: ControlServices, session: WorldSession, actor: AccessFor, expiresAtMs: number): Promise<GivenAccess> {
  const memory = sessionMemory(services);
  const { sessionId, leaseGeneration } = session;
  memory.requireRoom(sessionId, services.nowMs());
  const world = await memory.world(sessionId);
  const { capabilities, ...found } = actorOf(await world.query({ kind: 'actors' }), actor);
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
    requireOpen: () => void requireActive(services.catalog, session.organizationId),
  });
  memory.issued(sessionId, { access, expiresAtMs, keyGeneration });
  const { http, mcp, cli } = access.endpoints;
  const urls = { worldHttpUrl: http!.url, worldMcpUrl: mcp!.url, worldCliUrl: cli!.url };
  return { access, bundle: { schemaVersion: 1, accessId, sessionId, ...found, leaseGeneration, ...urls, credential, expiresAtMs, capabilities } };
}

/** Without an instance: the actor that has none, or the only one of this id. */
function actorOf(actors: readonly ActorView[], { actorId, actorInstanceId }: AccessFor): ActorView {
  const namesakes = actors.filter((actor) => actor.actorId === actorId);
  const exact = namesakes.find((actor) => actor.actorInstanceId === actorInstanceId);
  const found = exact ?? (actorInstanceId === undefined && namesakes.length === 1 ? namesakes[0] : undefined);
  if (found !== undefined) return found;
  const path = namesakes.length === 0 ? '/actorId' : '/actorInstanceId';
  const issues = [{ path, code: 'not_one_of', message: 'is no actor of this world' }];
  throw new ServiceError('control.INVALID_REQUEST', { message: 'The world has no such actor.', issues });
}
