// The checks before a route runs, each alone. Their order is the router's (ROUTER-1).
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { tooLarge } from './body-collector.js';
import { bearerChallenge } from './envelope.js';
import type { ServerRequest } from './server.js';

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Of a listener's address or of a URL. */
export function isLoopbackName(name: string): boolean {
  return loopbackNames.has(name.toLowerCase()) || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

const hostShape = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;
const originShape = /^https?:\/\/(.+)$/i;

export interface HostRule {
  /** Where clients of other machines, or of a proxy, reach the listener. Absent: this machine alone does. */
  publicUrl?: string;
  /** `own`: a loopback name or the public one. `any`: each that is well formed, for a server that others may call by names of their own. */
  hosts?: 'own' | 'any';
  /** Pages, besides those of loopback: `origin`: of the public origin. `host`: of the public name, whatever scheme and port. */
  pages?: 'origin' | 'host';
  /** Whether a host name, in lower case, is one of the listener's own beside those. */
  admits?(name: string): boolean;
  /** Whether what a request asks for is open to its page, whatever site that is of. */
  admitsPage?(request: ServerRequest): boolean;
}

/**
 * The check of Host and Origin. A page in the user's browser can reach a loopback port, or have made a name of its own point to it: only
 * its Host (rebinding) and Origin tell it from a program, which sends no Origin. Only routes of tools may let in pages of other sites.
 */
export function requireHost(rule: HostRule = {}): (request: ServerRequest) => void {
  const { publicUrl, hosts = 'own', admits } = rule;
  const isOwnName = ownNames(publicUrl);
  const requireOwnPage = requirePage(rule);
  return (request) => {
    const name = nameIn(request.headers.get('host'));
    if (hosts === 'any' && name === undefined) throw badHeader('host', 'is not one host name with an optional port');
    if (hosts === 'own' && !isOwnName(name) && (name === undefined || admits?.(name) !== true)) refuseOrigin('Host');
    requireOwnPage(request);
  };
}

/** The check of Origin alone: of a request whose Host another node has checked. */
export function requirePage({ publicUrl, pages = 'origin', admitsPage }: HostRule): (request: ServerRequest) => void {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  const isOwnName = ownNames(publicUrl);
  const isOwnPage = (origin: string): boolean => {
    if (origin === own?.origin) return true;
    const name = nameIn(originShape.exec(origin)?.[1]);
    return pages === 'host' ? isOwnName(name) : name !== undefined && loopbackNames.has(name);
  };
  return (request) => {
    const origin = request.headers.get('origin');
    if (origin !== undefined && !isOwnPage(origin) && admitsPage?.(request) !== true) refuseOrigin('Origin');
  };
}

function ownNames(publicUrl: string | undefined): (name: string | undefined) => boolean {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return (name) => name !== undefined && (loopbackNames.has(name) || name === own);
}

/** The check of a listener that this machine alone reaches. */
export const requireLoopback = requireHost();

function refuseOrigin(header: string): never {
  throw new ServiceError('control.ORIGIN_REJECTED', { message: `The ${header} header names another site.`, details: { header } });
}

/** The host name of `name:port`, in lower case; undefined where it is not well formed. */
function nameIn(host: string | undefined): string | undefined {
  const found = host === undefined ? null : hostShape.exec(host);
  return found === null || Number(found[2] ?? 0) > limits.portMax ? undefined : (found[1] as string).toLowerCase();
}

function badHeader(name: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message: `The ${name} header ${message}.`,
    issues: [{ path: `/headers/${name}`, code: 'pattern', message }],
  });
}

/** Whether the request says that a body follows. */
export function declaresBody({ headers }: ServerRequest): boolean {
  return (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding');
}

/** By its declared length, so that nothing too large is read at all; a body without one is measured as it arrives. */
export function requireSize(request: ServerRequest, bytesMax: number): void {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
}

const mediaTypes = {
  json: { shape: /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i, words: 'application/json in UTF-8' },
  bytes: { shape: /^application\/octet-stream$/i, words: 'application/octet-stream' },
};

/** What a compressed body would become cannot be bounded before it is made. */
function isPlainBody({ headers }: ServerRequest): boolean {
  return isOneOf(headers.get('content-encoding'), 'identity') && isOneOf(headers.get('transfer-encoding'), 'chunked');
}
const isOneOf = (value: string | undefined, harmless: string): boolean => value === undefined || value.toLowerCase() === harmless;

/** Compressed bodies are refused too. */
export function requireMediaType(request: ServerRequest, kind: keyof typeof mediaTypes): void {
  const { shape, words } = mediaTypes[kind];
  const type = request.headers.get('content-type');
  const plain = isPlainBody(request);
  if (plain && type !== undefined && (type === 'application/json' ? kind === 'json' : shape.test(type.trim()))) return;
  throw new ServiceError('control.UNSUPPORTED_MEDIA_TYPE', { message: `The body must be ${words}${plain ? '' : ', not compressed'}.` });
}

const bearerShape = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The bearer token of a request. One refusal for every reason: missing, malformed, unknown, expired, revoked. */
export function bearerOf(request: ServerRequest): string {
  const token = findBearer(request);
  if (token === undefined) throw unauthenticated(bearerChallenge);
  return token;
}

export function findBearer({ headers }: ServerRequest): string | undefined {
  return bearerShape.exec(headers.get('authorization') ?? '')?.[1];
}

export function unauthenticated(challenge?: string): ServiceError {
  return new ServiceError('control.UNAUTHENTICATED', { message: 'A valid bearer token is required.', ...defined({ challenge }) });
}
