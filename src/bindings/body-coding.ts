// The codings of a request's body, taken off from the outside in: aws-chunked, which some stores use to sign a body in pieces, then gzip or
// deflate. What comes out is bounded before it is made.
//   BODY-CODING-1. A body that is not what its coding says is refused whole (control.INVALID_REQUEST), whatever its bytes are.
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { ServiceError } from '../contract/errors.js';
import { isConnectionHeader } from '../contract/header-rules.js';
import { limits } from '../contract/limits.js';
import { tooLarge } from '../http/body-collector.js';
import type { ServerRequest } from '../http/server.js';

/** `passed`: codings that stay, for the tool to know. */
export interface BodyCodings {
  isAwsChunked: boolean;
  compression: 'gzip' | 'deflate' | undefined;
}
export interface DecodedBody {
  bytes: Uint8Array;
  /** After an aws-chunked body; names in lower case. */
  trailers: { [name: string]: string };
}

/** `keepsCompression`: bytes stay as their sender compressed them. Throws control.UNSUPPORTED_MEDIA_TYPE. */
export function bodyCodings({ headers }: ServerRequest, { keepsCompression }: { keepsCompression: boolean }): BodyCodings {
  const transfer = headers.get('transfer-encoding')?.toLowerCase() ?? 'chunked';
  const codings = (headers.get('content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const named = codings.filter((name) => name !== '' && name !== 'identity');
  const isAwsChunked = named.includes('aws-chunked') || (headers.get('x-amz-content-sha256') ?? '').startsWith('STREAMING-');
  const rest = named.filter((name) => name !== 'aws-chunked');
  const [first] = rest;
  if (transfer === 'chunked' && keepsCompression) return { isAwsChunked, compression: undefined };
  if (transfer === 'chunked' && rest.length <= 1) {
    if (first === undefined) return { isAwsChunked, compression: undefined };
    if (first === 'gzip' || first === 'x-gzip') return { isAwsChunked, compression: 'gzip' };
    if (first === 'deflate') return { isAwsChunked, compression: 'deflate' };
  }
  throw new ServiceError('control.UNSUPPORTED_MEDIA_TYPE', { message: 'A body may be compressed once, as gzip or deflate.' });
}

/** Throws control.INVALID_REQUEST, and control.PAYLOAD_TOO_LARGE where more than `bytesMax` would come out. */
export async function decodeBody(
  sent: Uint8Array,
  { isAwsChunked, compression }: BodyCodings,
  { request, bytesMax }: { request: ServerRequest; bytesMax: number },
): Promise<DecodedBody> {
  const plain = isAwsChunked ? withoutChunks(sent, request.headers.get('x-amz-decoded-content-length')) : { bytes: sent, trailers: {} };
  if (plain.bytes.byteLength > bytesMax) throw tooLarge(bytesMax);
  if (compression === undefined) return plain;
  return { ...plain, bytes: await decompressed(plain.bytes, compression, bytesMax) };
}

const expand = { gzip: promisify(gunzip), deflate: promisify(inflate) };

async function decompressed(bytes: Uint8Array, compression: 'gzip' | 'deflate', bytesMax: number): Promise<Uint8Array> {
  try {
    return await expand[compression](bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(bytesMax);
    throw invalid(`The body is not ${compression}.`);
  }
}

const lineEnd = Buffer.from('\r\n');
const chunkHead = /^([0-9a-fA-F]{1,8})(?:;[\x20-\x7e]*)?$/;

/** Signatures of chunks and trailers are not checked here. */
function withoutChunks(sent: Uint8Array, declared: string | undefined): DecodedBody {
  const body = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
  const chunks: Buffer[] = [];
  let at = 0;
  const line = (): string => {
    const end = body.indexOf(lineEnd, at);
    if (end < 0 || end - at > limits.headerBytesMax) throw invalid('The body is not aws-chunked: a line does not end.');
    const text = body.toString('latin1', at, end);
    at = end + lineEnd.length;
    return text;
  };
  for (;;) {
    const head = chunkHead.exec(line());
    if (head === null) throw invalid('The body is not aws-chunked: a chunk has no length.');
    const length = Number.parseInt(head[1] as string, 16);
    if (length === 0) break;
    if (at + length + lineEnd.length > body.length) throw invalid('The body is not aws-chunked: a chunk is cut.');
    chunks.push(body.subarray(at, at + length));
    at += length;
    if (line() !== '') throw invalid('The body is not aws-chunked: a chunk is longer than it says.');
  }
  const trailers = trailersOf(line, () => at >= body.length);
  if (at < body.length) throw invalid('The body is not aws-chunked: something follows its end.');
  const bytes = Buffer.concat(chunks);
  if (declared !== undefined && declared !== String(bytes.length))
    throw invalid(`The body has ${bytes.length} bytes, and x-amz-decoded-content-length says otherwise.`);
  return { bytes, trailers };
}

function trailersOf(line: () => string, isOver: () => boolean): { [name: string]: string } {
  const trailers: { [name: string]: string } = Object.create(null);
  for (let count = 0; !isOver(); count++) {
    const text = line();
    if (text === '') break;
    const found = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e]*)$/.exec(text);
    if (found === null || count >= limits.wireTrailersMax) throw invalid('The trailers of the body are not well formed.');
    const name = (found[1] as string).toLowerCase();
    if (!isConnectionHeader(name)) trailers[name] = (found[2] as string).trim();
  }
  return trailers;
}

function invalid(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
