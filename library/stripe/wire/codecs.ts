// Stripe's HTTP API: forms in, the operation's own value as JSON out. One pair of codecs serves every route.
import { type DecodedRequest, type EncodeInput, type HttpRequest, type JsonValue, ToolFailure, type WireReply } from 'drillyard/tool-sdk';
import { accountId, apiVersion, requestIdOf } from '../account/events.js';
import { argumentError } from './argument-errors.js';
import { accountError, errorBody, refuseRequest, statusOf } from './errors.js';
import { readParameters } from './forms.js';

export const codecs = { decode, encode };

/** Stripe has what was asked for, and this package has not. */
const unsupported = { 'x-drillyard-unsupported': '1' };

/** A day, the name of a release, and flags of betas. */
const versionForm = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:\.[a-z]+)?(?:; *[\w=.-]+)*$/;
/** An account that is not this one becomes an argument that no operation has: the call is refused, and stands in the evidence. */
const accountHeader = 'Stripe-Account';

function decode({ path, query, headers, body }: HttpRequest): DecodedRequest {
  const given = readParameters(query, body.kind === 'form' ? body.value : {});
  const [idempotencyKey] = headers['idempotency-key'] ?? [];
  const [version = apiVersion] = headers['stripe-version'] ?? [];
  if (!versionForm.test(version)) throw new ToolFailure({ code: 'VERSION_INVALID', message: `Invalid Stripe API version: ${version}` });
  const [account = accountId] = headers['stripe-account'] ?? [];
  const other = account === accountId ? {} : { [accountHeader]: account };
  return { arguments: { ...given, ...path, ...other }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

function encode(input: EncodeInput): WireReply {
  const { outcome, invocation, request } = input;
  const { idempotencyKey, replayedCallId } = invocation;
  const isKey = idempotencyKey !== undefined && /^[\x21-\x7e]{1,255}$/.test(idempotencyKey);
  const headers = {
    'request-id': requestIdOf(invocation.callId),
    'stripe-version': apiVersion,
    ...(isKey ? { 'idempotency-key': idempotencyKey } : {}),
    ...(replayedCallId === undefined ? {} : { 'idempotent-replayed': 'true', 'original-request': requestIdOf(replayedCallId) }),
  };
  if (outcome.kind === 'ok') return { headers, body: { kind: 'json', value: outcome.value } };
  const retries = { 'stripe-should-retry': String(outcome.error.retryable) };
  // Stripe searches where this package reads one object.
  if (request.pathname.endsWith('/search')) {
    const { body } = refuseRequest({ ...request, kind: 'not_found' });
    return { status: 404, headers: { ...headers, ...retries, ...unsupported }, body };
  }
  const { status, error, isUnserved } = refusedCall(outcome, invocation);
  const request_log_url = `https://dashboard.stripe.com/test/logs/${headers['request-id']}`;
  return {
    ...(status === undefined ? {} : { status }),
    headers: { ...headers, ...retries, ...(isUnserved ? unsupported : {}) },
    body: { kind: 'json', value: { error: { ...error, request_log_url } } },
  };
}

interface RefusedCall {
  readonly error: { readonly [member: string]: JsonValue };
  readonly status?: number | undefined;
  /** Stripe has what was asked for. */
  readonly isUnserved: boolean;
}

function refusedCall(outcome: Exclude<EncodeInput['outcome'], { kind: 'ok' }>, invocation: EncodeInput['invocation']): RefusedCall {
  if (outcome.error.code === 'INVALID_ARGUMENTS') {
    const { [accountHeader]: account } = invocation.arguments as { readonly [name: string]: JsonValue };
    if (account !== undefined) return { status: 403, error: accountError(String(account)), isUnserved: true };
    const refused = argumentError(outcome.error.details, invocation);
    if (refused !== undefined) return refused;
  }
  return { status: statusOf(outcome), error: errorBody(outcome), isUnserved: outcome.error.code === 'CHANGE_NOT_SERVED' };
}
