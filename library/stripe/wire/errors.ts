// Errors and refusals in Stripe's words.
import type { EncodeInput, JsonValue, RefusalInput, WireMessage } from 'drillyard/tool-sdk';

type Members = { readonly [name: string]: JsonValue };
interface CallError {
  readonly code: string;
  readonly message: string;
  readonly details?: JsonValue;
}

/** Codes whose type is no `invalid_request_error`. */
const types: { readonly [code: string]: string } = {
  CARD_DECLINED: 'card_error',
  CARD_NUMBER_INVALID: 'card_error',
  PROCESSING_ERROR: 'card_error',
  INVOICE_PAYMENT_INTENT_REQUIRES_ACTION: 'card_error',
  API_ERROR: 'api_error',
  HANDLER_FAILED: 'api_error',
  BOUND_EXCEEDED: 'api_error',
  UNDECLARED_ERROR: 'api_error',
  IDEMPOTENCY_KEY_REUSED: 'idempotency_error',
};
/** Errors that Stripe gives no code. */
const withoutCode = new Set([
  'INVALID_REQUEST',
  'CHANGE_NOT_SERVED',
  'API_ERROR',
  'NOT_GRANTED',
  'IDEMPOTENCY_KEY_REUSED',
  'HANDLER_FAILED',
]);

type Refused = Exclude<EncodeInput['outcome'], { kind: 'ok' }>;

export function errorBody({ error }: Refused): Members {
  const { in_path: _, ...members } = membersOf(error.details);
  return {
    type: types[error.code] ?? 'invalid_request_error',
    ...(withoutCode.has(error.code) ? {} : { code: error.code.toLowerCase(), doc_url: docUrl(error.code) }),
    message: messageOf(error),
    ...members,
  };
}

/** The status where the code alone does not say it: an id that is missing in the path is 404, one in a parameter 400. */
export function statusOf({ error }: Refused): number | undefined {
  if (error.code !== 'RESOURCE_MISSING') return undefined;
  return membersOf(error.details).in_path === true ? 404 : 400;
}

/** Of a request for another account than the key's own. */
export const accountError = (account: string): Members => ({
  type: 'invalid_request_error',
  code: 'account_invalid',
  doc_url: docUrl('account_invalid'),
  message: `The provided key does not have access to account '${account}' (or that account does not exist). Application access may have been revoked.`,
});

function messageOf({ code, message }: CallError): string {
  if (code === 'IDEMPOTENCY_KEY_REUSED')
    return 'Keys for idempotent requests can only be used with the same parameters they were first used with.';
  if (code === 'NOT_GRANTED') return 'The provided key does not have the required permissions for this endpoint.';
  return message;
}

export const docUrl = (code: string): string => `https://stripe.com/docs/error-codes/${code.toLowerCase().replaceAll('_', '-')}`;

function membersOf(details: JsonValue | undefined): Members {
  return details !== undefined && details !== null && typeof details === 'object' && !Array.isArray(details) ? (details as Members) : {};
}

type Request = Pick<RefusalInput, 'kind' | 'method' | 'pathname'> & { readonly message?: string };

export function refuseRequest({ kind, method, pathname, message = '' }: Request): WireMessage {
  const text = {
    unauthenticated: 'Invalid API Key provided.',
    not_found: `Unrecognized request URL (${method}: ${pathname}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    method_not_allowed: `Unrecognized request URL (${method}: ${pathname}).`,
    unsupported_media_type: 'Invalid request: the content type is application/x-www-form-urlencoded.',
    malformed: `Invalid request: ${message}`,
    too_large: 'Invalid request: the body is too large.',
    not_decoded: message.replace(/^The request does not fit route '[^']*': /, ''),
  }[kind];
  return { body: { kind: 'json', value: { error: { message: text, type: 'invalid_request_error' } } } };
}
