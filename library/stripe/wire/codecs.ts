// Stripe's HTTP API: forms in, the operation's own value as JSON out. One pair of codecs serves every route.
import type { DecodedRequest, EncodeInput, HttpRequest, WireReply } from 'drillyard/tool-sdk';
import { apiVersion, requestIdOf } from '../account/events.js';
import { errorBody, refuseRequest, statusOf } from './errors.js';
import { readParameters } from './forms.js';

export const codecs = { decode, encode };

/** Stripe has what was asked for, and this package has not. */
const unsupported = { 'x-drillyard-unsupported': '1' };

function decode({ path, query, headers, body }: HttpRequest): DecodedRequest {
  const given = readParameters(query, body.kind === 'form' ? body.value : {});
  const [idempotencyKey] = headers['idempotency-key'] ?? [];
  return { arguments: { ...given, ...path }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

function encode({ outcome, invocation, request }: EncodeInput): WireReply {
  const { idempotencyKey } = invocation;
  const isKey = idempotencyKey !== undefined && /^[\x21-\x7e]{1,255}$/.test(idempotencyKey);
  const headers = {
    'request-id': requestIdOf(invocation.callId),
    'stripe-version': apiVersion,
    ...(isKey ? { 'idempotency-key': idempotencyKey } : {}),
  };
  if (outcome.kind === 'ok') return { headers, body: { kind: 'json', value: outcome.value } };
  const retries = { 'stripe-should-retry': String(outcome.error.retryable) };
  // Stripe searches where this package reads one object.
  if (request.pathname.endsWith('/search')) {
    const { body } = refuseRequest({ ...request, kind: 'not_found' });
    return { status: 404, headers: { ...headers, ...retries, ...unsupported }, body };
  }
  const error = { ...errorBody(outcome), request_log_url: `https://dashboard.stripe.com/test/logs/${headers['request-id']}` };
  const status = statusOf(outcome);
  return {
    ...(status === undefined ? {} : { status }),
    headers: { ...headers, ...retries, ...(outcome.error.code === 'CHANGE_NOT_SERVED' ? unsupported : {}) },
    body: { kind: 'json', value: { error } },
  };
}
