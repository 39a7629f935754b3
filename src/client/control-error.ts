// What a client throws: a refusal of the service with its envelope, or an operation that did not end well.
import type { ErrorEnvelope } from '../contract/errors.js';
import type { LongRunningOperation } from '../contract/hosted/operation.js';

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
export function controlErrorOf(status: number, text: string, correlationId: string | null): ControlError {
  try {
    const envelope = JSON.parse(text) as Partial<ErrorEnvelope>;
    if (typeof envelope.code === 'string' && typeof envelope.message === 'string')
      return new ControlError(status, envelope as ErrorEnvelope);
  } catch {
    // Not ours; reported below.
  }
  return new ControlError(status, {
    code: status >= 500 ? 'control.UNAVAILABLE' : 'control.INVALID_REQUEST',
    message: `The reply with status ${status} is not of the service.`,
    correlationId: correlationId ?? 'none',
    retryable: status === 429 || (status >= 502 && status <= 504),
    source: 'platform',
  });
}
