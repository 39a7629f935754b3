// Forks: a new session whose world continues from another one's, from now, from a snapshot or from any sequence of its journal. The
// parent's lane makes it, so a fork sees what was asked of the parent before it, and nothing that was asked after.
import { defined } from '../../contract/defined.js';
import type { ForkRequest } from '../../contract/hosted/sessions.js';
import type { JsonObject } from '../../contract/json.js';
import type { ForkWorld } from '../../worlds/api.js';
import { requireActiveEnvironment } from '../builds/environment-records.js';
import type { PreparedEndpoint, UnsafeCall } from '../catalog/endpoint.js';
import { isLive, requireRecord, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change, View } from '../catalog/tables.js';
import type { Runner } from '../core/operations.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { admit, resultOf, startOperation } from './admission.js';
import { removeWorld } from './ending.js';
import { abandonSession, isUnmade, markReady, orFound } from './making.js';
import { newSession } from './new-session.js';
import { requireAvailable } from './snapshot-records.js';

type ForkInput = { parentSessionId: string } & Pick<ForkWorld, 'atSequence' | 'snapshotId'>;

export function forkSession(services: ControlServices): PreparedEndpoint<'forkSession', void> {
  const admitted = (view: View, { path, caller, body }: UnsafeCall<'forkSession'>): SessionRecord =>
    admit(view, services, { path, caller, body: { expectedLeaseGeneration: body.expectedLeaseGeneration } }, { afterRun: true });
  return {
    kind: 'prepared',
    prepareAtOnce: (_, { body }) => (body.atSequence === undefined ? { prepared: undefined } : undefined),
    prepare: async (view, call) => {
      requireOnePlace(call.body);
      const { sessionId } = admitted(view, call).session;
      await requireReached(services, sessionId, call.body.atSequence as number);
    },
    apply: (tx, call) => {
      const { path, caller, body } = call;
      // Which environment the new session belongs to; a build runs in any of its project.
      const parent = admitted(tx, call);
      requireActiveEnvironment(tx, { ...path, ...caller, environmentId: body.environmentId });
      const { sessionId: parentSessionId } = parent.session;
      const { hostedSnapshotId, atSequence } = body;
      const input: JsonObject = { parentSessionId };
      if (hostedSnapshotId !== undefined) input.snapshotId = requireAvailable(tx, parentSessionId, hostedSnapshotId);
      if (atSequence !== undefined) input.atSequence = atSequence;
      const child = childOf(tx, services, parent, call);
      const { session } = child;
      tx.put(sessionTable, child);
      const operation = startOperation(tx, services, call, { kind: 'world.session.fork', session, lane: parentSessionId, input });
      return { reply: { session, operation }, resource: { type: 'session', id: session.sessionId } };
    },
  };
}

/** A fork from what the journal does not have yet is refused while somebody hears it. */
async function requireReached(services: ControlServices, sessionId: string, atSequence: number): Promise<void> {
  const { evidenceSequence } = await (await services.sessionMemory.world(sessionId)).query({ kind: 'position' });
  if (atSequence > evidenceSequence)
    throw refused({ path: '/atSequence', code: 'too_large', message: `is beyond the journal, which ends at ${evidenceSequence}` });
}

function requireOnePlace({ hostedSnapshotId, atSequence }: ForkRequest): void {
  if (atSequence === 0) throw refused({ path: '/atSequence', code: 'too_small', message: 'is the sequence of an entry, 1 or more' });
  if (hostedSnapshotId === undefined || atSequence === undefined) return;
  throw refused({ path: '/atSequence', code: 'conflict', message: 'a fork continues from a sequence or from a snapshot, not from both' });
}

function childOf(tx: Change, services: ControlServices, parent: SessionRecord, { caller, body }: UnsafeCall<'forkSession'>): SessionRecord {
  const { organizationId, projectId, sessionId, buildHash, seed, callbackReceiverBindingIds, drillId, scenarioId } = parent.session;
  const { environmentId, hostedSnapshotId, ttlMs } = body;
  const wanted = {
    organizationId,
    projectId,
    environmentId,
    buildHash,
    seed,
    callbackReceiverBindingIds,
    ttlMs,
    ...defined({ drillId, scenarioId }),
    parentSessionId: sessionId,
    ...defined({ parentHostedSnapshotId: hostedSnapshotId }),
  };
  const createdBy = caller.userId ?? caller.credentialId;
  return newSession(tx, services, wanted, { setupHash: parent.setupHash, createdBy, clockUs: Number.MIN_SAFE_INTEGER });
}

export function forkRunner(services: ControlServices): Runner {
  const { catalog, nowMs } = services;
  return {
    run: async ({ operation, input }, { signal, leaving, takenUp }) => {
      const sessionId = operation.resourceId;
      const { parentSessionId, ...at } = input as ForkInput;
      const isDue = isUnmade(requireRecord(catalog.view, sessionId)) && isLive(requireRecord(catalog.view, parentSessionId));
      const clockUs = isDue ? await forkWorld(services, parentSessionId, { worldId: sessionId, ...at, isNew: !takenUp }) : undefined;
      const isWanted = isLive(requireRecord(catalog.view, sessionId)) && !signal.aborted;
      // The child's end is carried out in its own lane, which may have been before there was a world to remove.
      if (clockUs !== undefined && !isWanted) await removeWorld(services, sessionId, leaving);
      if (clockUs === undefined || !isWanted) {
        return { state: 'cancelled', apply: (tx) => resultOf(operation, abandonSession(tx, services, sessionId)) };
      }
      return {
        state: 'succeeded',
        apply: (tx) => resultOf(operation, markReady(tx, sessionId, { nowMs: nowMs(), clockUs }), { parentSessionId }),
      };
    },
    onFailure: (tx, { operation }) => abandonSession(tx, services, operation.resourceId),
    onCancel: (tx, { operation }) => abandonSession(tx, services, operation.resourceId),
  };
}

/** Yields the child's clock. */
async function forkWorld(services: ControlServices, parentSessionId: string, request: ForkWorld): Promise<number> {
  const memory = services.sessionMemory;
  const parent = await memory.world(parentSessionId);
  const { world, position } = await orFound(
    () => parent.fork(request),
    async () => {
      const found = await services.worlds.open(request.worldId);
      return { world: found, position: await found.query({ kind: 'position' }) };
    },
  );
  memory.remember(world);
  return position.virtualTimeUs;
}
