// Notion's own HTTP API: JSON both ways. Members are called as in the operations, so a request's arguments are what its path, query and body
// say, and a reply is the value itself.
import { type EncodeInput, type HttpRequest, type RefusalInput, ToolFailure, type WireMessage, type WireReply } from 'drillyard/tool-sdk';
import { argumentWords } from './argument-words.js';

export const codecs = { decode, encode };

/** Members of a query that are lists. `[]` after the name is how some clients send one. */
const lists = new Set(['filter_properties']);
const integers = new Set(['page_size']);
const retryAfterSeconds = '1';

function decode({ path, query, body }: HttpRequest) {
  const given = body.kind === 'json' ? body.value : {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ToolFailure({ code: 'VALIDATION_ERROR', message: 'body failed validation: body should be an object.' });
  }
  return { arguments: { ...given, ...queryArguments(query), ...path } };
}

function queryArguments(query: HttpRequest['query']): { [name: string]: unknown } {
  const found = Object.entries(query).map(([key, values]): [string, unknown] => {
    const name = argumentOf(key);
    if (lists.has(name)) return [name, values];
    const [value = ''] = values;
    return [name, integers.has(name) && /^\d{1,9}$/.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(found);
}

const argumentOf = (key: string): string => key.replace(/\[\d*\]$/, '');

/** What Notion calls an error: the code of the outcome, but for those that only Drillyard has. */
const codes: { readonly [code: string]: string } = {
  INVALID_ARGUMENTS: 'validation_error',
  NOT_GRANTED: 'restricted_resource',
  TOOL_CALL_BUDGET_EXHAUSTED: 'rate_limited',
  UNKNOWN_OPERATION: 'invalid_request_url',
};
const known = new Set([
  'VALIDATION_ERROR',
  'OBJECT_NOT_FOUND',
  'CONFLICT_ERROR',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
]);

function encode({ outcome, invocation, request, virtualTimeUs }: EncodeInput): WireReply {
  const request_id = requestId(`${invocation.callId} ${virtualTimeUs}`);
  const headers = { 'x-notion-request-id': request_id };
  if (outcome.kind === 'ok') return { headers, body: { kind: 'json', value: { ...(outcome.value as object), request_id } } };
  const { code } = outcome.error;
  const shown = codes[code] ?? (known.has(code) ? code.toLowerCase() : 'internal_server_error');
  const status = statuses[shown] ?? 500;
  const message = code === 'INVALID_ARGUMENTS' ? argumentWords(outcome.error.details, invocation.arguments, givenIn(request)) : undefined;
  const value = { object: 'error', status, code: shown, message: message ?? outcome.error.message, request_id };
  return {
    status,
    headers: { ...headers, ...(status === 429 ? { 'retry-after': retryAfterSeconds } : {}) },
    body: { kind: 'json', value },
  };
}

/** Where a request has an argument. An id has to be in the path, where the path is to have it. */
function givenIn({ method, query }: EncodeInput['request']): (argument: string, isKnown: boolean) => string {
  const inQuery = new Set(Object.keys(query).map(argumentOf));
  const otherwise = method === 'GET' || method === 'DELETE' ? 'query' : 'body';
  return (argument, isKnown) => (inQuery.has(argument) ? 'query' : isKnown && pathArguments.has(argument) ? 'path' : otherwise);
}

const pathArguments = new Set(['page_id', 'block_id', 'database_id', 'data_source_id', 'comment_id', 'user_id', 'property_id']);

const statuses: { readonly [code: string]: number } = {
  validation_error: 400,
  invalid_request_url: 400,
  restricted_resource: 403,
  object_not_found: 404,
  conflict_error: 409,
  rate_limited: 429,
  internal_server_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
};

const refusals: { readonly [kind in RefusalInput['kind']]: readonly [string, string] } = {
  unauthenticated: ['unauthorized', 'API token is invalid.'],
  not_found: ['invalid_request_url', 'Invalid request URL.'],
  method_not_allowed: ['invalid_request_url', 'Invalid request URL.'],
  malformed: ['invalid_json', 'Error parsing JSON body.'],
  unsupported_media_type: ['invalid_json', 'The body of a request is JSON.'],
  too_large: ['validation_error', 'The body of the request is too large.'],
  not_decoded: ['validation_error', ''],
};

export function refuse({ kind, message, status, pathname, virtualTimeUs }: RefusalInput): WireMessage {
  const [code, words] = refusals[kind];
  const value = { object: 'error', status, code, message: words || message, request_id: requestId(`${kind} ${pathname} ${virtualTimeUs}`) };
  return { body: { kind: 'json', value } };
}

/** An id that looks like Notion's and is the same in every run: four FNV-1a sums of what the request was. */
function requestId(seed: string): string {
  const part = (salt: number): string => {
    let hash = (0x811c9dc5 ^ salt) >>> 0;
    for (let at = 0; at < seed.length; at += 1) hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, '0');
  };
  const hex = [1, 2, 3, 4].map(part).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}
