// A rerun: the same drill again, in a session of its own, made from the same build, setup and seed.
import { ServiceError } from '../../contract/errors.js';
import { chooseStart, type WorldStart } from '../../contract/run/world-start.js';
import { loadBuild } from '../builds/build-records.js';
import { requireActiveEnvironment } from '../builds/environment-records.js';
import type { PreparedEndpoint } from '../catalog/endpoint.js';
import { type SessionRecord, sessionTable } from '../catalog/session-records.js';
import type { Change } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { startOperation } from '../sessions/admission.js';
import { newSession } from '../sessions/new-session.js';
import { type RunRecord, requireRun } from './records.js';
import { beginRun } from './start.js';
import { isEnded } from './states.js';

export function rerun(services: ControlServices): PreparedEndpoint<'rerun', WorldStart> {
  return {
    kind: 'prepared',
    prepare: async (view, { path, caller }) => {
      const { run } = requireEnded(requireRun(view, { ...path, ...caller }));
      return chooseStart(await loadBuild(services, run), { drillId: run.request.drillId });
    },
    apply: (tx, call, start) => {
      const { path, caller, body } = call;
      const original = requireEnded(requireRun(tx, { ...path, ...caller }));
      requireActiveEnvironment(tx, { ...path, ...caller, environmentId: original.run.environmentId });
      services.guard.quarantines.requireOpen(original.run);
      const createdBy = caller.userId ?? caller.credentialId;
      const record = sessionFor(tx, services, original, { start, ttlMs: body.ttlMs, createdBy });
      tx.put(sessionTable, record);
      // In one lane: the run begins when its session is made.
      startOperation(tx, services, call, { kind: 'world.session.create', session: record.session });
      const { hostedRunId, request } = original.run;
      const { runId: _run, drillId: _drill, seed: _seed, ...position } = request;
      const reply = beginRun(tx, services, record, {
        position,
        timeoutMs: body.timeoutMs,
        createdBy,
        askedBy: call,
        rerunOfHostedRunId: hostedRunId,
      });
      return { reply, resource: { type: 'run', id: reply.run.hostedRunId } };
    },
  };
}

function requireEnded(record: RunRecord): RunRecord {
  const { state } = record.run;
  if (isEnded(state)) return record;
  throw new ServiceError('control.STATE_CONFLICT', { message: 'The run has not ended yet.', details: { state } });
}

function sessionFor(
  tx: Change,
  services: ControlServices,
  { run, madeFor = {} }: RunRecord,
  { start, ttlMs, createdBy }: SessionOptions,
): SessionRecord {
  const { organizationId, projectId, environmentId, buildHash, request } = run;
  const { drillId, seed } = request;
  const wanted = { organizationId, projectId, environmentId, buildHash, seed, drillId, ttlMs, ...madeFor };
  return newSession(tx, services, wanted, { setupHash: start.setupHash, createdBy, clockUs: start.setup.virtualTimeUs });
}
interface SessionOptions {
  start: WorldStart;
  ttlMs: number | undefined;
  createdBy: string;
}
