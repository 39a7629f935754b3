// What every message that tool code words is held to: its headers, its size, its tokens. Asked of codecs where they run, and once more of
// the host they ran in: tool code may have taken its process over.
import { beginningOf } from '../../text/cut-text.js';
import { isConnectionHeader, isOriginHeader, isWebLocation } from '../header-rules.js';
import { isRecord } from '../json.js';
import { limits } from '../limits.js';
import { countBaseUrls } from './base-url.js';
import type { DeliveryRequest } from './delivery-request.js';
import { mintedShape } from './minted-tokens.js';
import { statusBounds } from './route-status.js';
import type { DraftedMessage, EncodedMessage } from './wire.js';

/** What is wrong with one header, beyond what is so with requests and replies. */
export type HeaderFault = (name: string, value: string) => string | undefined;
/** Headers and tokens as somebody gave them. */
export interface GivenMessage {
  headers: unknown;
  body: DraftedMessage['body'];
  tokens: unknown;
}

/** With names in lower case, or what is wrong with it. */
export function checkedMessage(
  { headers, body, tokens }: GivenMessage,
  { faultOf, bodyBytesMax }: { faultOf: HeaderFault; bodyBytesMax: number },
): DraftedMessage | string {
  const places = [JSON.stringify(headers), ...bodyTexts(body)].reduce((sum, text) => sum + countBaseUrls(text), 0);
  if (places > limits.baseUrlPlacesMax) return `encode names the base URL ${places} times; ${limits.baseUrlPlacesMax} are the most`;
  const size = bodySize(body);
  if (size > bodyBytesMax) return `the body of encode has ${size} bytes; ${bodyBytesMax} are the most`;
  const contentType = 'contentType' in body ? body.contentType : '';
  const checked = checkedHeaders(headers, contentType, { faultOf, most: limits.encodedHeadersMax, bytesMax: limits.headerBytesMax });
  if (typeof checked === 'string') return checked;
  if (!areTokens(tokens)) return `the tokens of encode are at most ${limits.sealedTokensMax} texts of mintToken`;
  return { headers: checked, body, ...(tokens.length === 0 ? {} : { tokens }) };
}

/** Of replies, which browsers may see, from an origin that worlds share. */
export function replyFault(name: string, value: string): string | undefined {
  if (isOriginHeader(name)) return `the header '${name}' speaks for all of its origin, so no route may set it`;
  return name === 'location' && !isWebLocation(value) ? `the header 'location' leads to something other than http and https` : undefined;
}

/** Whether a reply that a host has sent is one that its codecs could have made. */
export function maySend({ status, message }: { status: number; message: EncodedMessage }): boolean {
  const { headers, body, tokens = [] } = message;
  const { least, most } = statusBounds.error;
  if (!Number.isInteger(status) || status < least || status > most) return false;
  if (body.kind === 'events' && body.texts.length > limits.encodedEventsMax) return false;
  // Bytes may be the world's own.
  const bodyBytesMax = body.kind === 'bytes' ? limits.blobReplyBytesMax : limits.encodedBodyBytesMax;
  const checked = checkedMessage({ headers, body, tokens }, { faultOf: replyFault, bodyBytesMax });
  return typeof checked !== 'string' && Object.keys(headers).every((name) => Object.hasOwn(checked.headers, name));
}

/** Whether a callback that a host has sent is one that its world could have worded. */
export function mayDeliver({ headers, bodyBase64 }: DeliveryRequest): boolean {
  if (Buffer.byteLength(bodyBase64, 'base64') > limits.callbackBodyBytesMax) return false;
  // Beside the codec's own: the type of its body, and the id of the delivery.
  const own = { most: limits.encodedHeadersMax + 2, bytesMax: limits.headerBytesMax + ownHeaderBytes };
  const checked = checkedHeaders(headers, '', { faultOf: () => undefined, ...own });
  return typeof checked !== 'string' && Object.keys(headers).every((name) => Object.hasOwn(checked, name));
}
/** Of the two: their names, the longest type that a codec may give, an id. */
const ownHeaderBytes = limits.headerBytesMax;

function areTokens(tokens: unknown): tokens is string[] {
  if (!Array.isArray(tokens) || tokens.length > limits.sealedTokensMax) return false;
  return tokens.every((token) => typeof token === 'string' && mintedShape.test(token));
}

/** RFC 9110 5.1 and 5.5; of values visible ASCII, so that every server and client writes the same bytes. */
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valueShape = /^[\t\x20-\x7e]*$/;
/** Names in lower case, or what is wrong with them. */
function checkedHeaders(
  headers: unknown,
  contentType: string,
  { faultOf, most, bytesMax }: { faultOf: HeaderFault; most: number; bytesMax: number },
): { [name: string]: string } | string {
  if (!isRecord(headers)) return 'the headers of encode are an object of strings';
  const checked: { [name: string]: string } = {};
  let bytes = 0;
  if (!valueShape.test(contentType)) return 'the contentType of encode is not visible ASCII';
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!nameShape.test(given)) return `'${beginningOf(given, limits.quotedValueCharsMax)}' is no name of a header`;
    if (typeof value !== 'string' || !valueShape.test(value)) return `the header '${name}' is not a string of visible ASCII`;
    if (isConnectionHeader(name)) return `the header '${name}' is the server's own`;
    const fault = faultOf(name, value);
    if (fault !== undefined) return fault;
    if (Object.hasOwn(checked, name)) return `the header '${name}' is there twice`;
    checked[name] = value.trim();
    bytes += name.length + value.length + 4;
  }
  const count = Object.keys(checked).length;
  if (count <= most && bytes + contentType.length <= bytesMax) return checked;
  return `encode gives ${count} headers of ${bytes} bytes; ${most} of ${bytesMax} together are the most`;
}

/** What of it is text. */
function bodyTexts(body: DraftedMessage['body']): readonly string[] {
  if (body.kind === 'events') return body.texts;
  return 'text' in body ? [body.text] : [];
}

/** Of what the codec made itself; a blob's bytes are the world's. */
function bodySize(body: DraftedMessage['body']): number {
  switch (body.kind) {
    case 'empty':
    case 'blob':
      return 0;
    case 'bytes':
      return Buffer.byteLength(body.base64, 'base64');
    case 'events':
      return body.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    default:
      return Buffer.byteLength(body.text);
  }
}
