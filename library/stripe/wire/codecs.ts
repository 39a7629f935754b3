// Stripe's HTTP API: forms in, the operation's own value as JSON out. One pair of codecs serves every route.
import type { DecodedRequest, EncodeInput, HttpRequest, WireReply } from 'drillyard/tool-sdk';
import { apiVersion, requestIdOf } from '../account/events.js';
import { errorBody, statusOf } from './errors.js';
import { readParameters } from './forms.js';

export const codecs = { decode, encode };

function decode({ path, query, headers, body }: HttpRequest): DecodedRequest {
  const given = readParameters(query, body.kind === 'form' ? body.value : {});
  const [idempotencyKey] = headers['idempotency-key'] ?? [];
  return { arguments: { ...given, ...path }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

function encode({ outcome, invocation }: EncodeInput): WireReply {
  const { idempotencyKey } = invocation;
  const isKey = idempotencyKey !== undefined && /^[\x21-\x7e]{1,255}$/.test(idempotencyKey);
  const headers = {
    'request-id': requestIdOf(invocation.callId),
    'stripe-version': apiVersion,
    ...(isKey ? { 'idempotency-key': idempotencyKey } : {}),
  };
  if (outcome.kind === 'ok') return { headers, body: { kind: 'json', value: outcome.value } };
  const error = { ...errorBody(outcome), request_log_url: `https://dashboard.stripe.com/test/logs/${headers['request-id']}` };
  const status = statusOf(outcome);
  const retries = { 'stripe-should-retry': String(outcome.error.retryable) };
  return { ...(status === undefined ? {} : { status }), headers: { ...headers, ...retries }, body: { kind: 'json', value: { error } } };
}
