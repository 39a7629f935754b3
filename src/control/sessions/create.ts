// The request for a session: from which build and setup it starts, and whether a prepared one serves it.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { CreateSessionRequest } from '../../contract/hosted/sessions.js';
import { limits } from '../../contract/limits.js';
import { chooseStart, type WorldStart } from '../../contract/run/world-start.js';
import { isSeed } from '../../contract/seed-text.js';
import { findLoadedBuild, loadBuild, requireBuild } from '../builds/build-records.js';
import { requireActiveEnvironment } from '../builds/environment-records.js';
import type { PreparedEndpoint, UnsafeCall } from '../catalog/endpoint.js';
import { type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change, View } from '../catalog/tables.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { requireApprovedReceivers } from '../organizations/callback-receiver-records.js';
import { startOperation } from './admission.js';
import { newSession } from './new-session.js';
import { claim, findPrepared } from './warm-pool.js';

interface Preparation {
  buildHash: string;
  start: WorldStart;
}

export function createSession(services: ControlServices): PreparedEndpoint<'createSession', Preparation> {
  const wantedBuild = (view: View, call: UnsafeCall<'createSession'>): string => {
    requireSeed(call.body.seed);
    requireOrdinary(call.body);
    return buildHashFor(view, call);
  };
  return {
    kind: 'prepared',
    prepareAtOnce: (view, call) => {
      const buildHash = wantedBuild(view, call);
      const build = findLoadedBuild(services, view, { ...call.path, buildHash });
      return build === undefined ? undefined : { prepared: { buildHash, start: chooseStart(build, call.body) } };
    },
    prepare: async (view, call) => {
      const buildHash = wantedBuild(view, call);
      return { buildHash, start: chooseStart(await loadBuild(services, { ...call.path, buildHash }), call.body) };
    },
    apply: (tx, call, { buildHash, start }) => {
      const { path, caller, body } = call;
      requireActiveEnvironment(tx, { ...path, ...caller });
      services.guard.quarantines.requireOpen({ ...path, buildHash });
      requireApprovedReceivers(tx, { ...path, ...caller, ids: body.callbackReceiverBindingIds ?? [] });
      const record = preferred(tx, services, call, { buildHash, start }) ?? begun(tx, services, call, { buildHash, start });
      tx.put(sessionTable, record);
      const { session } = record;
      const operation = startOperation(tx, services, call, { kind: 'world.session.create', session });
      return { reply: { session, operation }, resource: { type: 'session', id: session.sessionId } };
    },
  };
}

function requireSeed(seed: string): void {
  if (!isSeed(seed)) throw refused({ path: '/seed', code: 'too_large', message: 'is an unsigned 64-bit integer' });
}

/** Prepared worlds differ in their seed alone. */
function requireOrdinary({ warmPool, trial = 1, attempt = 1 }: CreateSessionRequest): void {
  if (warmPool === undefined || (trial === 1 && attempt === 1)) return;
  throw refused({ path: '/warmPool', code: 'conflict', message: 'a prepared session is of the first trial and attempt' });
}

function buildHashFor(view: View, { path, caller, body }: UnsafeCall<'createSession'>): string {
  const environment = requireActiveEnvironment(view, { ...path, ...caller });
  const buildHash = body.buildHash ?? environment.buildHash;
  if (buildHash === undefined) throw new ServiceError('control.STATE_CONFLICT', { message: 'The environment has no build yet; name one.' });
  return requireBuild(view, { ...path, ...caller, buildHash }).buildHash;
}

/** A prepared one, where one is preferred and there is one. */
function preferred(
  tx: Change,
  { nowMs }: ControlServices,
  call: UnsafeCall<'createSession'>,
  made: Preparation,
): SessionRecord | undefined {
  const { path, caller, body: request } = call;
  if (request.warmPool !== 'prefer') return undefined;
  const { start, buildHash } = made;
  const found = findPrepared(tx, { environmentId: path.environmentId, buildHash, setupHash: start.setupHash, seed: request.seed }, nowMs());
  if (found === undefined) return undefined;
  return claim(found, {
    request,
    expiresAtMs: expiryOf(request, nowMs()),
    createdBy: caller.userId ?? caller.credentialId,
    nowMs: nowMs(),
  });
}

function begun(
  tx: Change,
  services: ControlServices,
  { path, caller, body }: UnsafeCall<'createSession'>,
  { buildHash, start }: Preparation,
): SessionRecord {
  const { seed, drillId, scenarioId, trial = 1, attempt = 1, warmPool, callbackReceiverBindingIds = [], ttlMs } = body;
  const { organizationId, userId, credentialId } = caller;
  const wanted = {
    organizationId,
    projectId: path.projectId,
    environmentId: path.environmentId,
    buildHash,
    seed,
    callbackReceiverBindingIds,
    ttlMs,
    ...defined({ drillId, scenarioId }),
    ...(trial === 1 ? {} : { trial }),
    ...(attempt === 1 ? {} : { attempt }),
    ...(warmPool === 'prepare' ? { warmPool: { state: 'preparing' as const, setupHash: start.setupHash } } : {}),
  };
  return newSession(tx, services, wanted, {
    setupHash: start.setupHash,
    createdBy: userId ?? credentialId,
    clockUs: start.setup.virtualTimeUs,
  });
}

const expiryOf = ({ ttlMs = limits.sessionTtlMs }: Pick<CreateSessionRequest, 'ttlMs'>, nowMs: number): number => nowMs + ttlMs;
