// Resets: to the start, whole or by packages, or back to a snapshot. The session is `resetting` and its access gone from the change that
// admits it; the new lease begins in the change that ends it.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { Reset } from '../../contract/world/world-protocol.js';
import { loadBuild } from '../builds/build-records.js';
import { endAccesses } from '../catalog/access-records.js';
import type { PreparedEndpoint, UnsafeCall } from '../catalog/endpoint.js';
import { requireRecord, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change, View } from '../catalog/tables.js';
import type { Runner } from '../core/operations.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { admit, resultOf, startOperation } from './admission.js';
import { inLiveWorld } from './live-world.js';
import { requireAvailable } from './snapshot-records.js';
import { advanceLease, claim, transition } from './states.js';

type ResetInput = Pick<Reset, 'packages' | 'snapshotId'>;

export function resetSession(services: ControlServices): PreparedEndpoint<'resetSession', void> {
  const inFlight = (sessionId: string): ServiceError =>
    new ServiceError('control.STATE_CONFLICT', { message: 'A callback is in flight.', details: { sessionId } });
  const admitted = (view: View, call: UnsafeCall<'resetSession'>): { record: SessionRecord; input: ResetInput } => {
    const { packages, hostedSnapshotId } = call.body;
    if (packages !== undefined && hostedSnapshotId !== undefined) {
      throw refused({ path: '/packages', code: 'conflict', message: 'a reset by packages goes back to the start, not to a snapshot' });
    }
    // Only a whole one opens a world that the end of a run has closed.
    const record = admit(view, services, call, { afterRun: packages === undefined });
    const { sessionId } = record.session;
    if (services.sessionMemory.isDelivering(sessionId)) throw inFlight(sessionId);
    if (hostedSnapshotId !== undefined) return { record, input: { snapshotId: requireAvailable(view, sessionId, hostedSnapshotId) } };
    return { record, input: defined({ packages }) };
  };
  return {
    kind: 'prepared',
    prepare: async (view, call) => {
      const { record, input } = admitted(view, call);
      const { sessionId } = record.session;
      if (await services.sessionMemory.askDelivering(sessionId)) throw inFlight(sessionId);
      if (input.packages !== undefined) requirePackages(await loadBuild(services, record.session), input.packages);
    },
    apply: (tx, call) => {
      const { record, input } = admitted(tx, call);
      const resetting = transition(claim(record, services.nowMs()), 'resetting', services.nowMs());
      const { session } = resetting;
      tx.put(sessionTable, resetting);
      endAccesses(tx, session.sessionId);
      tx.afterCommit(() => services.sessionMemory.revoke(session.sessionId));
      const operation = startOperation(tx, services, call, { kind: 'world.session.reset', session, input: { ...input } });
      return { reply: { session, operation }, resource: { type: 'session', id: session.sessionId } };
    },
  };
}

function requirePackages({ tools }: CompiledBuild, packages: readonly string[]): void {
  const known = new Set(tools.map(({ packageId }) => packageId));
  const issues = packages.flatMap((packageId, index) =>
    known.has(packageId) ? [] : [{ path: `/packages/${index}`, code: 'not_one_of', message: 'is no tool of the build' }],
  );
  if (issues.length > 0) throw refused(...issues);
}

/** Cancelling one that runs changes nothing: a reset is short, and half of one is none. */
export function resetRunner(services: ControlServices): Runner {
  const { nowMs } = services;
  return {
    run: inLiveWorld(services, async (world, { operation, input }) => {
      const { resourceId: sessionId, operationId } = operation;
      const { position } = await world.command({ kind: 'reset', ...(input as ResetInput), operationKey: operationId });
      return {
        state: 'succeeded',
        apply: (tx) => {
          const record = requireRecord(tx, sessionId);
          if (record.session.state !== 'resetting') return resultOf(operation, record);
          const next = { ...advanceLease(transition(record, 'ready', nowMs())), clockUs: position.virtualTimeUs };
          tx.put(sessionTable, next);
          return resultOf(operation, next, { position: { ...position } });
        },
      };
    }),
    onFailure: (tx, { operation }) => takeBack(tx, operation.resourceId, nowMs()),
    onCancel: (tx, { operation }) => takeBack(tx, operation.resourceId, nowMs()),
  };
}

/** Nothing was reset, so the lease is what it was; access has to be issued again all the same. */
function takeBack(tx: Change, sessionId: string, nowMs: number): void {
  const record = requireRecord(tx, sessionId);
  if (record.session.state === 'resetting') tx.put(sessionTable, transition(record, 'ready', nowMs));
}
