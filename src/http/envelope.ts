// How replies are written: JSON with a correlation id, errors in the one envelope.
import { defined } from '../contract/defined.js';
import { type ErrorEnvelope, errorEnvelope, errorTable, orUnavailable, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { hiddenRefusal } from '../contract/stored-damage.js';
import { knownMethods } from './known-methods.js';
import { rateHeaders } from './rate-headers.js';
import type { HttpReply } from './server.js';

const rawHeaders = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function jsonReply(status: number, body: unknown, correlationId: string, headers?: { [name: string]: string }): HttpReply {
  // Spelled out: nearly every reply has them, and V8 copies an object slowly where more is added to it.
  const own = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-correlation-id': correlationId,
  };
  return { status, headers: headers === undefined ? own : { ...own, ...headers }, body: JSON.stringify(body) };
}

/** Bytes and text that are no JSON: by default nothing that a browser would show or run. */
export function rawReply(
  status: number,
  body: string | Uint8Array,
  correlationId: string,
  headers?: { [name: string]: string },
): HttpReply {
  return { status, headers: { ...rawHeaders, 'x-correlation-id': correlationId, ...headers }, body };
}

/**
 * What a route says of its body itself; none of it is kept by caches unless it says so. Browsers neither guess at it nor run it: it is of
 * somebody else, and comes from our origin.
 */
export function ownReply(
  status: number,
  body: string | Uint8Array,
  correlationId: string,
  headers?: { [name: string]: string },
): HttpReply {
  return { status, headers: { 'cache-control': 'no-store', ...headers, ...ownHeaders, 'x-correlation-id': correlationId }, body };
}
const ownHeaders = { 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' };

/** Text or bytes that leave piece by piece; the media type is in the headers. */
export function streamReply(
  status: number,
  stream: AsyncIterable<string | Uint8Array>,
  correlationId: string,
  headers?: { [name: string]: string },
): HttpReply {
  return {
    status,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-correlation-id': correlationId, ...headers },
    stream,
  };
}

/** The reply to a refusal; of anything else that is thrown the log has more than the reply (hiddenRefusal). One message for every 401. */
export function errorReply(
  thrown: unknown,
  correlationId: string,
  bodyOf: (envelope: ErrorEnvelope) => object = (envelope) => envelope,
): HttpReply {
  const error = publicError(thrown);
  const { status } = errorTable[error.code];
  return jsonReply(status, bodyOf(errorEnvelope(error, correlationId)), correlationId, errorHeaders(error));
}

/** Tells what a tool does not have from what its real service would refuse in the same words. */
export const unsupportedHeader = { 'x-drillyard-unsupported': '1' } as const;

/** What a client sees of anything thrown. */
export function publicError(thrown: unknown): ServiceError {
  const error = orUnavailable(thrown);
  if (!(error instanceof ServiceError)) return hiddenRefusal(error);
  // A client learns no more than this, no matter who refused a credential and why.
  if (error.code !== 'control.UNAUTHENTICATED') return error;
  return new ServiceError(error.code, { message: 'A valid credential is required.', ...defined({ challenge: error.extra.challenge }) });
}

/** For bytes that are not an HTTP request one could route: answered by the servers themselves. */
export function malformedReply(reason: string): HttpReply {
  return errorReply(new ServiceError('control.INVALID_REQUEST', { message: reason }), newId('corr'));
}

/** What a request without a credential is asked for (RFC 6750 3); one whose credential is not taken learns that, and nothing of why. */
export const bearerChallenge = 'Bearer realm="drillyard"';
const invalidToken = `${bearerChallenge}, error="invalid_token"`;

function errorHeaders(error: ServiceError): { [name: string]: string } {
  const { retryAfterMs, details, isUnsupported, challenge = invalidToken } = error.extra;
  const headers: { [name: string]: string } = isUnsupported === true ? { ...unsupportedHeader } : {};
  if (error.code === 'control.UNAUTHENTICATED') headers['www-authenticate'] = challenge;
  // The details of a host's refusal are its own.
  if (error.code === 'control.METHOD_NOT_ALLOWED' && Array.isArray(details?.allow))
    headers.allow = [...new Set(details.allow)].filter((method) => knownMethods.has(method)).join(', ');
  const { perSecond, burst } = details ?? {};
  if (error.code === 'control.RATE_LIMITED' && typeof perSecond === 'number' && typeof burst === 'number')
    Object.assign(headers, rateHeaders({ perSecond, burst }, 0));
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
  return headers;
}
