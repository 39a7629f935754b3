// Which revision of MCP a message speaks, and what that revision asks of headers and `_meta`. Nothing is remembered between two messages. On stdio
// there are no headers.
//   M1. `modern` is 2026-07-28: each request says who it is. `legacy` is what begins with `initialize`; there the header alone picks the rules.
//   M2. The era is decided before the method, so that `initialize` under a modern claim is a method that does not exist.
import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../contract/json.js';
import { isObject, McpFailure, type McpMessage } from './mcp-messages.js';

export type Era = 'modern' | 'legacy';
export const modernRevision = '2026-07-28';
/** The newest first: what a client that asks for another one is offered. */
export const legacyRevisions: readonly [string, ...string[]] = ['2025-11-25', '2025-06-18'];
const reserved = 'io.modelcontextprotocol/';
export const serverInfoKey = `${reserved}serverInfo`;
const versionKey = `${reserved}protocolVersion`;
const capabilitiesKey = `${reserved}clientCapabilities`;

type Headers = ReadonlyMap<string, string>;

/** Throws McpFailure. */
export function eraOf({ method, meta }: Pick<McpMessage, 'method' | 'meta'>, headers: Headers | undefined): Era {
  if (meta[versionKey] !== undefined) return 'modern';
  if (method === 'initialize') return 'legacy';
  // What only the modern revision has is a client's question whether it is served.
  if (headers === undefined) return method === 'server/discover' ? 'modern' : 'legacy';
  const version = headerOf(headers, 'mcp-protocol-version');
  if (version === modernRevision) return 'modern';
  if (version === undefined || legacyRevisions.includes(version)) return 'legacy';
  throw unsupportedVersion(version);
}

/** What the modern revision asks of every message, in the order in which its checks decide. */
export function requireModern({ method, meta, id }: McpMessage, headers: Headers | undefined): void {
  const claim = meta[versionKey];
  const version = headers && headerOf(headers, 'mcp-protocol-version');
  if (claim !== undefined) {
    if (version !== undefined && version !== claim) throw headerMismatch('MCP-Protocol-Version');
    if (claim !== modernRevision) throw unsupportedVersion(claim);
    if (headers !== undefined && version === undefined) throw headerMismatch('MCP-Protocol-Version');
  }
  if (id === undefined) return;
  if (headers !== undefined && headerOf(headers, 'mcp-method') !== method) throw headerMismatch('Mcp-Method');
  if (claim === undefined) throw missingMeta(versionKey);
  if (!isObject(meta[capabilitiesKey])) throw missingMeta(capabilitiesKey);
}

/** Of a tools/call: the name in the header, which may be written in base64, is the one in the body. */
export function requireModernName(name: JsonValue | undefined, headers: Headers): void {
  const sent = headerOf(headers, 'mcp-name');
  if (sent === undefined || decodedHeader(sent) !== name) throw headerMismatch('Mcp-Name');
}

const sentinel = /^=\?base64\?(.*)\?=$/;
const paddedBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Undefined where it is said to be base64 of UTF-8 and is not. */
function decodedHeader(value: string): string | undefined {
  const encoded = sentinel.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return paddedBase64.test(encoded) && isUtf8(bytes) ? bytes.toString() : undefined;
}

function headerOf(headers: Headers, name: string): string | undefined {
  return headers.get(name)?.replace(/^[ \t]+|[ \t]+$/g, '');
}

function headerMismatch(header: string): McpFailure {
  return new McpFailure('headerMismatch', `The ${header} header is missing or is not what the body says.`, { status: 400 });
}
function missingMeta(key: string): McpFailure {
  return new McpFailure('invalidParams', `The request lacks '${key}' in its _meta.`, { status: 400 });
}
function unsupportedVersion(requested: JsonValue): McpFailure {
  return new McpFailure('unsupportedVersion', 'This revision of MCP is not served.', {
    status: 400,
    details: { supported: [modernRevision], requested },
  });
}
