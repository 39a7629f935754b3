// What is written when an operation's runner is done: its own ending, and what stands in for an ending that cannot be applied.
import { orUnavailable, ServiceError } from '../../contract/errors.js';
import type { LongRunningOperation } from '../../contract/hosted/operation.js';
import { limits } from '../../contract/limits.js';
import type { RunError } from '../../contract/run/run.js';
import { hiddenRefusal, isStoredDamage } from '../../contract/stored-damage.js';
import { runError, runErrorFrom } from '../../drills/ports/run-error.js';
import type { Change } from '../catalog/tables.js';
import type { Ending, OperationRecord, Runner } from './operations.js';

export type RunnerResult = Ending | { error: unknown };
export interface EndOperation {
  state: 'succeeded' | 'failed' | 'cancelled';
  apply(tx: Change, record: OperationRecord): Partial<LongRunningOperation>;
  /** What to write when `apply` threw: rather fail with less done about it than never end. */
  otherwise(error: unknown): EndOperation;
}

export function endingOf({ correlationId }: OperationRecord, runner: Runner, result: RunnerResult): EndOperation {
  const failed = (thrown: unknown): EndOperation => {
    const error = operationError(thrown, correlationId);
    const alone: EndOperation = { state: 'failed', apply: () => ({ error }), otherwise: () => alone };
    const apply = (tx: Change, record: OperationRecord): Partial<LongRunningOperation> => {
      runner.onFailure?.(tx, record, thrown);
      return { error };
    };
    return { state: 'failed', apply, otherwise: () => alone };
  };
  if ('error' in result) return failed(result.error);
  return { state: result.state, apply: (tx) => ({ result: result.apply(tx) }), otherwise: failed };
}

/** The stack of a bug goes to the log, never into a resource. */
function operationError(thrown: unknown, correlationId: string): RunError {
  const error = orUnavailable(thrown);
  if (error instanceof ServiceError) return { ...runErrorFrom(error), correlationId };
  if (isStoredDamage(error)) return { ...runErrorFrom(hiddenRefusal(error)), correlationId };
  return { ...runError('control.INTERNAL', 'A bug ended this operation; the log has it under the correlation id.'), correlationId };
}

/** Why nobody learns of an end in this incarnation. */
export const shuttingDown = (): ServiceError =>
  new ServiceError('control.UNAVAILABLE', {
    message: 'The server shuts down; the operation continues when it starts again.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
