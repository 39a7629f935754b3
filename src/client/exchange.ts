// One request and its reply, without any second try.
import { endpointTable } from '../contract/hosted/endpoint-table.js';
import type { EndpointId } from '../contract/hosted/endpoints.js';
import { filledPath, filledQuery } from '../contract/route-table.js';
import { controlErrorOf } from './control-error.js';

export interface Connection {
  /** Without a slash at the end. */
  baseUrl: string;
  credential: string;
  fetch: typeof globalThis.fetch;
}
/** Loosely typed: client.ts says what belongs to which endpoint. */
export interface ExchangeInput {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal: AbortSignal;
}
export interface ExchangeReply {
  status: number;
  /** Parsed JSON, or bytes. */
  reply: unknown;
  /** The stored answer of an earlier request with the same key. */
  replayed: boolean;
  correlationId: string;
}

/** Throws a ControlError for a refusal, and whatever fetch throws. */
export async function exchange({ baseUrl, credential, fetch }: Connection, id: EndpointId, input: ExchangeInput): Promise<ExchangeReply> {
  const { method } = endpointTable[id];
  const { body, idempotencyKey, signal } = input;
  const bytes = body instanceof Uint8Array;
  const headers: { [name: string]: string } = {
    authorization: `Bearer ${credential}`,
    accept: 'application/json, application/octet-stream, application/gzip',
  };
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
  if (body !== undefined) headers['content-type'] = bytes ? 'application/octet-stream' : 'application/json';
  const response = await fetch(baseUrl + targetOf(id, input), {
    method,
    headers,
    signal,
    redirect: 'error',
    ...(body === undefined ? {} : { body: bytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const correlationId = response.headers.get('x-correlation-id');
  if (!response.ok) throw controlErrorOf(response.status, await response.text(), correlationId);
  const json = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    reply: json ? await response.json() : new Uint8Array(await response.arrayBuffer()),
    replayed: response.headers.get('idempotent-replayed') === 'true',
    correlationId: correlationId ?? '',
  };
}

function targetOf(id: EndpointId, { path = {}, query = {} }: ExchangeInput): string {
  return filledPath(endpointTable[id].path, path as { readonly [name: string]: string | number | undefined }) + filledQuery(query);
}
