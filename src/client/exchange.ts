// One request and its reply, without any second try.
import { endpointTable } from '../contract/hosted/endpoint-table.js';
import type { EndpointId } from '../contract/hosted/endpoints.js';
import { filledPath, filledQuery } from '../contract/route-table.js';
import { ControlError, controlErrorOf } from './control-error.js';
import { tuning } from './tuning.js';

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

/** Throws a ControlError for a refusal and for what no service answers, and whatever fetch throws. */
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
  if (!response.ok) throw await refusalIn(response);
  return {
    status: response.status,
    reply: await replyIn(response, { baseUrl, media: endpointTable[id].media }),
    replayed: response.headers.get('idempotent-replayed') === 'true',
    correlationId: response.headers.get('x-correlation-id') ?? '',
  };
}

/** Of a reply that is no success. */
export async function refusalIn(response: Response): Promise<ControlError> {
  const bytes = await bytesIn(response, tuning.refusalBytesMax);
  return controlErrorOf(response.status, new TextDecoder().decode(bytes), response.headers);
}

async function replyIn(response: Response, { baseUrl, media }: { baseUrl: string; media: string | undefined }): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  const isJson = type.startsWith(json);
  if (!isJson && (media === undefined || !type.startsWith(media))) {
    await response.body?.cancel();
    throw notAService(
      response,
      `${baseUrl} is not a Drillyard service: it answers with ${type === '' ? 'nothing that has a type' : type}.`,
    );
  }
  const bytesMax = isJson ? tuning.replyBytesMax : tuning.replyFileBytesMax;
  const bytes = await bytesIn(response, bytesMax);
  if (bytes === undefined) {
    const advice = isJson ? '' : ' Read such a file as a stream, with a request of your own.';
    throw notAService(response, `A reply of ${baseUrl} is larger than ${bytesMax} bytes.${advice}`);
  }
  if (!isJson) return bytes;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    throw notAService(response, `${baseUrl} is not a Drillyard service: what it answers is not JSON.`);
  }
}
const json = 'application/json';

function notAService({ status, headers }: Response, message: string): ControlError {
  const correlationId = headers.get('x-correlation-id') ?? 'none';
  return new ControlError(status, { code: 'control.UNAVAILABLE', message, correlationId, retryable: false, source: 'platform' });
}

/** Undefined for a body that is larger, or says so; the rest of it is not read. */
async function bytesIn(response: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers.get('content-length') ?? 0) > bytesMax) {
    await response.body?.cancel();
    return undefined;
  }
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (const reader = response.body?.getReader(); reader !== undefined; ) {
    const { value } = await reader.read();
    if (value === undefined) break;
    length += value.length;
    if (length > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    pieces.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function targetOf(id: EndpointId, { path = {}, query = {} }: ExchangeInput): string {
  return filledPath(endpointTable[id].path, path as { readonly [name: string]: string | number | undefined }) + filledQuery(query);
}
