// How a hosted run changes: pure steps from record to record, each in the change that commits it. Its states are states.ts's.
//   RUN-CHANGES-1. The revision rises when what a caller acts on changes: state, pending interaction, termination. Access, attachments and
//     the coordinator's own affairs leave it.
//   RUN-CHANGES-2. An interaction ends once: by the first of agent, deadline and cancellation.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { RunActivity } from '../../contract/hosted/runs.js';
import type { BindingEvidence, HostedRun, HostedRunState, RunError, RunIdentity } from '../../contract/run/run.js';
import type { AttemptStart, TimelineEnd } from '../../drills/attempt/attempt-environment.js';
import type { AgentSubmission, PendingInteraction } from '../../drills/attempt/hosted-attempt.js';
import { runError } from '../../drills/ports/run-error.js';
import type { Change } from '../catalog/tables.js';
import { activityTable, type PendingRecord, type RunRecord, runTable } from './records.js';
import { type CoordinationState, isEnded, requireCoordinationMove, requireRunMove } from './states.js';

type Happening = Pick<RunActivity, 'kind'> & Partial<Pick<RunActivity, 'interactionId' | 'details'>>;
type Run = RunRecord['run'];

/** Writes the record, and what happened if that is worth telling. */
export function putRun(tx: Change, record: RunRecord, atMs: number, happening?: Happening): RunRecord {
  const { hostedRunId } = record.run;
  const kept: RunRecord = happening === undefined ? record : { ...record, activityCount: record.activityCount + 1 };
  tx.put(runTable, kept);
  if (happening !== undefined) {
    tx.put(activityTable, { schemaVersion: 1, hostedRunId, ordinal: kept.activityCount, atMs, details: {}, ...happening });
  }
  return kept;
}

/** What a caller acts on. */
function revised(record: RunRecord, nowMs: number, changes: Partial<Run>): RunRecord {
  return { ...record, run: { ...record.run, ...changes, revision: record.run.revision + 1, updatedAtMs: nowMs } };
}
function transition(record: RunRecord, state: HostedRunState, nowMs: number, changes: Partial<Run> = {}): RunRecord {
  requireRunMove(record.run.state, state);
  return revised(record, nowMs, { state, ...changes });
}

interface CoordinationChanges {
  state?: CoordinationState;
  generation?: number;
  /** null: none any more. */
  activeInteractionId?: string | null;
}
function coordinated(record: RunRecord, nowMs: number, { activeInteractionId, ...changes }: CoordinationChanges): RunRecord {
  const { activeInteractionId: active, ...before } = coordinationOf(record);
  if (changes.state !== undefined) requireCoordinationMove(before.state, changes.state);
  const interactionId = activeInteractionId === undefined ? active : (activeInteractionId ?? undefined);
  const coordination = {
    ...before,
    ...changes,
    version: before.version + 1,
    updatedAtMs: nowMs,
    ...defined({ activeInteractionId: interactionId }),
  };
  return { ...record, run: { ...record.run, coordination } };
}
export function coordinationOf({ run: { coordination } }: RunRecord): NonNullable<HostedRun['coordination']> {
  if (coordination === undefined) throw new Error('every run that is stored has a coordination');
  return coordination;
}

/** A coordinator takes the run up; of an earlier one nothing is accepted any more. */
export function resumeRun(record: RunRecord, nowMs: number): RunRecord {
  const { state, generation } = coordinationOf(record);
  return coordinated(record, nowMs, { state: 'running', generation: state === 'pending' ? generation : generation + 1 });
}

export function markBegun(
  record: RunRecord,
  nowMs: number,
  { begun, identity }: { begun: AttemptStart; identity: RunIdentity },
): RunRecord {
  return revised({ ...record, begun }, nowMs, { identity });
}

/** An agent is awaited; or, past the deadline, not any more. */
export function awaitAgent(record: RunRecord, nowMs: number, pendingInteraction: PendingInteraction): RunRecord {
  const { interaction, startedAtVirtualUs: virtualTimeUs, toolCallsAtStart } = pendingInteraction;
  const pending: PendingRecord = {
    interactionId: interaction.id,
    started: { virtualTimeUs, toolCallsAtStart },
    bindingEvidence: 'not_checked',
  };
  const next = transition({ ...record, pending }, 'awaiting_agent', nowMs, { pendingInteraction });
  return coordinated(next, nowMs, { activeInteractionId: interaction.id });
}

/** With more known of the access to the pending interaction. */
export function noteAccess(record: RunRecord, bindingEvidence: BindingEvidence): RunRecord {
  const pending = requireAwaited(record);
  return pending.bindingEvidence === 'observed' ? record : { ...record, pending: { ...pending, bindingEvidence } };
}

/** Nobody is awaited any more. */
export function submitResult(record: RunRecord, nowMs: number, handed: Omit<AgentSubmission, 'bindingEvidence'>): RunRecord {
  const pending = requireAwaited(record);
  const { pendingInteraction: _, ...run } = record.run;
  const { bindingEvidence } = pending;
  return revised({ ...record, run, pending: { ...pending, handedIn: { ...handed, bindingEvidence } } }, nowMs, {});
}

export const isAwaited = ({ pending }: RunRecord): boolean => pending !== undefined && pending.handedIn === undefined;
function requireAwaited({ run: { state }, pending }: RunRecord): PendingRecord {
  if (pending !== undefined && pending.handedIn === undefined) return pending;
  throw new ServiceError('control.STATE_CONFLICT', { message: 'The run awaits nobody now.', details: { state } });
}

export function storeStep({ pending: _, ...record }: RunRecord, nowMs: number): RunRecord {
  return coordinated({ ...record, stepCount: record.stepCount + 1 }, nowMs, { activeInteractionId: null });
}

export function endTimeline(record: RunRecord, nowMs: number, ended: TimelineEnd): RunRecord {
  return transition({ ...record, ended }, 'ready_to_seal', nowMs);
}

/** Asked for; what is pending ends with it, and the coordinator carries it out. Asking twice is asking once. */
export function requestCancel(record: RunRecord, nowMs: number, reason: string): RunRecord {
  const { state, termination } = record.run;
  if (isEnded(state) || record.ended !== undefined) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: 'The run has been played; it cannot be cancelled any more.',
      details: { state },
    });
  }
  if (termination !== undefined) return record;
  const asked = revised(record, nowMs, { termination: { schemaVersion: 1, outcome: 'cancelled', reason, requestedAtMs: nowMs } });
  const error = runError('target.CANCELLED', 'The run was cancelled while the target worked.');
  return isAwaited(asked) ? submitResult(asked, nowMs, { status: 'cancelled', error }) : asked;
}

export interface End {
  state: HostedRunState;
  coordination: 'settled' | 'lost';
  identity?: RunIdentity;
  termination?: NonNullable<HostedRun['termination']>;
  failure?: RunError;
}
export function finishRun({ pending: _, ...record }: RunRecord, nowMs: number, { state, coordination, ...changes }: End): RunRecord {
  const { pendingInteraction: _none, ...run } = record.run;
  const next = transition({ ...record, run }, state, nowMs, { ...changes, finishedAtMs: nowMs });
  return coordinated(next, nowMs, { state: coordination, activeInteractionId: null });
}
