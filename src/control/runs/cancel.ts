// A hosted run is cancelled: durably asked for first, then carried out by its coordinator.
import type { CancelRunRequest } from '../../contract/hosted/runs.js';
import { endRunAccesses } from '../catalog/access-records.js';
import type { ChangeEndpoint } from '../catalog/endpoint.js';
import type { Change } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';
import { isAwaited, putRun, requestCancel } from './changes.js';
import { type RunRecord, requireRevision, requireRun, runTable, wholeRun } from './records.js';

export function cancelRun(services: ControlServices): ChangeEndpoint<'cancelRun'> {
  return {
    kind: 'change',
    apply: (tx, { path, caller, body }) => {
      const record = requireRun(tx, { ...path, ...caller });
      requireRevision(record, body.expectedRevision);
      const { hostedRunId } = record.run;
      keepAsked(tx, services, record, reasonOf(body));
      // Of a run that has not begun this is its end; of one that is played, its coordinator's signal.
      services.operations.cancel(tx, record.operationId);
      return { reply: { run: wholeRun(tx, tx.get(runTable, hostedRunId) as RunRecord) }, resource: { type: 'run', id: hostedRunId } };
    },
  };
}

const reasonOf = ({ reason = 'The run was cancelled by its owner.' }: CancelRunRequest): string => reason;

/** control.STATE_CONFLICT when it has been played. */
export async function askToCancel(services: ControlServices, hostedRunId: string, reason: string): Promise<void> {
  await services.catalog.change((tx) => {
    const record = tx.get(runTable, hostedRunId);
    if (record !== undefined) keepAsked(tx, services, record, reason);
  });
}

function keepAsked(tx: Change, services: ControlServices, record: RunRecord, reason: string): void {
  const nowMs = services.nowMs();
  const asked = requestCancel(record, nowMs, reason);
  if (asked === record) return;
  const { hostedRunId } = record.run;
  putRun(tx, asked, nowMs, { kind: 'cancel_requested', details: { reason } });
  endRunAccesses(tx, hostedRunId);
  const { handedIn } = asked.pending ?? {};
  if (!isAwaited(record) || handedIn === undefined) return;
  tx.afterCommit(() => {
    const memory = services.runMemory;
    memory.end(hostedRunId);
    memory.tell(hostedRunId, handedIn);
  });
}
