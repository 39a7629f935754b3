// What the simulation answers when it does not answer with a value, by code.
import type { Issue } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import { limits } from '../../contract/limits.js';
import type { OutcomeError } from '../../contract/outcome-error.js';
import type { ToolOutcome } from '../../contract/world/evidence.js';
import type { HandlerFault, HandlerThrow, LoadedOperation } from '../../tools/loaded-tool.js';
import type { DispatchFailure } from './event-dispatch.js';
import type { EventName } from './turn.js';
import { issuesText } from './world-tool.js';

type ErrorKind = Exclude<ToolOutcome['kind'], 'ok'>;

export function refusal(kind: ErrorKind, code: string, message: string, details?: JsonValue): ToolOutcome {
  const error: OutcomeError = details === undefined ? { code, message, retryable: false } : { code, message, retryable: false, details };
  return { kind, error };
}

export function brokenSchema(kind: 'invalid' | 'tool_error', code: string, what: string, issues: readonly Issue[]): ToolOutcome {
  return refusal(kind, code, `The ${what} break the operation's schema: ${issuesText(issues)}.`, {
    issues: issues.map((issue) => ({ ...issue })),
  });
}

/** Of an operation's own handler: its declared failure, or that it broke. */
export function handlerFailure(fault: HandlerFault, { declaredErrors }: LoadedOperation): ToolOutcome {
  if (fault.kind === 'thrown') return { kind: 'tool_error', error: brokenError(fault, fault.message) };
  const { code, message, details } = fault;
  const declared = declaredErrors.get(code);
  if (declared === undefined) {
    return refusal('tool_error', 'UNDECLARED_ERROR', `The tool failed with '${code}', which its manifest does not declare: ${message}`, {
      code,
      ...(details === undefined ? {} : { details }),
    });
  }
  const error: OutcomeError = { code, message, retryable: fault.retryable ?? declared.retryable };
  if (details !== undefined) error.details = details;
  return fault.keep ? { kind: 'tool_error', error, committed: true } : { kind: 'tool_error', error };
}

/** Of a subscription's handler: it has nobody to declare a failure to, so the code is all that is left of it. */
export function dispatchError({ fault, dispatch: { event, instance, subscriptionId } }: DispatchFailure): OutcomeError {
  const where = `'${subscriptionId}' of '${instance.packageId}' (${instance.instanceId}) on '${event.packageId}/${event.eventId}'`;
  if (fault.kind === 'thrown') return brokenError(fault, `Subscription ${where}: ${fault.message}`);
  const error: OutcomeError = { code: fault.code, message: `Subscription ${where}: ${fault.message}`, retryable: fault.retryable ?? false };
  if (fault.details !== undefined) error.details = fault.details;
  return error;
}

/** Of an event that has more callbacks than its turn may queue. */
export function callbackError(fault: HandlerThrow, { packageId, eventId }: EventName): OutcomeError {
  return brokenError(fault, `Callbacks on '${packageId}/${eventId}': ${fault.message}`);
}

function brokenError({ bound }: HandlerThrow, message: string): OutcomeError {
  if (bound === undefined) return { code: 'HANDLER_FAILED', message, retryable: false };
  return { code: 'BOUND_EXCEEDED', message, retryable: false, details: { bound, max: limits[bound] } };
}
