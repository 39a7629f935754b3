// JSON-RPC 2.0 as MCP narrows it: one message a body, ids that are texts or integers, params that are an object.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';

export type RequestId = string | number;
export interface McpMessage {
  method: string;
  params: JsonObject;
  /** `params._meta`. */
  meta: JsonObject;
  /** Undefined for a notification. */
  id: RequestId | undefined;
}
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  // Of the 2026-07-28 revision.
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** An answer that is a JSON-RPC error. `status`: of the HTTP reply that carries it. */
export class McpFailure extends Error {
  readonly code: number;
  readonly status: number;
  readonly details: JsonObject | undefined;

  constructor(code: keyof typeof rpcCodes, message: string, { status = 200, details }: { status?: number; details?: JsonObject } = {}) {
    super(message);
    this.code = rpcCodes[code];
    this.status = status;
    this.details = details;
  }
}

/** Undefined for a response, which a client sends to a server that has asked it something; this one asks nothing. Throws McpFailure. */
export function readMessage(body: JsonValue): McpMessage | undefined {
  if (!isJsonObject(body)) throw invalid('The body is not one JSON-RPC message.');
  const { jsonrpc, id, method, params = {} } = body;
  if (jsonrpc !== '2.0') throw invalid("The member 'jsonrpc' is not '2.0'.");
  if (method === undefined && ('result' in body || 'error' in body)) return undefined;
  if (typeof method !== 'string') throw invalid("The member 'method' is not a text.");
  if ('id' in body && idOf(body) === undefined) throw invalid("The member 'id' is neither a text nor an integer.");
  if (!isJsonObject(params)) throw new McpFailure('invalidParams', "The member 'params' is not an object.", { status: 400 });
  const { _meta: meta = {} } = params;
  if (!isJsonObject(meta)) throw new McpFailure('invalidParams', "The member 'params._meta' is not an object.", { status: 400 });
  return { method, params, meta, id: id as RequestId | undefined };
}

/** The id to answer with, where it can be read. */
export function idOf(body: JsonValue): RequestId | undefined {
  if (!isJsonObject(body)) return undefined;
  const { id } = body;
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : undefined;
}

export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}
export function errorMessage(id: RequestId | undefined, { code, message, details }: McpFailure): JsonObject {
  const error: JsonObject = details === undefined ? { code, message } : { code, message, data: details };
  return id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error };
}

function invalid(message: string): McpFailure {
  return new McpFailure('invalidRequest', message, { status: 400 });
}
