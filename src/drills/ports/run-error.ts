// Run errors: what went wrong around a run, as a value in its result.
import { type ErrorCode, errorTable, type Issue, ServiceError } from '../../contract/errors.js';
import { newId } from '../../contract/ids.js';
import type { JsonObject } from '../../contract/json.js';
import type { ErrorArea, RunError } from '../../contract/run/run.js';
import type { PendingStep } from './bindings-port.js';

interface RunErrorParts {
  retryable?: boolean;
  issues?: Issue[];
  details?: JsonObject;
}

export function runError(
  code: `${ErrorArea}.${string}`,
  message: string,
  { retryable = false, issues = [], details = {} }: RunErrorParts = {},
): RunError {
  const source = code.slice(0, code.indexOf('.')) as ErrorArea;
  return { schemaVersion: 1, code, source, message, retryable, issues, correlationId: newId('corr'), details };
}

/** Behind what ended before the step did. */
export const stillAtWork = (pending: PendingStep | undefined): string =>
  pending === undefined ? '' : `: ${pending.words} had run for ${pending.forMs} ms by then`;

/** Whether nothing more can be kept, so that no further attempt comes to anything. */
export function saysDiskFull({ code, details }: RunError): boolean {
  return code === 'control.STORAGE_FULL' || (code === 'reporter.WRITE_FAILED' && details.code === 'control.STORAGE_FULL');
}

/**
 * As `runErrorFrom`, where others read it than those whose machine it is: of a bug they learn that there was one, and `report` all of it.
 */
export function runErrorForOthers(thrown: unknown, report: (bug: unknown, correlationId: string) => void): RunError {
  if (thrown instanceof ServiceError) return runErrorFrom(thrown);
  const error = runError('framework.INTERNAL', 'A bug of the service ended this; its log has it under the correlation id.');
  report(thrown, error.correlationId);
  return error;
}

/** Of whatever was thrown: a refusal keeps its code, anything else is a bug of ours. */
export function runErrorFrom(thrown: unknown): RunError {
  if (thrown instanceof ServiceError && isOfRun(thrown)) {
    const { issues = [], details = {}, isFinal = false } = thrown.extra;
    const retryable = errorTable[thrown.code].retryable && !isFinal;
    return runError(thrown.code, thrown.message, { retryable, issues, details: details as JsonObject });
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return runError('framework.INTERNAL', error.message, { details: { stack: error.stack ?? '' } });
}

/** Refusals between the machines of a service end there: one that comes as far as a run is a bug. */
const isOfRun = (refusal: ServiceError): refusal is ServiceError & { code: Exclude<ErrorCode, `cluster.${string}`> } =>
  !refusal.code.startsWith('cluster.');
