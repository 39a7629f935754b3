// The one table of refusals: code -> status, retryable, source. A refusal is thrown as a `ServiceError` and ends where it leaves for
// somebody else: as an error frame between threads and processes, as the envelope on the wire, as a message of the command line, as the
// error of a run or an operation. On its way it is caught where it means something else there: `isServiceError` asks for its code; a catch
// without a code tells a refusal from a bug.
import { isRecord, type JsonValue } from './json.js';
import { limits } from './limits.js';
import type { Count, PositiveCount } from './primitives.js';
import type { tags } from './tags.js';

interface ErrorRule {
  status: number;
  retryable: boolean;
  source: 'platform' | 'simulated_provider';
}
const platform = (status: number, retryable = false): ErrorRule => ({ status, retryable, source: 'platform' });
const provider = (status: number, retryable = false): ErrorRule => ({ status, retryable, source: 'simulated_provider' });

export const errorTable = {
  'control.INVALID_JSON': platform(400),
  'control.INVALID_REQUEST': platform(400),
  'control.IDEMPOTENCY_KEY_REQUIRED': platform(400),
  'control.IDEMPOTENCY_KEY_INVALID': platform(400),
  'control.CURSOR_INVALID': platform(400),
  'control.UNAUTHENTICATED': platform(401),
  'control.FORBIDDEN': platform(403),
  'control.ORGANIZATION_SUSPENDED': platform(403),
  'control.ORIGIN_REJECTED': platform(403),
  'control.NOT_FOUND': platform(404),
  'control.ROUTE_NOT_FOUND': platform(404),
  'control.METHOD_NOT_ALLOWED': platform(405),
  'control.VERSION_CONFLICT': platform(409),
  'control.LEASE_CONFLICT': platform(409),
  'control.STATE_CONFLICT': platform(409),
  'control.IDEMPOTENCY_IN_PROGRESS': platform(409, true),
  'control.PAYLOAD_TOO_LARGE': platform(413),
  'control.UNSUPPORTED_MEDIA_TYPE': platform(415),
  'control.IDEMPOTENCY_KEY_REUSED': platform(422),
  'control.CONFIRMATION_MISMATCH': platform(422),
  'control.SOURCE_INVALID': platform(422),
  'control.RATE_LIMITED': platform(429, true),
  'control.QUOTA_EXCEEDED': platform(429, true),
  'control.INTERNAL': platform(500),
  'control.DATA_DAMAGED': platform(500),
  'control.ATTEMPTS_EXHAUSTED': platform(500),
  'control.UNAVAILABLE': platform(503, true),
  'control.WORLD_BUSY': platform(503, true),
  'control.STORAGE_FULL': platform(503, true),
  'world.NOT_READY': platform(409, true),
  'world.RUN_OWNS_LEASE': platform(409),
  'world.BUILD_QUARANTINED': platform(409),
  'world.HANDLER_FAILED': provider(500),
  'world.ACTOR_RESTARTED': platform(503, true),
  'world.HANDLER_TIMEOUT': provider(504),
  'cluster.UNSAFE_LOG': platform(500),
  'cluster.FOREIGN_CLUSTER': platform(500),
  'cluster.FORMAT_UNSUPPORTED': platform(500),
  'cluster.LOG_WENT_BACK': platform(500),
  'cluster.NODE_NAME_IN_USE': platform(500),
  'cluster.NODE_ADDRESS_IN_USE': platform(500),
  'cluster.NOT_A_CLUSTER': platform(409),
} as const satisfies Record<string, ErrorRule>;
export type ErrorCode = keyof typeof errorTable;

export interface Issue {
  /** JSON Pointer into the checked value; '' is the value itself. */
  path: string;
  code: string;
  message: string;
}
export interface ErrorDetails {
  message?: string;
  issues?: Issue[];
  details?: { [key: string]: JsonValue };
  retryAfterMs?: number;
  /** The code may pass by itself, and this one never will. */
  isFinal?: boolean;
  /** What a tool imitates may have this, and the tool does not: said in a header of the reply. */
  isUnsupported?: boolean;
  /** Of control.UNAUTHENTICATED, where it is not a bearer token that is wanted: for `WWW-Authenticate`. */
  challenge?: string;
  operationId?: string;
  evidence?: { sessionId?: string; runId?: string; journalSeq?: number; buildHash?: string };
  cause?: unknown;
}

/** Beside a bundle there may be the module itself, and then the class is there twice (scripts/bundle.mjs): both set this mark. */
const refusalMark = Symbol.for('drillyard.ServiceError');

