// The Web API: forms, JSON and queries in, JSON with `ok` out. One pair of codecs serves every method; what a member is, text, a number or
// JSON, its name says.
import { type DecodedRequest, type EncodeInput, type HttpRequest, type JsonValue, ToolFailure, type WireReply } from 'drillyard/tool-sdk';
import { filesHost } from '../workspace/shown.js';
import { argumentMessages } from './argument-messages.js';
import { markdownMethods, parameters, unserved } from './parameters.js';

type Members = { [name: string]: JsonValue };

const integers = new Set(['limit', 'count', 'page', 'length', 'post_at']);
const booleans = new Set([
  'inclusive',
  'is_private',
  'exclude_archived',
  'include_num_members',
  'reply_broadcast',
  'return_im',
  'prevent_creation',
  'full',
]);
/** Lists and objects, which a form carries as JSON. */
const structures = new Set(['blocks', 'attachments', 'metadata', 'profile', 'files']);
/** Lists of ids, which JSON carries as lists too. */
const lists = new Set(['users', 'channels', 'types']);

export const codecs = { decode, encode };

function decode({ routeId, query, body }: HttpRequest): DecodedRequest {
  // A method by GET has a route of its own, whose id ends with that.
  const method = Object.hasOwn(parameters, routeId) ? routeId : routeId.replace(/[.]get$/, '');
  const names = namesIn(parameters, method);
  const refused = namesIn(unserved, method);
  const given: Members = {};
  for (const [name, value] of [...pairsIn(query), ...bodyPairs(body)]) {
    if (names.includes(name) && value !== null) given[name] = argumentOf(name, value);
    if (refused.includes(name) && !isOff(value))
      throw new ToolFailure({ code: 'UNSUPPORTED', message: `unsupported argument [json-pointer:/${name}]` });
    if (name === 'markdown_text' && isMarkdown(method) && !isOff(value)) given.text = value;
  }
  return { arguments: given };
}

type Lists = { readonly [method: string]: readonly string[] };
const namesIn = (lists: Lists, method: string): readonly string[] => (Object.hasOwn(lists, method) ? (lists[method] ?? []) : []);
const isMarkdown = (method: string): boolean => markdownMethods.some((one) => one === method);
const isOff = (value: JsonValue): boolean => value === null || value === '' || value === false || value === 'false';

/** `api.test` echoes what it was asked, as text. */
export const echoCodecs = {
  decode: ({ query, body }: HttpRequest): DecodedRequest => {
    const pairs = [...pairsIn(query), ...bodyPairs(body)].filter(([name]) => name !== 'token');
    return { arguments: Object.fromEntries(pairs) };
  },
  encode,
};

function bodyPairs(body: HttpRequest['body']): [string, JsonValue][] {
  if (body.kind === 'form') return pairsIn(body.value);
  if (body.kind === 'multipart')
    return body.parts.flatMap(({ name, text }) => (name === undefined || text === undefined ? [] : [[name, text]]));
  const isObject = body.kind === 'json' && typeof body.value === 'object' && body.value !== null && !Array.isArray(body.value);
  return isObject ? Object.entries(body.value as Members) : [];
}

function pairsIn(group: { readonly [name: string]: readonly string[] }): [string, JsonValue][] {
  return Object.entries(group).flatMap(([name, values]) => (values[0] === undefined ? [] : [[name, values[0]]]));
}

/** What cannot be read stays as it is, so that the operation's schema says so. */
function argumentOf(name: string, value: JsonValue): JsonValue {
  if (lists.has(name) && Array.isArray(value)) return value.join();
  if (typeof value === 'number' && !integers.has(name)) return String(value);
  if (typeof value !== 'string') return value;
  if (integers.has(name) && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (booleans.has(name) && /^(?:true|false|1|0)$/i.test(value)) return /^(?:true|1)$/i.test(value);
  return structures.has(name) ? parsed(value) : value;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** After so many seconds a client may ask again. */
const retryAfterS = '1';

/** Codes that the platform has, in the words of the API. */
const words: { readonly [code: string]: string } = {
  INVALID_ARGUMENTS: 'invalid_arguments',
  NOT_GRANTED: 'missing_scope',
  TOOL_CALL_BUDGET_EXHAUSTED: 'access_denied',
  HANDLER_FAILED: 'internal_error',
  UNDECLARED_ERROR: 'internal_error',
  BOUND_EXCEEDED: 'fatal_error',
};

function encode({ outcome, baseUrl, invocation }: EncodeInput): WireReply {
  if (outcome.kind === 'ok') return json(placed(outcome.value, baseUrl));
  const { code, message, details } = outcome.error;
  const error = words[code] ?? code.toLowerCase();
  const headers: { [name: string]: string } = code === 'RATELIMITED' ? { 'retry-after': retryAfterS } : {};
  if (code === 'NOT_GRANTED') return json({ ok: false, error, needed: scopeOf(invocation.operationId), provided: '' });
  if (code === 'INVALID_ARGUMENTS') return json({ ok: false, error, response_metadata: { messages: argumentMessages(details, message) } });
  return { headers, ...json({ ok: false, error }) };
}

const json = (value: unknown): { body: { kind: 'json'; value: unknown } } => ({ body: { kind: 'json', value } });

/** URLs of files lead to the world. */
function placed(value: JsonValue, baseUrl: string): JsonValue {
  if (typeof value === 'string') return value.startsWith(`${filesHost}/`) ? baseUrl + value.slice(filesHost.length) : value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => placed(item, baseUrl));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value as Members).map(([name, member]) => [name, placed(member, baseUrl)]));
}

const scopes: readonly (readonly [prefix: string, reads: string, writes: string])[] = [
  ['chat.', 'chat:write', 'chat:write'],
  ['conversations.', 'channels:read', 'channels:manage'],
  ['reactions.', 'reactions:read', 'reactions:write'],
  ['users.', 'users:read', 'users:write'],
  ['files.', 'files:read', 'files:write'],
  ['pins.', 'pins:read', 'pins:write'],
  ['reminders.', 'reminders:read', 'reminders:write'],
  ['search.', 'search:read', 'search:read'],
  ['team.', 'team:read', 'team:read'],
];

function scopeOf(operationId: string): string {
  if (operationId === 'conversations.history' || operationId === 'conversations.replies') return 'channels:history';
  const [, reads, writes] = scopes.find(([prefix]) => operationId.startsWith(prefix)) ?? ['', 'identify', 'identify'];
  return /[.](?:list|info|get|members|conversations|lookup-by-email|messages)[^.]*$/.test(operationId) ? reads : writes;
}
