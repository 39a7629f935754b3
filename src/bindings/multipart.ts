// A body in parts (RFC 2046, RFC 7578, RFC 2387), which is whole already: its parts in order, each with its headers and bytes.
//   MULTIPART-1. What is not read whole is refused whole (control.INVALID_REQUEST): a body that does not end as its boundary says, header
//     fields that do not end or are none, too many of them or of parts, a part of a form without a name.
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { mediaTypeOf } from './media-type.js';

export interface BodyPart {
  name: string | undefined;
  filename: string | undefined;
  /** Without parameters; '' where the part says none. */
  contentType: string;
  headers: { [name: string]: string };
  bytes: Buffer;
}
/** RFC 2046 5.1.1. */
const boundaryShape = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

const lineEnd = '\r\n';
const [tab, blank, dash] = Buffer.from('\t -');
const headerShape = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]?(.*)$/;

export function partsOfBody(body: Uint8Array, contentType: string): BodyPart[] {
  const { type, parameters } = mediaTypeOf(contentType);
  const boundary = parameters.get('boundary') ?? '';
  if (!boundaryShape.test(boundary)) throw invalid('The content type names no boundary.');
  const parts: BodyPart[] = [];
  for (const piece of piecesOf(Buffer.from(body.buffer, body.byteOffset, body.byteLength), boundary)) {
    if (parts.length >= limits.multipartPartsMax) throw invalid(`The body has more than ${limits.multipartPartsMax} parts.`);
    const part = partOf(piece);
    if (type === 'multipart/form-data' && part.name === undefined) throw invalid('A part of the form has no name.');
    parts.push(part);
  }
  return parts;
}

/** What stands between two lines of the boundary. What stands before the first and behind the last is no part. */
function* piecesOf(bytes: Buffer, boundary: string): Generator<Buffer> {
  const line = `--${boundary}`;
  const delimiter = Buffer.from(lineEnd + line);
  // A body may begin with it.
  let end = bytes.toString('latin1', 0, line.length) === line ? -lineEnd.length : found(bytes.indexOf(delimiter));
  for (;;) {
    let from = end + delimiter.length;
    if (bytes[from] === dash && bytes[from + 1] === dash) return;
    while (bytes[from] === blank || bytes[from] === tab) from += 1;
    // RFC 2046 5.1.1: no line of a part may begin so.
    if (bytes.toString('latin1', from, from + lineEnd.length) !== lineEnd)
      throw invalid('A line of the body begins with the boundary, and does not end behind it.');
    from += lineEnd.length;
    end = found(bytes.indexOf(delimiter, from));
    yield bytes.subarray(from, end);
  }
}
function found(place: number): number {
  if (place < 0) throw invalid('The body does not end as its boundary says.');
  return place;
}

function partOf(piece: Buffer): BodyPart {
  const { head, bytes } = halvesOf(piece);
  const headers = headersOf(head);
  const { parameters } = mediaTypeOf(headers['content-disposition'] ?? '');
  const plain = parameters.get('filename');
  return {
    name: unescaped(parameters.get('name')),
    filename: extended(parameters.get('filename*')) ?? unescaped(plain),
    contentType: mediaTypeOf(headers['content-type'] ?? '').type,
    headers,
    bytes,
  };
}

/** A part may have no header fields, and it may have nothing but them. */
function halvesOf(piece: Buffer): { head: Buffer; bytes: Buffer } {
  const [none, size] = [piece.subarray(0, 0), lineEnd.length];
  if (piece.length === 0 || piece.indexOf(lineEnd) === 0) return { head: none, bytes: piece.subarray(size) };
  const end = piece.indexOf(lineEnd + lineEnd);
  if (end >= 0) return { head: piece.subarray(0, end), bytes: piece.subarray(end + 2 * size) };
  if (piece.subarray(-size).equals(Buffer.from(lineEnd))) return { head: piece.subarray(0, -size), bytes: none };
  throw invalid('The header fields of a part do not end.');
}

function headersOf(head: Buffer): BodyPart['headers'] {
  const headers: BodyPart['headers'] = Object.create(null);
  if (head.length === 0) return headers;
  if (head.length > limits.multipartHeaderBytesMax)
    throw invalid(`The header fields of a part have more than ${limits.multipartHeaderBytesMax} bytes.`);
  let count = 0;
  let last = '';
  for (const line of head.toString('latin1').split(lineEnd)) {
    const [, name, value] = headerShape.exec(line) ?? [];
    if (name !== undefined) {
      count += 1;
      last = name.toLowerCase();
      headers[last] = value as string;
    } else if (count > 0 && /^[ \t].*$/.test(line)) headers[last] += line;
    else throw invalid('A header field of a part is not well-formed.');
  }
  if (count > limits.multipartHeadersMax) throw invalid(`A part has more than ${limits.multipartHeadersMax} header fields.`);
  for (const name in headers) headers[name] = readable(headers[name] as string);
  return headers;
}

/** Header lines come as bytes, one a character; clients write UTF-8. */
function readable(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
/** As WHATWG HTML 4.10.21.8 writes names. */
function unescaped(text: string | undefined): string | undefined {
  return text?.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}
/** RFC 8187. */
function extended(text: string | undefined): string | undefined {
  const value = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')?.[1];
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', { message });
}
