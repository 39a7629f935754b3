// Hosted runs begin here: in a session made for a drill, under a lease that is free. And again: a rerun is the same drill in a session of
// its own, made from the same build, setup and seed.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { StartRunRequest } from '../../contract/hosted/runs.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import type { HostedRun } from '../../contract/run/run.js';
import { endAccesses } from '../catalog/access-records.js';
import type { ChangeEndpoint } from '../catalog/endpoint.js';
import { takeQuota } from '../catalog/quotas.js';
import { requireSession, type SessionRecord, sessionTable } from '../catalog/session-records.js';
import { requireStorage } from '../catalog/storage-use.js';
import type { Change } from '../catalog/tables.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { type AskedBy, startOperation } from '../sessions/admission.js';
import { requireFreeLease, requireLease, requireUsable, takeLease } from '../sessions/states.js';
import { putRun } from './changes.js';
import { evidenceTable } from './evidence-records.js';
import type { RunRecord } from './records.js';

export function startRun(services: ControlServices): ChangeEndpoint<'startRun'> {
  return {
    kind: 'change',
    apply: (tx, call) => {
      const { path, caller, body } = call;
      const record = requireSession(tx, { ...path, ...caller });
      if (record.session.environmentId !== path.environmentId)
        throw new ServiceError('control.NOT_FOUND', { message: 'There is no such session.' });
      const position = positionOf(body);
      requireLease(record, body.expectedLeaseGeneration);
      requireUsable(record, services.nowMs());
      requireFreeLease(record);
      services.guard.quarantines.requireOpen(record.session);
      const createdBy = caller.userId ?? caller.credentialId;
      const reply = beginRun(tx, services, record, { position, timeoutMs: body.timeoutMs, createdBy, askedBy: call });
      return { reply, resource: { type: 'run', id: reply.run.hostedRunId } };
    },
  };
}

export interface RunPosition {
  trial: number;
  trialCount: number;
  attempt: number;
  attemptLimit: number;
}
function positionOf({ trial = 1, trialCount = 1, attempt = 1, attemptLimit = 1 }: StartRunRequest): RunPosition {
  const beyond = (path: string, of: string) => ({ path, code: 'too_large', message: `is more than ${of}` });
  const issues = [
    ...(trial > trialCount ? [beyond('/trial', 'trialCount')] : []),
    ...(attempt > attemptLimit ? [beyond('/attempt', 'attemptLimit')] : []),
  ];
  if (issues.length > 0) throw refused(...issues);
  return { trial, trialCount, attempt, attemptLimit };
}

export interface BeginRun {
  position: RunPosition;
  timeoutMs: number | undefined;
  createdBy: string;
  askedBy: AskedBy;
  rerunOfHostedRunId?: string;
}
/**
 * The run, its operation in the session's lane, its bundle; the lease is the run's from this commit on, and earlier access ends with it.
 */
export function beginRun(tx: Change, services: ControlServices, record: SessionRecord, begin: BeginRun) {
  const { session } = record;
  const { organizationId, projectId, sessionId, trial, attempt } = session;
  const drillId = drillOf(record);
  requireStorage(tx, services, { organizationId, projectId });
  takeQuota(tx, services, { organizationId, name: 'runsActiveMax' });
  const nowMs = services.nowMs();
  const hostedRunId = newId('hrun');
  const operation = startOperation(tx, services, begin.askedBy, { kind: 'drill.run', session, resource: { type: 'run', id: hostedRunId } });
  const run = newRun(services, record, { ...begin, hostedRunId, drillId, nowMs });
  const made = { ...defined({ trial, attempt }) };
  const kept: RunRecord = {
    run,
    operationId: operation.operationId,
    createdBy: begin.createdBy,
    ...(trial === undefined && attempt === undefined ? {} : { madeFor: made }),
    stepCount: 0,
    activityCount: 0,
    attachments: { count: 0, bytes: 0 },
  };
  putRun(tx, kept, nowMs, { kind: 'created', details: { operationId: operation.operationId } });
  const { evidenceBundleId } = run;
  const bundle = {
    schemaVersion: 1,
    evidenceBundleId,
    organizationId,
    projectId,
    hostedRunId,
    state: 'collecting',
    createdAtMs: nowMs,
  } as const;
  tx.put(evidenceTable, { bundle, runId: run.request.runId });
  tx.put(sessionTable, takeLease(record, hostedRunId, nowMs));
  endAccesses(tx, sessionId);
  tx.afterCommit(() => services.sessionMemory.revoke(sessionId));
  return { run, operation };
}

function drillOf({ session: { drillId } }: SessionRecord): string {
  if (drillId !== undefined) return drillId;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'The session was not created for a drill, so there is nothing to run in it.',
  });
}

interface NewRun extends BeginRun {
  hostedRunId: string;
  drillId: string;
  nowMs: number;
}
function newRun({ settings }: ControlServices, { session }: SessionRecord, made: NewRun): HostedRun {
  const { organizationId, projectId, environmentId, sessionId, buildHash, seed, leaseGeneration } = session;
  const { hostedRunId, drillId, nowMs, position, timeoutMs = limits.runTimeoutMs, rerunOfHostedRunId } = made;
  return {
    schemaVersion: 1,
    hostedRunId,
    evidenceBundleId: newId('evidence'),
    organizationId,
    projectId,
    environmentId,
    sessionId,
    buildHash,
    request: { runId: newId('run'), drillId, seed, ...position },
    leaseGeneration,
    revision: 1,
    state: 'created',
    deadlineAtMs: nowMs + timeoutMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    evidenceRetentionMs: settings.evidenceRetentionMs,
    ...defined({ rerunOfHostedRunId }),
    coordination: {
      schemaVersion: 1,
      organizationId,
      projectId,
      hostedRunId,
      state: 'pending',
      generation: 1,
      version: 1,
      updatedAtMs: nowMs,
    },
  };
}