/** A refusal by code. Nothing was changed. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly extra: Omit<ErrorDetails, 'message' | 'cause'>;

  constructor(code: ErrorCode, { message, cause, ...extra }: ErrorDetails = {}) {
    super(message ?? defaultMessage(code), cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.extra = extra;
  }

  get [refusalMark](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // Of a class that extends this one the mark says nothing.
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked about, this one or one that extends it.
    if (this !== ServiceError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && refusalMark in value;
  }
}

/** Whether this was thrown as a refusal, of one of the codes where any are named. */
export function isServiceError(error: unknown, ...codes: ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && (codes.length === 0 || codes.includes(error.code));
}

/** What the system says where no descriptor is left. */
export const exhaustedCodes: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** An error as it leaves a service. What found no descriptor is no bug: it passes, and a tenant need not know which file it was. */
export function orUnavailable(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string' || !exhaustedCodes.has(code)) return error;
  return new ServiceError('control.UNAVAILABLE', { message: 'The service has too many files open at the moment.', cause: error });
}

/** The body of every error response. Extra properties are allowed by the contract; none are written. */
export interface ErrorEnvelope {
  code: string & tags.Pattern<'^(control|world|cluster)[.][A-Z][A-Z0-9]*(_[A-Z0-9]+)*$'>;
  message: string & tags.MinLength<1>;
  correlationId: string & tags.MinLength<1>;
  retryable: boolean;
  source: 'platform' | 'simulated_provider';
  retryAfterMs?: PositiveCount;
  operationId?: string;
  issues?: Issue[];
  details?: { [key: string]: JsonValue };
  evidence?: { sessionId?: string; runId?: string; journalSeq?: Count; buildHash?: string };
}

/** What crosses a thread: a ServiceError as plain data. */
export interface ErrorFrame {
  code: ErrorCode;
  message: string;
  extra: Omit<ErrorDetails, 'message' | 'cause'>;
}
export function errorToFrame(error: ServiceError): ErrorFrame {
  return { code: error.code, message: error.message, extra: error.extra };
}
export function errorFromFrame(frame: ErrorFrame): ServiceError {
  return new ServiceError(frame.code, { message: frame.message, ...frame.extra });
}
/** Of a value from a process that is not believed, which is JSON: that is all that is known of `details`. */
export function isErrorFrame(value: unknown): value is ErrorFrame {
  if (!isRecord(value)) return false;
  const { code, message, extra } = value;
  return typeof code === 'string' && Object.hasOwn(errorTable, code) && typeof message === 'string' && hasOnly(extra, extraFits);
}
export function isIssue(value: unknown): value is Issue {
  return isRecord(value) && isText(value.path) && isText(value.code) && isText(value.message);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const evidenceFits: { readonly [Name in keyof Required<NonNullable<ErrorDetails['evidence']>>]: (member: unknown) => boolean } = {
  sessionId: isText,
  runId: isText,
  journalSeq: isCount,
  buildHash: isText,
};
/** By member; no other is part of a refusal. */
const extraFits: { readonly [Name in keyof Required<ErrorFrame['extra']>]: (member: unknown) => boolean } = {
  issues: (issues) => Array.isArray(issues) && issues.every(isIssue),
  details: isRecord,
  retryAfterMs: isCount,
  isFinal: isBoolean,
  isUnsupported: isBoolean,
  challenge: isText,
  operationId: isText,
  evidence: (evidence) => hasOnly(evidence, evidenceFits),
};
function hasOnly(value: unknown, fits: { readonly [name: string]: (member: unknown) => boolean }): boolean {
  return isRecord(value) && Object.entries(value).every(([name, member]) => Object.hasOwn(fits, name) && fits[name]!(member));
}

export function errorEnvelope({ code, message, extra }: ServiceError, correlationId: string): ErrorEnvelope {
  const { retryable, source } = errorTable[code];
  const { issues, isFinal = false, isUnsupported: _, challenge: __, ...rest } = extra;
  const shown = issues === undefined ? {} : { issues: issues.slice(0, limits.issuesMax) };
  return { code, message, correlationId, retryable: retryable && !isFinal, source, ...rest, ...shown };
}

/** A broken promise of our own code: the actor ends, the log has the stack. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}

function defaultMessage(code: ErrorCode): string {
  const words = code
    .slice(code.indexOf('.') + 1)
    .toLowerCase()
    .replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}.`;
}
