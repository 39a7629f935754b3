// Faults switched on and off: refused at once when the build has no such fault, else an operation in the session's lane.
import { defined } from '../../contract/defined.js';
import type { SetFaultRequest } from '../../contract/hosted/sessions.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import { chooseStart, type StartName } from '../../contract/run/world-start.js';
import { instancesOf } from '../../worlds/turn/program.js';
import { loadBuild } from '../builds/build-records.js';
import type { PreparedEndpoint, UnsafeCall } from '../catalog/endpoint.js';
import { keepSession, requireSession } from '../catalog/session-records.js';
import type { View } from '../catalog/tables.js';
import type { Runner } from '../core/operations.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { admit, markDegraded, markRecovered, requireSame, resultOf, startOperation } from './admission.js';
import { inLiveWorld } from './live-world.js';
import { claim } from './states.js';

type FaultInput = Pick<SetFaultRequest, 'packageId' | 'instanceId' | 'faultId' | 'active'>;

export function setFault(services: ControlServices): PreparedEndpoint<'setFault', void> {
  const admitted = (view: View, call: UnsafeCall<'setFault'>) => {
    requireSame(requireSession(view, { ...call.path, ...call.caller }), call.body);
    return admit(view, services, call);
  };
  return {
    kind: 'prepared',
    prepare: async (view, call) => {
      const { session } = admitted(view, call);
      requireFault(await loadBuild(services, session), session, call.body);
    },
    apply: (tx, call) => {
      const record = admitted(tx, call);
      const { session } = keepSession(tx, record, claim(record, services.nowMs()));
      const { packageId, instanceId, faultId, active } = call.body;
      const input = { packageId, ...defined({ instanceId }), faultId, active };
      const operation = startOperation(tx, services, call, { kind: 'world.fault.set', session, input });
      return { reply: { session, operation }, resource: { type: 'session', id: session.sessionId } };
    },
  };
}

function requireFault(build: CompiledBuild, start: StartName, { packageId, instanceId, faultId }: FaultInput): void {
  const { tools } = build;
  const tool = tools.find((one) => one.packageId === packageId);
  if (tool === undefined) throw refused({ path: '/packageId', code: 'not_one_of', message: 'is no tool of the build' });
  if (!tool.manifest.faults.some(({ id }) => id === faultId))
    throw refused({ path: '/faultId', code: 'not_one_of', message: `is no fault of ${packageId}` });
  if (
    instanceId === undefined ||
    instancesOf({ tools, setup: chooseStart(build, start).setup })
      .get(packageId)
      ?.includes(instanceId)
  )
    return;
  throw refused({ path: '/instanceId', code: 'not_one_of', message: `is no instance of ${packageId} in this world` });
}

export function faultRunner(services: ControlServices): Runner {
  const { nowMs } = services;
  return {
    run: inLiveWorld(services, async (world, { operation, input }) => {
      const { resourceId: sessionId, operationId } = operation;
      const answer = await world.command({ kind: 'setFault', ...(input as unknown as FaultInput), operationKey: operationId });
      return {
        state: 'succeeded',
        apply: (tx) => {
          const record = markRecovered(tx, sessionId, nowMs());
          return resultOf(operation, record, { ...(input as unknown as FaultInput), ...answer });
        },
      };
    }),
    onFailure: (tx, { operation }, error) => markDegraded(tx, operation.resourceId, { error, nowMs: nowMs() }),
  };
}
