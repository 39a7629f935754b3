// Errors in Google's envelope: of calls, and of requests that became none.
import type { EncodeInput, JsonValue, RefusalInput, WireMessage, WireReply } from 'drillyard/tool-sdk';
import { argumentWords } from './argument-words.js';
import { maskIn, selected } from './fields.js';

interface Words {
  /** Of HTTP. */
  code: number;
  reason: string;
  status: string;
  domain?: string;
}
const missing: Words = { code: 404, reason: 'notFound', status: 'NOT_FOUND' };
const invalid: Words = { code: 400, reason: 'invalidArgument', status: 'INVALID_ARGUMENT' };
const precondition: Words = { code: 400, reason: 'failedPrecondition', status: 'FAILED_PRECONDITION' };
const forbidden: Words = { code: 403, reason: 'forbidden', status: 'PERMISSION_DENIED' };
const limited: Words = { code: 429, reason: 'rateLimitExceeded', status: 'RESOURCE_EXHAUSTED', domain: 'usageLimits' };
const internal: Words = { code: 500, reason: 'backendError', status: 'INTERNAL' };
const unavailable: Words = { code: 503, reason: 'backendError', status: 'UNAVAILABLE' };

/**
 * By code of the operation, with the status that the manifest gives it. A route that looks for a thing answers 404 where others say that
 * an argument is wrong: `looksFor` below.
 */
const words: { readonly [code: string]: Words } = {
  ACCESS_DENIED: forbidden,
  NOT_GRANTED: { code: 403, reason: 'insufficientPermissions', status: 'PERMISSION_DENIED' },
  TOOL_CALL_BUDGET_EXHAUSTED: { code: 403, reason: 'dailyLimitExceeded', status: 'PERMISSION_DENIED', domain: 'usageLimits' },
  MESSAGE_NOT_FOUND: missing,
  THREAD_NOT_FOUND: missing,
  DRAFT_NOT_FOUND: missing,
  ATTACHMENT_NOT_FOUND: missing,
  HISTORY_EXPIRED: missing,
  LABEL_NOT_FOUND: invalid,
  LABEL_NOT_ASSIGNABLE: invalid,
  LABEL_IS_SYSTEM: invalid,
  LABEL_EXISTS: { code: 409, reason: 'aborted', status: 'ABORTED' },
  QUERY_INVALID: invalid,
  CURSOR_INVALID: invalid,
  INVALID_ARGUMENTS: invalid,
  NO_RECIPIENTS: invalid,
  RECIPIENT_REFUSED: invalid,
  MESSAGE_TOO_LARGE: { code: 413, reason: 'uploadTooLarge', status: 'INVALID_ARGUMENT' },
  SEND_LIMIT_EXCEEDED: limited,
  RATE_LIMITED: limited,
  QUOTA_EXCEEDED: precondition,
  PERIOD_INVALID: invalid,
  BODY_REQUIRED: invalid,
  SMTP_UNAVAILABLE: unavailable,
  SEARCH_UNAVAILABLE: unavailable,
  BACKEND_ERROR: internal,
  GATEWAY_TIMEOUT: { code: 504, reason: 'backendError', status: 'DEADLINE_EXCEEDED' },
};

type Encode = (input: EncodeInput) => WireReply;

/** The reply to a call that succeeded by `shape`; to any other, its error. `looksFor`: codes that are 404 of this route. */
export function replyWith<Value>(shape: (value: Value, input: EncodeInput) => JsonValue, looksFor: readonly string[] = []): Encode {
  return answered((value: Value, input) => {
    const [mask] = input.request.query.fields ?? [];
    const shown = shape(value, input);
    return { kind: 'json', value: mask === undefined ? shown : selected(shown, maskIn(mask)) };
  }, looksFor);
}

/** Nothing but the status. */
export function nothing(looksFor: readonly string[] = []): Encode {
  return answered(() => ({ kind: 'empty' }), looksFor);
}

function answered<Value>(body: (value: Value, input: EncodeInput) => WireMessage['body'], looksFor: readonly string[] = []): Encode {
  return (input) => {
    const { outcome } = input;
    // What the operation has answered is what its output schema says.
    if (outcome.kind === 'ok') return { body: body(outcome.value as Value, input) };
    const { code, message, retryable, details } = outcome.error;
    const said = looksFor.includes(code) ? missing : (words[code] ?? (retryable ? unavailable : internal));
    const headers: { [name: string]: string } = said.code === 429 && retryable ? { 'retry-after': '1' } : {};
    const text = code === 'INVALID_ARGUMENTS' ? argumentWords(details, message, input.invocation.arguments) : message;
    return { headers, ...envelope(said, text) };
  };
}

const refused: { readonly [kind in RefusalInput['kind']]: Omit<Words, 'code'> } = {
  unauthenticated: { reason: 'authError', status: 'UNAUTHENTICATED' },
  not_found: { reason: 'notFound', status: 'NOT_FOUND' },
  method_not_allowed: { reason: 'notFound', status: 'NOT_FOUND' },
  unsupported_media_type: { reason: 'badContent', status: 'INVALID_ARGUMENT' },
  malformed: { reason: 'parseError', status: 'INVALID_ARGUMENT' },
  too_large: { reason: 'uploadTooLarge', status: 'INVALID_ARGUMENT' },
  not_decoded: { reason: 'invalidArgument', status: 'INVALID_ARGUMENT' },
};

export function refuseRequest({ kind, status: code, code: failure, message }: RefusalInput): WireMessage {
  const isUnsupported = kind === 'not_found' || kind === 'method_not_allowed' || failure === 'UNSUPPORTED';
  const headers: { [name: string]: string } = isUnsupported ? { 'x-drillyard-unsupported': '1' } : {};
  if (kind === 'unauthenticated') headers['www-authenticate'] = 'Bearer realm="https://accounts.google.com/", error="invalid_token"';
  return { headers, ...envelope({ ...refused[kind], code }, message.replace(/^The request does not fit route '[^']*': /, '')) };
}

function envelope({ code, reason, status, domain = 'global' }: Words, message: string): WireMessage {
  return { body: { kind: 'json', value: { error: { code, message, errors: [{ message, domain, reason }], status } } } };
}
