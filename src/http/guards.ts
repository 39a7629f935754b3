// The checks before a route runs, each alone, in the order in which the router makes them (ROUTER-1):
// host and origin -> route -> size -> media type -> bearer -> the route's own.
import { ServiceError } from '../contract/errors.js';
import { tooLarge } from './body-collector.js';
import type { HttpRequest } from './server.js';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Of a listener's address or of a URL. */
export function isLoopbackName(name: string): boolean {
  return loopbackNames.has(name.toLowerCase()) || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;
const originShape = /^https?:\/\/(.+)$/i;

/** A page in the user's browser can reach a loopback port; only its Host (rebinding) and Origin tell it from a local program. */
export function requireLoopback(request: HttpRequest): void {
  if (!isLoopbackHost(request.headers.get('host'))) refuseOrigin('Host');
  const origin = request.headers.get('origin');
  if (origin !== undefined && !isLoopbackHost(originShape.exec(origin)?.[1])) refuseOrigin('Origin');
}

function refuseOrigin(header: string): never {
  throw new ServiceError('control.ORIGIN_REJECTED', {
    message: `The ${header} header does not name a loopback address.`,
    details: { header },
  });
}

function isLoopbackHost(host: string | undefined): boolean {
  const name = host === undefined ? undefined : hostShape.exec(host)?.[1];
  return name !== undefined && loopbackNames.has(name.toLowerCase());
}

const publicHostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/**
 * For a server that others may reach: one well-formed Host, and a page's Origin only when it is the server's own or a loopback one. There
 * is no cross-origin allowance; programs send no Origin. `isLoopback`: only programs of this machine reach it, and pages in a browser here,
 * which may have made a name of their own point to it: so the Host is a loopback one, or the public one of a proxy.
 */
export function requirePublicHost(publicUrl: string, { isLoopback = false } = {}): (request: HttpRequest) => void {
  const { origin: own, hostname } = new URL(publicUrl);
  return ({ headers }) => {
    const host = headers.get('host') ?? '';
    const name = publicHostShape.exec(host)?.[1];
    if (name === undefined) throw badHeader('host', 'is not one host name with an optional port');
    if (isLoopback && !isLoopbackHost(host) && name.toLowerCase() !== hostname) refuseOrigin('Host');
    const origin = headers.get('origin');
    if (origin === undefined || origin === own || isLoopbackHost(originShape.exec(origin)?.[1])) return;
    throw new ServiceError('control.ORIGIN_REJECTED', { message: 'The Origin header names another site.', details: { header: 'Origin' } });
  };
}

function badHeader(name: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message: `The ${name} header ${message}.`,
    issues: [{ path: `/headers/${name}`, code: 'pattern', message }],
  });
}

/** Whether the request says that a body follows. */
export function declaresBody({ headers }: HttpRequest): boolean {
  return (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding');
}

/** By its declared length, so that nothing too large is read at all; a body without one is measured as it arrives. */
export function requireSize(request: HttpRequest, bytesMax: number): void {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
}

const mediaTypes = {
  json: { shape: /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i, words: 'application/json in UTF-8' },
  bytes: { shape: /^application\/octet-stream$/i, words: 'application/octet-stream' },
};

/** What a compressed body would become cannot be bounded before it is made. */
export function isPlainBody({ headers }: HttpRequest): boolean {
  return isOneOf(headers.get('content-encoding'), 'identity') && isOneOf(headers.get('transfer-encoding'), 'chunked');
}
const isOneOf = (value: string | undefined, harmless: string): boolean => value === undefined || value.toLowerCase() === harmless;

/** Compressed bodies are refused too. */
export function requireMediaType(request: HttpRequest, kind: keyof typeof mediaTypes): void {
  const { shape, words } = mediaTypes[kind];
  const type = request.headers.get('content-type');
  const plain = isPlainBody(request);
  if (plain && type !== undefined && (type === 'application/json' ? kind === 'json' : shape.test(type.trim()))) return;
  throw new ServiceError('control.UNSUPPORTED_MEDIA_TYPE', { message: `The body must be ${words}${plain ? '' : ', not compressed'}.` });
}

const bearerShape = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The bearer token of a request. One refusal for every reason: missing, malformed, unknown, expired, revoked. */
export function bearerOf(request: HttpRequest): string {
  const token = bearerShape.exec(request.headers.get('authorization') ?? '')?.[1];
  if (token === undefined) throw unauthenticated();
  return token;
}

export function unauthenticated(): ServiceError {
  return new ServiceError('control.UNAUTHENTICATED', { message: 'A valid bearer token is required.' });
}
