// How replies are written: JSON with a correlation id, errors in the one envelope (interface.md 7).
import { errorEnvelope, errorTable, ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import type { HttpReply } from './server.js';

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function jsonReply(status: number, body: unknown, correlationId: string, headers?: { [name: string]: string }): HttpReply {
  return { status, headers: { ...jsonHeaders, 'x-correlation-id': correlationId, ...headers }, body: JSON.stringify(body) };
}

/** The reply to a refusal; anything else thrown is a bug, told as control.INTERNAL without its message. */
export function errorReply(thrown: unknown, correlationId: string): HttpReply {
  const error = thrown instanceof ServiceError ? thrown : new ServiceError('control.INTERNAL', { message: 'Internal error.' });
  return jsonReply(errorTable[error.code].status, errorEnvelope(error, correlationId), correlationId, errorHeaders(error));
}

/** For bytes that are not an HTTP request one could route: answered by the servers themselves. */
export function malformedReply(reason: string): HttpReply {
  return errorReply(new ServiceError('control.INVALID_REQUEST', { message: reason }), newId('corr'));
}

function errorHeaders(error: ServiceError): { [name: string]: string } {
  const { retryAfterMs, details } = error.extra;
  const headers: { [name: string]: string } = {};
  if (error.code === 'control.UNAUTHENTICATED') headers['www-authenticate'] = 'Bearer';
  if (error.code === 'control.METHOD_NOT_ALLOWED' && Array.isArray(details?.allow)) headers.allow = details.allow.join(', ');
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
  return headers;
}
