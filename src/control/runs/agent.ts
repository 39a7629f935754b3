// The agent's side of a hosted run: access as the actor of the pending interaction, and handing that in.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { CompleteInteractionRequest } from '../../contract/hosted/runs.js';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run/run.js';
import type { AgentSubmission } from '../../drills/attempt/hosted-attempt.js';
import { runError } from '../../drills/ports/run-error.js';
import { endRunAccesses } from '../catalog/access-records.js';
import type { ChangeEndpoint, PreparedEndpoint } from '../catalog/endpoint.js';
import { requireRecord } from '../catalog/session-records.js';
import type { View } from '../catalog/tables.js';
import { refused } from '../core/refused.js';
import type { ControlServices } from '../core/services.js';
import { type GivenAccess, giveAccess } from '../sessions/access.js';
import { keepAccess } from '../sessions/standing-access.js';
import { requireLease } from '../sessions/states.js';
import { nameAttachments } from './attachments.js';
import { isAwaited, noteAccess, putRun, submitResult } from './changes.js';
import { type RunRecord, requireRevision, requireRun } from './records.js';

export function createRunAccess(services: ControlServices): PreparedEndpoint<'createRunAccess', GivenAccess> {
  const { nowMs, keyring } = services;
  const requirePending = (view: View, { path, caller, body }: Parameters<PreparedEndpoint<'createRunAccess', GivenAccess>['prepare']>[1]) =>
    requireAwaited(requireRun(view, { ...path, ...caller }), { interactionId: body.interactionId, nowMs: nowMs() });
  return {
    kind: 'prepared',
    prepare: async (view, call) => {
      const { run } = requirePending(view, call);
      const { actorId, actorInstanceId } = run.pendingInteraction!.interaction;
      const { session } = requireRecord(view, run.sessionId);
      const expiresAtMs = Math.min(nowMs() + (call.body.ttlMs ?? limits.accessTtlMs), run.deadlineAtMs);
      const { hostedRunId } = run;
      return await giveAccess(services, session, {
        actorId,
        ...defined({ actorInstanceId }),
        caller: call.caller,
        expiresAtMs,
        hostedRunId,
      });
    },
    apply: (tx, call, { bundle, access, record: given, withdraw }) => {
      try {
        const record = requirePending(tx, call);
        const { hostedRunId, sessionId } = record.run;
        const { interactionId } = call.body;
        requireLease(requireRecord(tx, sessionId), bundle.leaseGeneration);
        keepAccess(tx, services, given);
        putRun(tx, noteAccess(record, 'issued'), nowMs(), { kind: 'access_issued', interactionId, details: { accessId: bundle.accessId } });
        services.runMemory.issued(hostedRunId, access);
        return { reply: { access: { ...bundle, hostedRunId, interactionId } }, resource: { type: 'run', id: hostedRunId } };
      } catch (error) {
        withdraw();
        throw error;
      }
    },
    withoutSecret: ({ access }) => ({ access: { ...access, credential: '' } }),
    withSecret: ({ access }, generation) => ({ access: { ...access, credential: keyring.token('world', access.accessId, generation) } }),
  };
}

/** The first that is handed in stands. The run's coordinator continues from there; what comes next shows in the run. */
export function completeInteraction(services: ControlServices): ChangeEndpoint<'completeInteraction'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller, body, correlationId }) => {
      const before = requireRun(tx, { ...path, ...caller });
      const { hostedRunId } = before.run;
      requireRevision(before, body.expectedRevision);
      const { interactionId, targetResult } = body;
      const nowMs = services.nowMs();
      const record = requireAwaited(before, { interactionId, nowMs });
      const handed = resultOf(targetResult, correlationId);
      nameAttachments(tx, { hostedRunId, interactionId, attachmentIds: targetResult.attachments });
      const memory = services.runMemory;
      const seen = memory.observed(hostedRunId) ? noteAccess(record, 'observed') : record;
      const details = { status: targetResult.status };
      const after = putRun(tx, submitResult(seen, nowMs, handed), nowMs, { kind: 'interaction_completed', interactionId, details });
      endRunAccesses(tx, hostedRunId);
      tx.afterCommit(() => {
        // From here on its access opens nothing, and only then is the completion reported.
        memory.end(hostedRunId);
        memory.tell(hostedRunId, after.pending!.handedIn!);
      });
      return { reply: { run: after.run }, resource: { type: 'run', id: hostedRunId } };
    },
  };
}

/** control.STATE_CONFLICT when nobody is awaited, control.VERSION_CONFLICT when another interaction is. */
function requireAwaited(record: RunRecord, { interactionId, nowMs }: { interactionId: string; nowMs: number }): RunRecord {
  const { state, revision, deadlineAtMs, pendingInteraction } = record.run;
  if (!isAwaited(record))
    throw new ServiceError('control.STATE_CONFLICT', { message: 'The run awaits nobody now.', details: { state, revision } });
  if (nowMs >= deadlineAtMs)
    throw new ServiceError('control.STATE_CONFLICT', { message: 'The run is past its deadline.', details: { state, deadlineAtMs } });
  const pending = pendingInteraction!.interaction.id;
  if (pending === interactionId) return record;
  throw new ServiceError('control.VERSION_CONFLICT', {
    message: 'The run awaits another interaction.',
    details: { revision, interactionId: pending },
  });
}

type TargetResult = CompleteInteractionRequest['targetResult'];
function resultOf({ status, output, error, usage }: TargetResult, correlationId: string): Omit<AgentSubmission, 'bindingEvidence'> {
  const result = { status, ...defined({ output, usage }) };
  if (status !== 'completed') return { ...result, error: errorOf(status, error, correlationId) };
  if (error === undefined) return result;
  throw refused({ path: '/targetResult/error', code: 'conflict', message: 'is there although the interaction was completed' });
}

const unsaid = { failed: 'target.FAILED', timed_out: 'target.TIMED_OUT', cancelled: 'target.CANCELLED' } as const;
function errorOf(status: keyof typeof unsaid, error: TargetResult['error'], correlationId: string): RunError {
  if (error === undefined)
    return { ...runError(unsaid[status], `The agent says that it ${status.replace('_', ' ')}, and not why.`), correlationId };
  const { code, message, retryable = false, details = {} } = error;
  return { ...runError(code as `target.${string}`, message, { retryable, details }), correlationId };
}
