// Tokens that tools mint, on their way through a wire route: a request's are taken out of their seals before decode sees them, and a
// reply's are sealed after encode has named them.
import type { JsonValue } from '../contract/json.js';
import type { EncodedMessage, WireBody, WireRequest } from '../contract/world/wire.js';
import { sealToken, unsealed } from './sealed-token.js';
import { createReplacer } from './token-search.js';
import type { TokenKey } from './token-table.js';

/** The request with minted texts in place of sealed ones, and a list of them; `credential`: the one that it came with. */
export function unsealedRequest(request: WireRequest, keys: readonly TokenKey[], credential: string | undefined): WireRequest {
  const tokens = new Set<string>();
  const clear = (text: string): string => unsealed(text, keys, (minted) => tokens.add(minted));
  const seen = {
    ...request,
    headers: eachIn(request.headers, clear),
    query: eachIn(request.query, clear),
    body: clearBody(request.body, clear),
  };
  return {
    ...seen,
    ...(credential === undefined ? {} : { credential }),
    ...(tokens.size === 0 ? {} : { tokens: [...tokens] }),
  };
}

/** What leaves. The texts that encode names are sealed wherever they stand. */
export function sealedMessage({ tokens = [], ...message }: EncodedMessage, key: TokenKey | undefined): EncodedMessage {
  if (tokens.length === 0 || key === undefined) return message;
  const close = createReplacer(new Map(tokens.map((minted) => [minted, sealToken(minted, key)])));
  const { body } = message;
  return {
    headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, close(value)])),
    body: body.kind === 'json' || body.kind === 'text' ? { ...body, text: close(body.text) } : body,
  };
}

type Lists = { [name: string]: string[] };
function eachIn(lists: Lists, change: (text: string) => string): Lists {
  const changed: Lists = Object.create(null);
  for (const name in lists) changed[name] = (lists[name] as string[]).map(change);
  return changed;
}

function clearBody(body: WireBody, clear: (text: string) => string): WireBody {
  switch (body.kind) {
    case 'form':
      return { ...body, value: eachIn(body.value, clear) };
    case 'text':
      return { ...body, value: clear(body.value) };
    case 'json':
      return { ...body, value: clearJson(body.value, clear) };
    default:
      return body;
  }
}

function clearJson(value: JsonValue, clear: (text: string) => string): JsonValue {
  if (typeof value === 'string') return clear(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => clearJson(item, clear));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clearJson(item, clear)]));
}
