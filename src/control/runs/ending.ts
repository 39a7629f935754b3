// How a hosted run ends: with a result and sealed evidence, before it began, or because nobody could continue with it. Each in the change
// that ends its operation: the run, its bundle, its session's lease and the count of active runs end together.
import { defined } from '../../contract/defined.js';
import type { EvidenceBundle } from '../../contract/hosted/runs.js';
import type { HostedRun, HostedRunState, RunResult, Verdict } from '../../contract/run/run.js';
import { runErrorForOthers } from '../../drills/ports/run-error.js';
import { endRunAccesses } from '../catalog/access-records.js';
import { returnQuota } from '../catalog/quotas.js';
import { requireRecord, sessionTable } from '../catalog/session-records.js';
import { noteStorage } from '../catalog/storage-use.js';
import type { Change } from '../catalog/tables.js';
import type { OperationRecord } from '../core/operations.js';
import type { ControlServices } from '../core/services.js';
import { releaseLease } from '../sessions/states.js';
import { FenceError } from './attempt-store.js';
import { type End, finishRun, putRun, requestCancel } from './changes.js';
import { deletedEvidence, evidenceTable } from './evidence-records.js';
import { ofRun, type RunRecord, runResultTable, runTable, stepId, stepTable } from './records.js';
import { isEnded } from './states.js';

export interface SealedEvidence {
  result: RunResult;
  manifestDigest: string;
  /** Where several machines share it: the blob that it is. */
  archive?: string;
  /** Of the bundle's files. */
  bytes: number;
}

/** Of a run that was played to its end, whatever that was. Yields the operation's result. */
export function endPlayed(tx: Change, services: ControlServices, record: RunRecord, sealedEvidence: SealedEvidence) {
  const { result, manifestDigest, archive, bytes } = sealedEvidence;
  const nowMs = services.nowMs();
  const { hostedRunId, evidenceBundleId, evidenceRetentionMs } = record.run;
  const { status, verdict, identity, failure, stateHash, evidenceHash, trajectoryHash } = result;
  const end: End = {
    state: status,
    coordination: 'settled',
    identity,
    ...terminationOf(record, result, nowMs),
    ...defined({ failure }),
  };
  tx.put(runResultTable, { hostedRunId, result });
  for (const { ordinal } of [...ofRun(tx, stepTable, hostedRunId)]) tx.remove(stepTable, stepId(hostedRunId, ordinal));
  const sealed: Partial<EvidenceBundle> = { state: 'sealed', verdict, stateHash, evidenceHash, trajectoryHash, manifestDigest };
  const evidence = evidenceOf(tx, evidenceBundleId);
  const retainedUntilMs = nowMs + evidenceRetentionMs;
  tx.put(evidenceTable, {
    ...evidence,
    ...defined({ archive }),
    bundle: { ...evidence.bundle, ...sealed, sealedAtMs: nowMs, retainedUntilMs },
  });
  const { organizationId, projectId } = evidence.bundle;
  noteStorage(tx, { ownerId: evidenceBundleId, organizationId, projectId, bytes });
  endRun(tx, services, record, { end, leaseIsFree: false, verdict });
  return { schemaVersion: 1 as const, kind: 'drill.run' as const, hostedRunId, state: status as HostedRunState, verdict, evidenceBundleId };
}

function terminationOf(
  { run }: RunRecord,
  { status, failure }: RunResult,
  nowMs: number,
): { termination?: NonNullable<HostedRun['termination']> } {
  // That of a cancellation is there already, unless an agent cancelled its own interaction.
  if (status === 'sealed' || run.termination !== undefined) return {};
  const reason = status === 'cancelled' ? 'The agent cancelled its interaction.' : (failure?.message ?? 'The run failed.');
  return { termination: { schemaVersion: 1, outcome: status, reason, requestedAtMs: nowMs } };
}

/** Cancelled while it waited for its turn: its world was not touched. */
export function endBeforeStart(tx: Change, services: ControlServices, { operation }: OperationRecord): void {
  const asked = requestCancel(runOf(tx, operation.resourceId), services.nowMs(), 'The operation was cancelled.');
  endWithoutEvidence(tx, services, asked, { end: { state: 'aborted_before_start', coordination: 'settled' }, leaseIsFree: true });
}

/** No coordinator could begin it, or continue with it. */
export function endLost(tx: Change, services: ControlServices, { operation }: OperationRecord, error: unknown): void {
  const record = runOf(tx, operation.resourceId);
  // Of a coordinator that has been replaced, nothing is heard any more.
  if (error instanceof FenceError || isEnded(record.run.state)) return;
  const failure = runErrorForOthers(error, (err, correlationId) => services.log.error('a bug ended a run', { correlationId, err }));
  const end: End =
    record.begun === undefined
      ? { state: 'aborted_before_start', coordination: 'settled', failure }
      : { state: 'orchestration_failed', coordination: 'lost', failure };
  endWithoutEvidence(tx, services, record, { end, leaseIsFree: false });
}

function endWithoutEvidence(tx: Change, services: ControlServices, record: RunRecord, how: HowItEnds): void {
  tx.put(evidenceTable, deletedEvidence(evidenceOf(tx, record.run.evidenceBundleId), services.nowMs()));
  endRun(tx, services, record, how);
}

interface HowItEnds {
  end: End;
  /** The world is as the run found it. */
  leaseIsFree: boolean;
  /** Where there is a result. */
  verdict?: Verdict;
}
function endRun(tx: Change, services: ControlServices, record: RunRecord, { end, leaseIsFree, verdict }: HowItEnds): void {
  const nowMs = services.nowMs();
  const { hostedRunId, organizationId, projectId, sessionId, createdAtMs } = record.run;
  endRunAccesses(tx, hostedRunId);
  const kind = end.state === 'sealed' ? 'sealed' : 'ended';
  putRun(tx, finishRun(record, nowMs, end), nowMs, { kind, details: { state: end.state } });
  const session = requireRecord(tx, sessionId);
  const { hostedRunId: _, ...free } = session;
  tx.put(sessionTable, leaseIsFree ? free : releaseLease(session));
  returnQuota(tx, { organizationId, name: 'runsActiveMax' });
  // What was attached is in the bundle by now, or in none.
  noteStorage(tx, { ownerId: hostedRunId, organizationId, projectId, bytes: 0 });
  tx.afterCommit(() => {
    const memory = services.runMemory;
    memory.end(hostedRunId);
    memory.forget(hostedRunId);
    services.meter.runEnded({ state: end.state, verdict, seconds: (nowMs - createdAtMs) / 1000 });
  });
}

function runOf(tx: Change, hostedRunId: string): RunRecord {
  const record = tx.get(runTable, hostedRunId);
  if (record === undefined) throw new Error(`there is no record of run ${hostedRunId}`);
  return record;
}
function evidenceOf(tx: Change, evidenceBundleId: string) {
  const record = tx.get(evidenceTable, evidenceBundleId);
  if (record === undefined) throw new Error(`there is no record of evidence bundle ${evidenceBundleId}`);
  return record;
}
