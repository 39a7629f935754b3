// The codecs of one behavior, run in the realm: what they are given is admitted there, and what they return is checked here before
// anybody sends it.
import { isConnectionHeader, isOriginHeader, isWebLocation } from '../contract/header-rules.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { mintedShape } from '../contract/world/minted-tokens.js';
import type { EncodedMessage } from '../contract/world/wire.js';
import type { DecodeResult, EncodeResult, HandlerFault, MalformedMessage, ToolCodecs } from './loaded-tool.js';
import { type RealmBehavior, threadRealm } from './realm.js';

export function toolCodecs(behavior: RealmBehavior): ToolCodecs {
  const { runCodec } = threadRealm();
  return {
    decodeHttp: (routeId, request) => decoded(runCodec(behavior, 'http', routeId, 'decode', request) as CodecReturn),
    encodeHttp: (routeId, input) => encoded(runCodec(behavior, 'http', routeId, 'encode', input) as CodecReturn, replyFault),
    encodeCallback: (callbackId, input) =>
      encoded(runCodec(behavior, 'callbacks', callbackId, 'encode', input) as CodecReturn, () => undefined),
  };
}

type CodecReturn = { kind: 'value'; value: JsonValue; bytes?: Uint8Array } | HandlerFault;
type Fields = { readonly [name: string]: JsonValue | undefined };

function decoded(result: CodecReturn): DecodeResult {
  if (result.kind === 'thrown' && result.bound !== undefined) return misshapen(result.message);
  if (result.kind !== 'value') return result;
  const { arguments: given, idempotencyKey } = (result.value ?? {}) as Fields;
  if (given === undefined) return misshapen('decode gives { arguments, idempotencyKey? }');
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') return misshapen('the idempotencyKey of decode is a string');
  return idempotencyKey === undefined ? { kind: 'value', arguments: given } : { kind: 'value', arguments: given, idempotencyKey };
}

/** What is wrong with one header, beyond what is so with requests and replies. */
type HeaderFault = (name: string, value: string) => string | undefined;

function encoded(result: CodecReturn, faultOf: HeaderFault): EncodeResult {
  if (result.kind !== 'value') return result;
  const { headers = {}, body, tokens = [] } = (result.value ?? {}) as Fields;
  const encodedBody = isFields(body) ? bodyOf(body, result.bytes) : undefined;
  if (encodedBody === undefined) return misshapen('the body of encode is { kind: empty | json | text | bytes, value?, contentType? }');
  const size = sizeOf(encodedBody);
  if (size > limits.encodedBodyBytesMax)
    return misshapen(`the body of encode has ${size} bytes; ${limits.encodedBodyBytesMax} are the most`);
  const checked = checkedHeaders(headers, encodedBody, faultOf);
  if (typeof checked === 'string') return misshapen(checked);
  if (!areTokens(tokens)) return misshapen(`the tokens of encode are at most ${limits.sealedTokensMax} texts of mintToken`);
  return { kind: 'value', message: { headers: checked, body: encodedBody, ...(tokens.length === 0 ? {} : { tokens }) } };
}

function areTokens(tokens: JsonValue): tokens is string[] {
  if (!Array.isArray(tokens) || tokens.length > limits.sealedTokensMax) return false;
  return tokens.every((token) => typeof token === 'string' && mintedShape.test(token));
}

function bodyOf(
  { kind, value, contentType = 'text/plain; charset=utf-8' }: Fields,
  bytes: Uint8Array | undefined,
): EncodedMessage['body'] | undefined {
  if (kind === 'empty') return { kind };
  if (kind === 'json' && value !== undefined) return { kind, text: JSON.stringify(value) };
  if (typeof contentType !== 'string') return undefined;
  if (kind === 'text' && typeof value === 'string') return { kind, text: value, contentType };
  // A copy in the host's realm.
  if (kind === 'bytes' && bytes !== undefined) return { kind, base64: Buffer.from(bytes).toString('base64'), contentType };
  return undefined;
}

function sizeOf(body: EncodedMessage['body']): number {
  if (body.kind === 'empty') return 0;
  return body.kind === 'bytes' ? Buffer.byteLength(body.base64, 'base64') : Buffer.byteLength(body.text);
}

/** RFC 9110 5.1 and 5.5; of values visible ASCII, so that every server and client writes the same bytes. */
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valueShape = /^[\t\x20-\x7e]*$/;
/** Names in lower case, or what is wrong with them. */
function checkedHeaders(headers: JsonValue, body: EncodedMessage['body'], faultOf: HeaderFault): { [name: string]: string } | string {
  if (!isFields(headers)) return 'the headers of encode are an object of strings';
  const checked: { [name: string]: string } = {};
  let bytes = 0;
  const contentType = body.kind === 'text' || body.kind === 'bytes' ? body.contentType : '';
  if (!valueShape.test(contentType)) return 'the contentType of encode is not visible ASCII';
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!nameShape.test(given)) return `'${given.slice(0, limits.quotedValueCharsMax)}' is no name of a header`;
    if (typeof value !== 'string' || !valueShape.test(value)) return `the header '${name}' is not a string of visible ASCII`;
    if (isConnectionHeader(name)) return `the header '${name}' is the server's own`;
    const fault = faultOf(name, value);
    if (fault !== undefined) return fault;
    if (Object.hasOwn(checked, name)) return `the header '${name}' is there twice`;
    checked[name] = value.trim();
    bytes += name.length + value.length + 4;
  }
  const count = Object.keys(checked).length;
  if (count <= limits.encodedHeadersMax && bytes + contentType.length <= limits.headerBytesMax) return checked;
  return `encode gives ${count} headers of ${bytes} bytes; ${limits.encodedHeadersMax} of ${limits.headerBytesMax} together are the most`;
}

/** Of replies, which browsers may see, from an origin that worlds share. */
function replyFault(name: string, value: string): string | undefined {
  if (isOriginHeader(name)) return `the header '${name}' speaks for all of its origin, so no route may set it`;
  return name === 'location' && !isWebLocation(value) ? `the header 'location' leads to something other than http and https` : undefined;
}

function isFields(value: JsonValue | undefined): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function misshapen(message: string): MalformedMessage {
  return { kind: 'misshapen', message };
}
