// Errors as Zendesk words them: of calls, and of requests that became none.
import type { EncodeInput, JsonValue, RefusalInput, WireMessage, WireReply } from 'drillyard/tool-sdk';
import { argumentWords } from './argument-words.js';

/** Which attribute of the record a code is about, and what is wrong with it. */
const invalidRecords: { readonly [code: string]: readonly [attribute: string, error: string] } = {
  REQUESTER_NOT_FOUND: ['requester', 'BlankValue'],
  AGENT_NOT_FOUND: ['assignee', 'InvalidValue'],
  AGENT_INACTIVE: ['assignee', 'InvalidValue'],
  AGENT_NOT_IN_GROUP: ['assignee', 'InvalidValue'],
  ASSIGNEE_REQUIRED: ['assignee', 'BlankValue'],
  GROUP_NOT_FOUND: ['group', 'InvalidValue'],
  TICKET_CLOSED: ['status', 'InvalidValue'],
  INVALID_TRANSITION: ['status', 'InvalidValue'],
  AUTHOR_NOT_FOUND: ['author', 'InvalidValue'],
  TOO_MANY_TAGS: ['tags', 'TooManyValues'],
  REQUESTER_EXISTS: ['email', 'DuplicateValue'],
};
const others: { readonly [code: string]: string } = {
  TICKET_NOT_FOUND: 'RecordNotFound',
  PERSON_NOT_FOUND: 'RecordNotFound',
  VERSION_CONFLICT: 'UpdateConflict',
  QUERY_INVALID: 'invalid',
  IDEMPOTENCY_KEY_REUSED: 'IdempotentRequestError',
  RATE_LIMITED: 'APIRateLimitExceeded',
  NOT_GRANTED: 'Forbidden',
  TOOL_CALL_BUDGET_EXHAUSTED: 'Forbidden',
  SERVICE_UNAVAILABLE: 'ServiceUnavailable',
  SEARCH_UNAVAILABLE: 'ServiceUnavailable',
  GATEWAY_TIMEOUT: 'GatewayTimeout',
};
const retryAfterS = '1';

/** The reply to a call that succeeded by `shape`; to any other, its error. `looksFor`: codes of a thing that the path names. */
export function replyWith<Value>(
  shape: (value: Value, input: EncodeInput) => JsonValue,
  { looksFor = [], headers = () => ({}) }: { looksFor?: readonly string[]; headers?: (value: Value, input: EncodeInput) => Headers } = {},
): (input: EncodeInput) => WireReply {
  return (input) => {
    const { outcome } = input;
    // What the operation has answered is what its output schema says.
    if (outcome.kind === 'ok') {
      const value = outcome.value as Value;
      return { headers: headers(value, input), body: { kind: 'json', value: shape(value, input) } };
    }
    const { code, message: own, details } = outcome.error;
    const { method } = input.request;
    const message = code === 'INVALID_ARGUMENTS' ? argumentWords(details, own, method === 'GET') : own;
    const limits: Headers = code === 'RATE_LIMITED' ? { 'retry-after': retryAfterS } : {};
    return { headers: limits, body: { kind: 'json', value: errorOf(code, message, method, looksFor) } };
  };
}
type Headers = { [name: string]: string };

function errorOf(code: string, message: string, method: string, looksFor: readonly string[]): JsonValue {
  if (looksFor.includes(code)) return { error: 'RecordNotFound', description: 'Not found' };
  if (code === 'INVALID_ARGUMENTS' && method === 'GET') return { error: { title: 'Invalid attribute', message } };
  const [attribute, error] = invalidRecords[code] ?? (code === 'INVALID_ARGUMENTS' ? ['base', 'InvalidValue'] : []);
  if (attribute !== undefined && error !== undefined) return invalidRecord(attribute, error, message);
  const name = others[code] ?? 'InternalError';
  return { error: name, description: name === 'RecordNotFound' ? 'Not found' : message };
}

function invalidRecord(attribute: string, error: string, message: string): JsonValue {
  const named = attribute === 'base' ? message : `${attribute.charAt(0).toUpperCase()}${attribute.slice(1)}: ${message}`;
  return { error: 'RecordInvalid', description: 'Record validation errors', details: { [attribute]: [{ description: named, error }] } };
}

export function refuseRequest({ kind, message, code }: RefusalInput): WireMessage {
  const isUnknown = kind === 'not_found' || kind === 'method_not_allowed';
  const headers: Headers = isUnknown || code === 'UNSUPPORTED' ? { 'x-drillyard-unsupported': '1' } : {};
  const words = message.replace(/^The request does not fit route '[^']*': /, '');
  return { headers, body: { kind: 'json', value: refusalOf(kind, words) } };
}

function refusalOf(kind: RefusalInput['kind'], message: string): JsonValue {
  switch (kind) {
    case 'unauthenticated':
      return { error: "Couldn't authenticate you" };
    case 'not_found':
    case 'method_not_allowed':
      return { error: 'InvalidEndpoint', description: 'Not found' };
    case 'unsupported_media_type':
      return { error: 'UnsupportedMediaType', description: message };
    case 'too_large':
      return { error: 'RequestEntityTooLarge', description: message };
    case 'malformed':
      return { error: 'MalformedRequest', description: message };
    case 'not_decoded':
      return invalidRecord('base', 'InvalidValue', message);
  }
}
