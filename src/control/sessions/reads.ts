// What a session tells: its record, and its world's position, rows, journal and queue as they are committed.
import type { WorldSessionRuntime } from '../../contract/hosted/resources.js';
import { limits } from '../../contract/limits.js';
import type { ActorView, WorldAnswers, WorldQuery } from '../../contract/world/world-protocol.js';
import { listPage } from '../catalog/cursors.js';
import type { Caller, EndpointSet, ReadEndpoint } from '../catalog/endpoint.js';
import { requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { KeyPart, View } from '../catalog/tables.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import type { SessionMemory } from '../memory/session-memory.js';
import { requireUsable } from './states.js';

type SessionReads =
  | 'listSessions'
  | 'getSession'
  | 'getSessionRuntime'
  | 'listStateNamespaces'
  | 'listState'
  | 'listEvidence'
  | 'getPending'
  | 'getUnansweredRequests';

export function sessionReads(services: ControlServices): EndpointSet<SessionReads> {
  const ask = <Q extends WorldQuery>(view: View, call: ReadRequest, query: Q): Promise<WorldAnswers[Q['kind']]> =>
    askWorld(services, view, call, (world) => world.query(query));
  return {
    listSessions: listSessions(services),
    getSession: { kind: 'read', run: (view, { path, caller }) => ({ session: requireSession(view, { ...path, ...caller }).session }) },
    getSessionRuntime: getSessionRuntime(services),
    listStateNamespaces: {
      kind: 'read',
      run: async (view, call) => {
        requireSequence(call.query);
        return { schemaVersion: 1, items: await ask(view, call, { kind: 'namespaces', ...call.query }) };
      },
    },
    listState: {
      kind: 'read',
      run: async (view, call) => {
        requireSequence(call.query);
        const { limit = limits.statePageItemsDefault, ...query } = call.query;
        return { schemaVersion: 1, ...(await ask(view, call, { kind: 'state', ...query, limit })) };
      },
    },
    listEvidence: {
      kind: 'read',
      run: async (view, call) => {
        const { fromSequence = 1, limit = limits.evidencePageItemsDefault } = call.query ?? {};
        return { schemaVersion: 1, ...(await ask(view, call, { kind: 'evidence', fromSequence, limit })) };
      },
    },
    getUnansweredRequests: {
      kind: 'read',
      run: async (view, { path, caller }) => {
        const { sessionId } = requireSession(view, { ...path, ...caller }).session;
        return { schemaVersion: 1, ...(await services.sessionMemory.unansweredOf(sessionId)) };
      },
    },
    getPending: {
      kind: 'read',
      run: async (view, call) => ({
        schemaVersion: 1,
        ...(await ask(view, call, { kind: 'pending', limit: limits.pendingEventsShownMax })),
      }),
    },
  };
}

function listSessions(services: ControlServices): ReadEndpoint<'listSessions'> {
  return {
    kind: 'read',
    run: (view, { path: { projectId }, query }) => {
      const { environmentId, state = 'all' } = query ?? {};
      const of = environmentId === undefined ? 'byProject' : 'byEnvironment';
      const prefix: KeyPart[] = environmentId === undefined ? [projectId] : [projectId, environmentId];
      if (state !== 'all' && state !== 'live') prefix.push(state);
      const index = state === 'all' ? of : state === 'live' ? (`${of}Live` as const) : (`${of}State` as const);
      const { items, ...rest } = listPage(services, view, { table: sessionTable, index, prefix, reverse: true, query });
      return { items: items.map(({ session }) => session), ...rest };
    },
  };
}

function getSessionRuntime(services: ControlServices): ReadEndpoint<'getSessionRuntime'> {
  return {
    kind: 'read',
    run: async (view, call) => {
      const [position, actors, storage] = await askWorld(services, view, call, (world) =>
        Promise.all([world.query({ kind: 'position' }), world.query({ kind: 'actors' }), world.query({ kind: 'storage' })]),
      );
      const { session, hostedRunId } = requireSession(view, { ...call.path, ...call.caller });
      const runtime: WorldSessionRuntime = { schemaVersion: 1, session, position, storage, actors: actors.map(boundActor) };
      return hostedRunId === undefined ? runtime : { ...runtime, hostedRunId };
    },
  };
}

/** An actor has one binding in a session, with any number of users. */
const boundActor = (actor: ActorView): WorldSessionRuntime['actors'][number] => {
  const { actorId, actorInstanceId } = actor;
  return { ...actor, actorBindingId: actorInstanceId === undefined ? actorId : `${actorId}:${actorInstanceId}` };
};

interface ReadRequest {
  path: { projectId: string; sessionId: string };
  caller: Caller;
}
/** What the world of a usable session answers within one lease: an answer from across a reset belongs to neither side of it. */
async function askWorld<T>(
  services: ControlServices,
  view: View,
  { path, caller }: ReadRequest,
  question: (world: Awaited<ReturnType<SessionMemory['world']>>) => Promise<T>,
): Promise<T> {
  const usable = (): SessionRecord => {
    const record = requireSession(view, { ...path, ...caller });
    requireUsable(record, services.nowMs());
    return record;
  };
  for (let tries = 1; ; tries++) {
    const { leaseGeneration } = usable().session;
    try {
      const answer = await question(await services.sessionMemory.world(path.sessionId));
      if (usable().session.leaseGeneration === leaseGeneration || tries === limits.readTriesMax) return answer;
    } catch (error) {
      // A session that ended meanwhile says so, rather than that it has no world.
      usable();
      throw error;
    }
  }
}

function requireSequence(query: { atSequence?: number } | undefined): void {
  if (query?.atSequence === 0)
    throw refused({ path: '/query/atSequence', code: 'too_small', message: 'is the sequence of an entry, 1 or more' });
}
