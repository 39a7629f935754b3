// Requests signed with AWS Signature Version 4, in a header or in the query: which key they name, and whether the signature is of this
// request and of the token of the access, which is the key's secret. The request is read as the client sent it: a proxy that changes host
// or path breaks it.
//   SIGNED-REQUEST-1. What a handler gets of the body is what was signed, unless the client has signed that it gives no hash of it.
// The date is a part of what is signed and says nothing else here: it is of the client's clock, and a world has its own.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { declaresBody, requireSize } from '../http/guards.js';
import { RequestView } from '../http/request-view.js';
import type { ServerRequest } from '../http/server.js';
import { compareTexts } from '../text/compare-texts.js';

const algorithm = 'AWS4-HMAC-SHA256';

interface Signature {
  keyId: string;
  /** Date, region, service, `aws4_request`. */
  scope: readonly string[];
  headers: readonly string[];
  signature: string;
  /** As the client wrote it. */
  date: string;
  /** What the query says of the body; a URL that S3's clients sign has none. */
  payload: string | undefined;
}

/** Undefined where the request has none that is well formed. */
export function signatureOf(request: Pick<ServerRequest, 'headers' | 'query'>): Signature | undefined {
  const header = request.headers.get('authorization');
  if (header?.startsWith(`${algorithm} `) === true) {
    const fields = new Map(
      header
        .slice(algorithm.length)
        .split(',')
        .map((field) => fieldOf(field.trim())),
    );
    const date = request.headers.get('x-amz-date') ?? request.headers.get('date') ?? '';
    return signature((name) => fields.get(name), date);
  }
  const query = new Map(queryPairs(request.query));
  if (query.get('X-Amz-Algorithm') !== algorithm) return undefined;
  const signed = signature((name) => query.get(`X-Amz-${name}`), query.get('X-Amz-Date') ?? '');
  const payload = query.get('X-Amz-Content-Sha256') ?? (isOfS3(signed) ? 'UNSIGNED-PAYLOAD' : undefined);
  return signed === undefined ? undefined : { ...signed, payload };
}

function signature(field: (name: string) => string | undefined, date: string): Signature | undefined {
  const [keyId, ...scope] = (field('Credential') ?? '').split('/');
  const headers = (field('SignedHeaders') ?? '').split(';');
  const given = field('Signature') ?? '';
  if (keyId === undefined || keyId === '' || scope.length !== 4 || !areSignable(headers) || !/^[0-9a-f]{64}$/.test(given)) return undefined;
  return { keyId, scope, headers, signature: given, date, payload: undefined };
}

/** Each is named once, so that no value is put in its canonical form twice, and there are no more than a request may have. */
function areSignable(headers: readonly string[]): boolean {
  return headers.length <= limits.headersMax && new Set(headers).size === headers.length && headers.includes('host');
}

/**
 * The request, whose body is checked as it is read; refuses another signature. Where that needs the body, a function that does so: it reads
 * the body, of `bodyBytesMax` at most, before it first awaits.
 */
export function verifySignature(request: ServerRequest, secret: string): ServerRequest | (() => Promise<ServerRequest>) {
  const signed = signatureOf(request);
  if (signed === undefined) throw mismatch();
  const declared = request.headers.get('x-amz-content-sha256') ?? signed.payload;
  if (declared !== undefined) {
    requireMatch(request, signed, { secret, payload: declared });
    if (unhashed.test(declared)) return request;
    if (!/^[0-9a-f]{64}$/i.test(declared)) throw new ServiceError('control.INVALID_REQUEST', { message: payloadForms });
    return new SignedRequest(request, declared.toLowerCase());
  }
  if (!declaresBody(request)) return verified(request, signed, { secret, bytes: new Uint8Array() });
  requireSize(request, limits.bodyBytesMax);
  return async () => verified(request, signed, { secret, bytes: await request.body(limits.bodyBytesMax) });
}

/** What stands, signed, in the place of a hash. */
const unhashed = /^(?:UNSIGNED-PAYLOAD|STREAMING-[A-Z0-9-]+)$/;
const payloadForms = 'x-amz-content-sha256 is a SHA-256 in hexadecimal, UNSIGNED-PAYLOAD or STREAMING-...';

function verified(request: ServerRequest, signed: Signature, { secret, bytes }: { secret: string; bytes: Uint8Array }): ServerRequest {
  const payload = sha256(bytes);
  requireMatch(request, signed, { secret, payload });
  return new SignedRequest(request, payload, bytes);
}

function requireMatch(request: ServerRequest, signed: Signature, { secret, payload }: { secret: string; payload: string }): void {
  const [day = '', region = '', service = '', end = ''] = signed.scope;
  const text = [algorithm, signed.date, signed.scope.join('/'), sha256(canonicalRequest(request, signed, payload))].join('\n');
  const key = [day, region, service, end].reduce<string | Buffer>((above, part) => hmac(above, part), `AWS4${secret}`);
  if (!timingSafeEqual(hmac(key, text), Buffer.from(signed.signature, 'hex'))) throw mismatch();
}

function isOfS3(signed: Signature | undefined): boolean {
  return signed?.scope[2]?.startsWith('s3') === true;
}

function canonicalRequest(request: ServerRequest, signed: Signature, payload: string): string {
  const { headers } = signed;
  const query = queryPairs(request.query)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]): [string, string] => [escaped(name), escaped(value)])
    .sort(([a, x], [b, y]) => compareTexts(a, b) || compareTexts(x, y))
    .map(([name, value]) => `${name}=${value}`);
  const lines = headers.map((name) => {
    const values = request.repeatedHeaders.get(name) ?? [request.headers.get(name) ?? ''];
    return `${name}:${values.map((value) => value.trim().replace(/\s+/g, ' ')).join(',')}\n`;
  });
  const path = RequestView.sentPath(request);
  const canonicalPath = isOfS3(signed) ? path : escaped(normalized(path)).replaceAll('%2F', '/');
  return [request.method, canonicalPath, query.join('&'), lines.join(''), headers.join(';'), payload].join('\n');
}

class SignedRequest extends RequestView {
  readonly #payload: string;
  readonly #bytes: Uint8Array | undefined;

  constructor(request: ServerRequest, payload: string, bytes?: Uint8Array) {
    super(request);
    this.#payload = payload;
    this.#bytes = bytes;
  }

  override async body(bytesMax: number): Promise<Uint8Array> {
    const bytes = this.#bytes ?? (await super.body(bytesMax));
    if (sha256(bytes) !== this.#payload) throw mismatch();
    return bytes;
  }
}

function fieldOf(text: string): [string, string] {
  const end = text.indexOf('=');
  return [text.slice(0, end), text.slice(end + 1)];
}

/** Decoded. `+` is a plus. */
function queryPairs(query: string): [string, string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.indexOf('=');
      return end < 0 ? [decoded(pair), ''] : [decoded(pair.slice(0, end)), decoded(pair.slice(end + 1))];
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** RFC 3986 2.3: what is unreserved stays. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Without empty segments and those of dots, as signers of services other than S3 have it. */
function normalized(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const end = path.endsWith('/') && kept.length > 0 ? '/' : '';
  return `/${kept.join('/')}${end}`;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function mismatch(): ServiceError {
  return new ServiceError('control.UNAUTHENTICATED', { message: 'The signature does not fit the request.' });
}
