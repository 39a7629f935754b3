// The codecs of one behavior, run in the realm: what they are given is admitted there, and what they return is checked here before
// anybody sends it.
import { isConnectionHeader, isOriginHeader, isWebLocation } from '../contract/header-rules.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { countBaseUrls } from '../contract/world/base-url.js';
import { mintedShape } from '../contract/world/minted-tokens.js';
import type { DraftedMessage } from '../contract/world/wire.js';
import type { DecodeResult, EncodeResult, HandlerFault, MalformedMessage, ToolCodecs, WholeMessage } from './loaded-tool.js';
import { bodySize, bodyTexts, messageBody } from './message-body.js';
import { type RealmBehavior, threadRealm } from './realm.js';

export function toolCodecs(behavior: RealmBehavior): ToolCodecs {
  const { runCodec } = threadRealm();
  return {
    decodeHttp: (routeId, request) => decoded(runCodec(behavior, 'http', routeId, 'decode', request) as CodecReturn),
    encodeHttp: (routeId, input) => reply(runCodec(behavior, 'http', routeId, 'encode', input) as CodecReturn),
    encodeRefusal: (input) =>
      whole('refusal', encoded(runCodec(behavior, 'refusals', 'refuse', 'encode', input) as CodecReturn, replyFault)),
    encodeCallback: (callbackId, input) =>
      whole(
        'callback',
        encoded(runCodec(behavior, 'callbacks', callbackId, 'encode', input) as CodecReturn, () => undefined),
      ),
  };
}

type CodecReturn = { kind: 'value'; value: JsonValue; bytes?: Uint8Array } | HandlerFault;
type Fields = { readonly [name: string]: JsonValue | undefined };

function decoded(result: CodecReturn): DecodeResult {
  if (result.kind === 'thrown' && result.bound !== undefined) return misshapen(result.message);
  if (result.kind !== 'value') return result;
  const { arguments: given, idempotencyKey, streams } = (result.value ?? {}) as Fields;
  if (given === undefined) return misshapen('decode gives { arguments, idempotencyKey?, streams? }');
  if (streams !== undefined && typeof streams !== 'boolean') return misshapen('the streams of decode is a boolean');
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') return misshapen('the idempotencyKey of decode is a string');
  return {
    kind: 'value',
    arguments: given,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(streams === true ? { streams } : {}),
  };
}

/** Neither of them has bytes of the world, or is a stream. */
function whole(what: string, result: EncodeResult): EncodeResult<WholeMessage> {
  if (result.kind !== 'value') return result;
  const { kind } = result.message.body;
  if (kind === 'blob' || kind === 'events') return misshapen(`the body of a ${what} is not of the kind '${kind}'`);
  return result as EncodeResult<WholeMessage>;
}

/** What is wrong with one header, beyond what is so with requests and replies. */
type HeaderFault = (name: string, value: string) => string | undefined;

/** With the status that it chooses. */
function reply(result: CodecReturn): EncodeResult {
  const message = encoded(result, replyFault);
  if (message.kind !== 'value' || result.kind !== 'value') return message;
  const { status } = result.value as Fields;
  if (status === undefined) return message;
  if (typeof status !== 'number') return misshapen('the status of encode is a number');
  return { ...message, status };
}

function encoded(result: CodecReturn, faultOf: HeaderFault): EncodeResult {
  if (result.kind !== 'value') return result;
  const { headers = {}, body, tokens = [] } = (result.value ?? {}) as Fields;
  const encodedBody = messageBody(isFields(body) ? body : {}, result.bytes);
  if (typeof encodedBody === 'string') return misshapen(encodedBody);
  const places = [JSON.stringify(headers), ...bodyTexts(encodedBody)].reduce((sum, text) => sum + countBaseUrls(text), 0);
  if (places > limits.baseUrlPlacesMax)
    return misshapen(`encode names the base URL ${places} times; ${limits.baseUrlPlacesMax} are the most`);
  const size = bodySize(encodedBody);
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

/** RFC 9110 5.1 and 5.5; of values visible ASCII, so that every server and client writes the same bytes. */
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valueShape = /^[\t\x20-\x7e]*$/;
/** Names in lower case, or what is wrong with them. */
function checkedHeaders(headers: JsonValue, body: DraftedMessage['body'], faultOf: HeaderFault): { [name: string]: string } | string {
  if (!isFields(headers)) return 'the headers of encode are an object of strings';
  const checked: { [name: string]: string } = {};
  let bytes = 0;
  const contentType = 'contentType' in body ? body.contentType : '';
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
