// The checks before a route runs, each alone, in the order in which the router makes them (architecture.md, Errors):
// host and origin -> route -> size -> media type -> bearer -> the route's own.
import { ServiceError } from '../contract/errors.js';
import { tooLarge } from './body-collector.js';
import type { HttpRequest } from './server.js';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i;
const originShape = /^https?:\/\/(.+)$/i;

/** A page in the user's browser can reach a loopback port; only its Host (rebinding) and Origin tell it from a local program. */
export function requireLoopback(request: HttpRequest): void {
  if (!isLoopbackHost(request.headers.get('host'))) refuseOrigin('Host');
  const origin = request.headers.get('origin');
  if (origin !== undefined && !isLoopbackHost(originShape.exec(origin)?.[1])) refuseOrigin('Origin');
}

function refuseOrigin(header: string): never {
  throw new ServiceError('control.ORIGIN_REJECTED', { message: `The ${header} header does not name a loopback address.`, details: { header } });
}

function isLoopbackHost(host: string | undefined): boolean {
  const name = host === undefined ? undefined : hostShape.exec(host)?.[1];
  return name !== undefined && loopbackNames.has(name.toLowerCase());
}

/** By its declared length, so that nothing too large is read at all; a body without one is measured as it arrives. */
export function requireSize(request: HttpRequest, bytesMax: number): void {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
}

const jsonType = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

export function requireJsonType(request: HttpRequest): void {
  const type = request.headers.get('content-type');
  if (type !== undefined && jsonType.test(type.trim())) return;
  throw new ServiceError('control.UNSUPPORTED_MEDIA_TYPE', { message: 'The body must be application/json in UTF-8.' });
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
