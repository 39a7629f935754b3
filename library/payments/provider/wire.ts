// The provider's own HTTP API: forms in, JSON out, snake_case, as hosted payment services have it. One pair of codecs serves every route: what
// a field is called is the only difference between the two sides.
import { type EncodeInput, type HttpRequest, ToolFailure, type WireMessage } from 'drillyard/tool-sdk';

type Lists = { readonly [name: string]: readonly string[] };

/** What the API calls otherwise than snake_case would. */
const parameterNames = new Map([
  ['customer', 'customerId'],
  ['charge', 'chargeId'],
  ['refund', 'refundId'],
  ['source', 'token'],
]);
const memberNames = new Map([
  ['customerId', 'customer'],
  ['chargeId', 'charge'],
  ['sourceId', 'source'],
]);
const integers = new Set(['amount', 'limit', 'createdFromUs', 'createdUntilUs']);
const objects = new Map([
  ['cus', 'customer'],
  ['ch', 'charge'],
  ['re', 'refund'],
  ['po', 'payout'],
  ['led', 'ledger_entry'],
]);

export const codecs = { decode, encode };

function decode({ path, query, headers, body }: HttpRequest) {
  const parameters = [path, query, body.kind === 'form' ? body.value : {}].map((group) => argumentsIn(group));
  const [idempotencyKey] = headers['idempotency-key'] ?? [];
  const given = Object.assign({}, ...parameters) as object;
  return idempotencyKey === undefined ? { arguments: given } : { arguments: given, idempotencyKey };
}

/** A name that nobody knows stays, so that the operation's schema says so; so does text that is no number where one is wanted. */
function argumentsIn(group: Lists | HttpRequest['path']): object {
  const given: { [name: string]: unknown } = {};
  const metadata: { [name: string]: string } = {};
  for (const [name, values] of Object.entries(group)) {
    const [value, another] = typeof values === 'string' ? [values] : values;
    if (value === undefined) continue;
    if (another !== undefined) throw new ToolFailure({ code: 'PARAMETER_REPEATED', message: `${name} is given more than once.` });
    const label = /^metadata\[([^\]]+)\]$/.exec(name)?.[1];
    if (label !== undefined) metadata[label] = value;
    else {
      const argument = parameterNames.get(name) ?? camelCase(name);
      given[argument] = parameterValue(argument, value);
    }
  }
  return Object.keys(metadata).length === 0 ? given : { ...given, metadata };
}

function parameterValue(argument: string, text: string): unknown {
  if (argument === 'capture' && /^(?:true|false)$/.test(text)) return text === 'true';
  return integers.has(argument) && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function encode({ outcome }: EncodeInput): WireMessage {
  if (outcome.kind === 'ok') return { body: { kind: 'json', value: shown(outcome.value) } };
  const { code, message, retryable, details } = outcome.error;
  const type = retryable ? 'api_error' : 'invalid_request_error';
  return {
    body: { kind: 'json', value: { error: { type, code: code.toLowerCase(), message, ...(details === undefined ? {} : { details }) } } },
  };
}

/** Lists get the shape of a list, things the name of what they are. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const { items, hasMore = false, ...members } = value as { items?: unknown; hasMore?: unknown; id?: unknown; metadata?: unknown };
  if (items !== undefined) return { object: 'list', data: shown(items), has_more: hasMore };
  const named = Object.entries(members).map(([name, member]) => [
    memberNames.get(name) ?? snakeCase(name),
    name === 'metadata' ? member : shown(member),
  ]);
  const object = typeof members.id === 'string' ? objects.get(members.id.split('_')[0] as string) : undefined;
  return object === undefined ? Object.fromEntries(named) : { object, ...Object.fromEntries(named) };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
