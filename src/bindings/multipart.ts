// A body in parts (RFC 2046, RFC 7578, RFC 2387), which is whole already: its parts in order, each with its headers and bytes.
//   MULTIPART-1. What does not end as its boundary says, or has too many parts, is refused whole (control.INVALID_REQUEST).
import busboy from '@fastify/busboy';
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

export function partsOfBody(body: Uint8Array, contentType: string): Promise<BodyPart[]> {
  const boundary = mediaTypeOf(contentType).parameters.get('boundary') ?? '';
  if (!boundaryShape.test(boundary)) return Promise.reject(invalid('The content type names no boundary.'));
  return new Promise((resolve, reject) => {
    const found: { headers: { [name: string]: string }; chunks: Buffer[] }[] = [];
    const parser = new busboy.Dicer({ boundary, maxHeaderPairs: limits.multipartHeadersMax });
    const fail = (message: string): void => {
      reject(invalid(message));
      parser.removeAllListeners('part');
      parser.on('part', (part) => part.on('error', () => {}).resume());
    };
    parser.on('part', (part) => {
      if (found.length >= limits.multipartPartsMax) {
        part.on('error', () => {}).resume();
        fail(`The body has more than ${limits.multipartPartsMax} parts.`);
        return;
      }
      const one: (typeof found)[number] = { headers: Object.create(null), chunks: [] };
      found.push(one);
      part.on('header', (header) => {
        for (const [name, values] of Object.entries(header as unknown as { [name: string]: string[] }))
          one.headers[name] = readable(values.at(-1) ?? '');
      });
      part.on('data', (chunk: Buffer) => one.chunks.push(chunk));
      part.on('error', () => fail('A part of the body does not end.'));
    });
    parser.on('error', () => fail('The body does not end as its boundary says.'));
    parser.on('finish', () => resolve(found.map(({ headers, chunks }) => partOf(headers, Buffer.concat(chunks)))));
    parser.end(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
  });
}

function partOf(headers: { [name: string]: string }, bytes: Buffer): BodyPart {
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
