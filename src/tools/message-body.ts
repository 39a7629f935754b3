// The body of what a codec encodes, checked and put into the form in which it is sent.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { digestIn } from '../contract/world/blob-reference.js';
import type { DraftedMessage } from '../contract/world/wire.js';

type Body = DraftedMessage['body'];
type Fields = { readonly [name: string]: JsonValue | undefined };

/** A text says what is wrong with it. `bytes`: the value of a body of that kind, which is no JSON. */
export function messageBody(body: Fields, bytes: Uint8Array | undefined): Body | string {
  switch (body.kind) {
    case 'blob':
      return blobBody(body);
    case 'events':
      return eventsBody(body);
    default:
      return wholeBody(body, bytes) ?? 'the body of encode is { kind: empty | json | text | bytes | blob | events, value?, contentType? }';
  }
}

function wholeBody({ kind, value, contentType = 'text/plain; charset=utf-8' }: Fields, bytes: Uint8Array | undefined): Body | undefined {
  if (kind === 'empty') return { kind };
  if (kind === 'json' && value !== undefined) return { kind, text: JSON.stringify(value) };
  if (typeof contentType !== 'string') return undefined;
  if (kind === 'text' && typeof value === 'string') return { kind, text: value, contentType };
  // A copy in the host's realm.
  if (kind === 'bytes' && bytes !== undefined) return { kind, base64: Buffer.from(bytes).toString('base64'), contentType };
  return undefined;
}

function blobBody({ value, range = {}, contentType }: Fields): Body | string {
  const digest = digestIn(value);
  const type = contentType ?? (value as Fields | undefined)?.contentType;
  const { from = 0, length } = (range ?? {}) as Fields;
  if (digest === undefined || typeof type !== 'string') return 'the value of a blob body is { digest, length, contentType }';
  if (!isCount(from) || (length !== undefined && !isCount(length))) return 'the range of a blob body is { from?, length? }, both 0 or more';
  return { kind: 'blob', digest, from, ...(length === undefined ? {} : { length }), contentType: type };
}
const isCount = (value: JsonValue | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function eventsBody({ value }: Fields): Body | string {
  if (!Array.isArray(value)) return 'the value of an events body is a list of { event?, id?, retry?, data }';
  if (value.length > limits.encodedEventsMax) return `encode gives ${value.length} events; ${limits.encodedEventsMax} are the most`;
  const texts: string[] = [];
  for (const [place, event] of value.entries()) {
    const text = eventText(event);
    if (text === undefined) return `event ${place} is { event?, id?, retry?, data }: lines without breaks, a count, and any data`;
    texts.push(text);
  }
  return { kind: 'events', texts };
}

/** As WHATWG HTML 9.2.5 has a client read it. */
function eventText(given: JsonValue): string | undefined {
  if (!isJsonObject(given)) return undefined;
  const { event, id, retry, data } = given as Fields;
  if (data === undefined || !isLine(event) || !isLine(id) || (retry !== undefined && !isCount(retry))) return undefined;
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(typeof data === 'string' ? data : JSON.stringify(data)).split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ];
  return `${lines.join('\n')}\n\n`;
}
const isLine = (value: JsonValue | undefined): boolean => value === undefined || (typeof value === 'string' && !/[\r\n\0]/.test(value));
