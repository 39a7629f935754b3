// The body of a request to a wire route, as its manifest says it is: checked, read whole, decoded.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { WireBody, WireRoute } from '../contract/world/wire.js';
import { declaresBody, isPlainBody, requireSize } from '../http/guards.js';
import { readJsonBody } from '../http/json-body.js';
import { parseLists } from '../http/query.js';
import type { ServerRequest } from '../http/server.js';

type Kind = WireRoute['requestBody'];

/** Asks for the body before its first await. What a route without a body is sent is not read; a route with one may be sent none. */
export function readWireBody(request: ServerRequest, kind: Kind): WireBody | Promise<WireBody> {
  if (kind === 'none' || !declaresBody(request)) return empty(kind);
  requireSize(request, limits.bodyBytesMax);
  requireType(request, kind);
  switch (kind) {
    case 'json':
      return readJsonBody(request, limits.bodyBytesMax).then((value) => ({ kind, value }));
    case 'form':
      return readText(request).then((text) => ({ kind, value: formOf(text) }));
    case 'text':
      return readText(request).then((value) => ({ kind, value }));
  }
}

/** An empty form and an empty text are what they are; there is no empty JSON. */
function empty(kind: Kind): WireBody {
  if (kind === 'form') return { kind, value: {} };
  return kind === 'text' ? { kind, value: '' } : { kind: 'none' };
}

const types: { readonly [kind in Exclude<Kind, 'none'>]: { shape: RegExp; words: string } } = {
  json: { shape: /^application\/(?:[^\s;]+\+)?json$/i, words: 'JSON' },
  form: { shape: /^application\/x-www-form-urlencoded$/i, words: 'application/x-www-form-urlencoded' },
  text: { shape: /^(?:[^\s;/]+\/[^\s;/]+)?$/, words: 'text' },
};

function requireType(request: ServerRequest, kind: keyof typeof types): void {
  const { shape, words } = types[kind];
  const [type = '', ...parameters] = (request.headers.get('content-type') ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter));
  const plain = isPlainBody(request);
  if (plain && shape.test(type) && (charset === undefined || /^charset\s*=\s*"?(?:utf-8|us-ascii)"?$/i.test(charset))) return;
  throw new ServiceError('control.UNSUPPORTED_MEDIA_TYPE', {
    message: `The body must be ${words} in UTF-8${plain ? '' : ', not compressed'}.`,
  });
}

async function readText(request: ServerRequest): Promise<string> {
  const bytes = await request.body(limits.bodyBytesMax);
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  throw new ServiceError('control.INVALID_REQUEST', { message: 'The body is not UTF-8.' });
}

function formOf(text: string): { [name: string]: string[] } {
  const form = parseLists(text);
  if (form !== undefined) return form;
  throw new ServiceError('control.INVALID_REQUEST', { message: 'The body is not percent-encoded UTF-8.' });
}
