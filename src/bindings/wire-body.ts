// The body of a request to a wire route, as its manifest says it is: checked, read whole, decoded.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { RequestBodyKind } from '../contract/world/tool-manifest.js';
import type { MultipartSubtype, OfferedBlob, WireBody, WirePart, WireRoute } from '../contract/world/wire.js';
import { declaresBody, requireSize } from '../http/guards.js';
import { jsonOf, readJsonBody } from '../http/json-body.js';
import { parseLists } from '../http/query.js';
import { bodyBytesOf } from '../http/router.js';
import type { ServerRequest } from '../http/server.js';
import { bodyCodings, type DecodedBody, decodeBody } from './body-coding.js';
import { bodyKind } from './body-kind.js';
import { mediaTypeOf } from './media-type.js';
import { type BodyPart, partsOfBody } from './multipart.js';
import { OfferedBlobs } from './offered-blobs.js';

type Kind = RequestBodyKind;
export interface ReceivedBody {
  body: WireBody;
  /** What `body` refers to. */
  blobs: OfferedBlob[];
  trailers: { [name: string]: string };
}
export interface BodyPlan {
  kind: Kind;
  /** Bytes that its reader will hold, as it is declared; 0 where none is read. */
  bytes: number;
  /** With bytes in it: one of `wireBodyBytesMax`, which has a budget of its own. */
  isLarge: boolean;
  read(): Promise<ReceivedBody>;
}

/** Before anything of it is read: refuses what cannot be right. A route without a body reads none; one with a body may be sent none. */
export function planBody(request: ServerRequest, requestBody: WireRoute['requestBody']): BodyPlan {
  const isEmpty = requestBody === 'none' || !declaresBody(request);
  const contentType = request.headers.get('content-type');
  const kind = bodyKind(requestBody, contentType, isEmpty);
  if (isEmpty) return { kind, bytes: 0, isLarge: false, read: () => empty(kind, contentType) };
  const isLarge = kind === 'bytes' || kind === 'multipart';
  const bytesMax = isLarge ? limits.wireBodyBytesMax : limits.bodyBytesMax;
  const codings = bodyCodings(request, { keepsCompression: kind === 'bytes' });
  const sentMax = bytesMax + (codings.isAwsChunked ? limits.wireFramingBytesMax : 0);
  requireSize(request, sentMax);
  const isPlain = !codings.isAwsChunked && codings.compression === undefined;
  const held = isPlain ? bodyBytesOf(request, { bytesMax }) : sentMax;
  const read = async (): Promise<ReceivedBody> => {
    if (isJson(kind) && isPlain) return small({ kind: 'json', value: await readJsonBody(request, bytesMax, limits.wireJsonDepthMax) });
    const decoded = await decodeBody(await request.body(sentMax), codings, { request, bytesMax });
    return { ...(await bodyOf(kind, decoded, contentType)), trailers: decoded.trailers };
  };
  return { kind, bytes: held, isLarge, read };
}

const isJson = (kind: Kind): boolean => kind === 'json' || kind === 'any_json';
const small = (body: WireBody): ReceivedBody => ({ body, blobs: [], trailers: {} });

/** An empty form, an empty text and no bytes are what they are; there is no empty JSON, and nothing in no parts. */
async function empty(kind: Kind, contentType: string | undefined): Promise<ReceivedBody> {
  if (kind === 'form') return small({ kind, value: {} });
  if (kind === 'text') return small({ kind, value: '' });
  return kind === 'bytes' ? bytesBody(new Uint8Array(), contentType) : small({ kind: 'none' });
}

async function bodyOf(kind: Kind, { bytes }: DecodedBody, contentType: string | undefined): Promise<ReceivedBody> {
  switch (kind) {
    case 'none':
      return small({ kind });
    case 'json':
    case 'any_json':
      return small({ kind: 'json', value: jsonOf(bytes, limits.wireJsonDepthMax) });
    case 'form':
      return small({ kind, value: formOf(textOf(bytes, 'The body')) });
    case 'text':
      return small({ kind, value: textOf(bytes, 'The body') });
    case 'bytes':
      return bytesBody(bytes, contentType);
    case 'multipart':
      return multipartBody(bytes, contentType ?? '');
  }
}

async function bytesBody(bytes: Uint8Array, contentType: string | undefined): Promise<ReceivedBody> {
  const blobs = new OfferedBlobs();
  const value = await blobs.add(bytes, contentType);
  return { body: { kind: 'bytes', value }, blobs: blobs.list(), trailers: {} };
}

async function multipartBody(bytes: Uint8Array, contentType: string): Promise<ReceivedBody> {
  const subtype = mediaTypeOf(contentType).type.slice('multipart/'.length) as MultipartSubtype;
  const blobs = new OfferedBlobs();
  const parts: WirePart[] = [];
  let textBytes = 0;
  for (const part of partsOfBody(bytes, contentType)) {
    const { name, filename, headers, contentType: type } = part;
    const named = { ...(name === undefined ? {} : { name }), ...(filename === undefined ? {} : { filename }), contentType: type, headers };
    if (isText(part, subtype)) {
      textBytes += part.bytes.length;
      if (textBytes > limits.multipartTextBytesMax)
        throw invalid(`Parts that are text have more than ${limits.multipartTextBytesMax} bytes.`);
      parts.push({ ...named, text: textOf(part.bytes, 'A part that is text') });
    } else parts.push({ ...named, bytes: await blobs.add(part.bytes, headers['content-type']) });
  }
  return { body: { kind: 'multipart', subtype, parts }, blobs: blobs.list(), trailers: {} };
}

/** A field of a form, and what is said to be JSON; a file is bytes, whatever is in it. */
function isText({ filename, contentType }: BodyPart, subtype: MultipartSubtype): boolean {
  return subtype === 'form-data' ? filename === undefined : /^application\/(?:[^\s;]+\+)?json$/.test(contentType);
}

function textOf(bytes: Uint8Array, what: string): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  throw invalid(`${what} is not UTF-8.`);
}

function formOf(text: string): { [name: string]: string[] } {
  const form = parseLists(text);
  if (form !== undefined) return form;
  throw invalid('The body is not percent-encoded UTF-8.');
}

function invalid(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
