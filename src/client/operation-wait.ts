// Waiting for long work: polls, often at first and then ever less, as most operations are short.
import { pause } from '../async/pause.js';
import { defined } from '../contract/defined.js';
import type { LongRunningOperation } from '../contract/hosted/operation.js';
import type { OperationPath } from '../contract/hosted/sessions.js';
import type { CallEndpoint } from './calls.js';
import { OperationError } from './control-error.js';
import { tuning } from './tuning.js';

export interface WaitOptions {
  signal?: AbortSignal;
  /** The longest pause between two looks. Default 1 s. */
  pollMs?: number;
  /** Hears of each look, with the latest progress in `result`. */
  onLook?: (operation: LongRunningOperation) => void;
}

export async function waitForOperation(
  call: CallEndpoint,
  { projectId, operationId }: OperationPath,
  { signal, pollMs = tuning.operationPollMs, onLook }: WaitOptions = {},
): Promise<LongRunningOperation> {
  for (let waitMs = tuning.operationFirstPollMs; ; waitMs = Math.min(pollMs, waitMs * 1.5)) {
    const { operation } = await call('getOperation', { path: { projectId, operationId } }, defined({ signal }));
    onLook?.(operation);
    if (operation.state === 'succeeded') return operation;
    if (operation.state === 'failed' || operation.state === 'cancelled') throw new OperationError(operation);
    await pause(waitMs, signal);
    signal?.throwIfAborted();
  }
}
