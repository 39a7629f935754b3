// The desk's own HTTP API: JSON both ways. Members are called as in the operations, so a body is the arguments but for what the path says.
import { type EncodeInput, type HttpRequest, ToolFailure, type WireMessage } from 'drillyard/tool-sdk';

export const codecs = { decode, encode };
/** Filters are in the query; those that take several values are lists. */
export const searchCodecs = { decode: decodeSearch, encode };

function decode({ path, headers, body }: HttpRequest) {
  const [idempotencyKey] = headers['idempotency-key'] ?? [];
  const given = body.kind === 'json' ? body.value : {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ToolFailure({ code: 'BODY_INVALID', message: 'The body is a JSON object.' });
  }
  const input = { ...given, ...path };
  return idempotencyKey === undefined ? { arguments: input } : { arguments: input, idempotencyKey };
}

const lists = new Set(['status', 'priority', 'tags']);
const integers = new Set(['limit', 'createdFromUs', 'createdUntilUs']);

function decodeSearch({ query }: HttpRequest) {
  const filters = Object.entries(query).map(([name, values]) => {
    if (lists.has(name)) return [name, values];
    const [text = '', another] = values;
    if (another !== undefined) throw new ToolFailure({ code: 'FILTER_REPEATED', message: `${name} takes one value.` });
    return [name, filterValue(name, text)];
  });
  return { arguments: Object.fromEntries(filters) };
}

function filterValue(name: string, text: string): unknown {
  if (name === 'slaBreached' && /^(?:true|false)$/.test(text)) return text === 'true';
  if ((name === 'assigneeId' || name === 'groupId') && text === 'none') return null;
  return integers.has(name) && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function encode({ outcome }: EncodeInput): WireMessage {
  if (outcome.kind === 'ok') return { body: { kind: 'json', value: outcome.value } };
  const { code, message, details } = outcome.error;
  return { body: { kind: 'json', value: { error: { code, message, ...(details === undefined ? {} : { details }) } } } };
}
