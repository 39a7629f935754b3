// What a client throws: a refusal of the service with its envelope, or an operation that did not end well.
import type { ErrorEnvelope } from '../contract/errors.js';
import type { LongRunningOperation } from '../contract/hosted/operation.js';
import { isRecord } from '../contract/json.js';

/** A refusal. `envelope` is the body of the reply (docs/errors.md). */
export class ControlError extends Error {
  readonly status: number;
  readonly envelope: ErrorEnvelope;

  constructor(status: number, envelope: ErrorEnvelope) {
    super(`${envelope.code}: ${envelope.message}`);
    this.name = 'ControlError';
    this.status = status;
    this.envelope = envelope;
  }

  get code(): string {
    return this.envelope.code;
  }
  get retryable(): boolean {
    return this.envelope.retryable;
  }
}

/** An operation that failed or was cancelled. */
export class OperationError extends Error {
  readonly operation: LongRunningOperation;

  constructor(operation: LongRunningOperation) {
    super(
      `${operation.kind} ${operation.state}${operation.error === undefined ? '' : `: ${operation.error.code}: ${operation.error.message}`}`,
    );
    this.name = 'OperationError';
    this.operation = operation;
  }
}

/** From any reply that is no success, also one that a proxy in between made up. */
export function controlErrorOf(status: number, text: string, headers: Headers): ControlError {
  const correlationId = headers.get('x-correlation-id') ?? 'none';
  return new ControlError(status, envelopeIn(text, correlationId) ?? envelopeFor(status, headers, correlationId));
}

function envelopeFor(status: number, headers: Headers, correlationId: string): ErrorEnvelope {
  return {
    code: status >= 500 ? 'control.UNAVAILABLE' : 'control.INVALID_REQUEST',
    message: `The reply with status ${status} is not of the service.`,
    correlationId,
    retryable: status === 429 || (status >= 502 && status <= 504),
    source: 'platform',
    ...retryAfterIn(headers),
  };
}

/** Undefined for what is no envelope. Members that are not as they should be are left out: callers read them as their types say. */
function envelopeIn(text: string, correlationId: string): ErrorEnvelope | undefined {
  const given = objectIn(text);
  if (given === undefined || typeof given.code !== 'string' || typeof given.message !== 'string') return undefined;
  const { retryAfterMs, issues, details, evidence, operationId } = given;
  return {
    code: given.code,
    message: given.message,
    correlationId: typeof given.correlationId === 'string' ? given.correlationId : correlationId,
    retryable: given.retryable === true,
    source: given.source === 'simulated_provider' ? 'simulated_provider' : 'platform',
    ...(isDelay(retryAfterMs) ? { retryAfterMs } : {}),
    ...(typeof operationId === 'string' ? { operationId } : {}),
    ...(Array.isArray(issues) ? { issues: issues.filter(isIssue) } : {}),
    ...(isRecord(details) ? { details: details as NonNullable<ErrorEnvelope['details']> } : {}),
    ...(isRecord(evidence) ? { evidence: evidence as NonNullable<ErrorEnvelope['evidence']> } : {}),
  };
}

type Members = { readonly [name: string]: unknown };
const isDelay = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isIssue = (value: unknown): value is NonNullable<ErrorEnvelope['issues']>[number] =>
  isRecord(value) && [value.path, value.code, value.message].every((member) => typeof member === 'string');

function objectIn(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After`: seconds, or a date. */
function retryAfterIn(headers: Headers): { retryAfterMs?: number } {
  const given = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return isDelay(ms) ? { retryAfterMs: Math.ceil(ms) } : {};
}
