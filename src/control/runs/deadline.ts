// The deadline of hosted runs: past it nobody is awaited any more, and what is pending has timed out as a local target does.
import { defined } from '../../contract/defined.js';
import { limits } from '../../contract/limits.js';
import type { PendingStep } from '../../drills/ports/bindings-port.js';
import { runError, stillAtWork } from '../../drills/ports/run-error.js';
import { endRunAccesses } from '../catalog/access-records.js';
import type { Change } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { sweepListed } from '../core/sweep-listed.js';
import { isAwaited, putRun, submitResult } from './changes.js';
import { type RunRecord, runTable } from './records.js';

/** The record as it is then. `pending`: what the target waits for. */
export function timedOutIfOver(tx: Change, record: RunRecord, { nowMs, pending }: { nowMs: number; pending?: PendingStep }): RunRecord {
  const { deadlineAtMs } = record.run;
  if (nowMs < deadlineAtMs || !isAwaited(record)) return record;
  const message = `The run passed its deadline while the target worked${stillAtWork(pending)}. Its access was revoked.`;
  const error = runError('target.TIMED_OUT', message);
  endRunAccesses(tx, record.run.hostedRunId);
  const over = submitResult(record, nowMs, { status: 'timed_out', error });
  return putRun(tx, over, nowMs, { kind: 'deadline_passed', interactionId: record.pending!.interactionId, details: { deadlineAtMs } });
}

/** Ends what is awaited past its deadline. Yields how many. */
export function sweepDeadlines(services: ControlServices): Promise<number> {
  const { nowMs, runMemory: memory } = services;
  return sweepListed(services, {
    table: runTable,
    index: 'byDeadline',
    limit: limits.runBatch,
    isDue: ({ run }) => run.deadlineAtMs <= nowMs(),
    work: (tx, record) => {
      const step = memory.pending(record.run.hostedRunId);
      const { run, pending } = timedOutIfOver(tx, record, { nowMs: nowMs(), ...defined({ pending: step }) });
      tx.afterCommit(() => {
        memory.end(run.hostedRunId);
        if (pending?.handedIn !== undefined) memory.tell(run.hostedRunId, pending.handedIn);
      });
      return true;
    },
  });
}
