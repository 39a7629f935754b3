// Which revision of MCP a message speaks, and what that revision asks of headers and `_meta`. Nothing is remembered between two messages.
// On stdio there are no headers.
//   MCP-REVISIONS-1. `modern` is 2026-07-28: each request says who it is. `legacy` is what begins with `initialize`; there the header alone
//     picks the rules.
//   MCP-REVISIONS-2. The era is decided before the method, so that `initialize` under a modern claim is a method that does not exist.
import { isJsonObject, type JsonValue } from '../contract/json.js';
import { type Headers, headerMismatch, headerOf } from './mcp-headers.js';
import { McpFailure, type McpMessage } from './mcp-messages.js';

export type Era = 'modern' | 'legacy';
export const modernRevision = '2026-07-28';
/** The newest first: what a client that asks for another one is offered. */
export const legacyRevisions: readonly [string, ...string[]] = ['2025-11-25', '2025-06-18'];
const reserved = 'io.modelcontextprotocol/';
export const serverInfoKey = `${reserved}serverInfo`;
const versionKey = `${reserved}protocolVersion`;
export const clientCapabilitiesKey = `${reserved}clientCapabilities`;

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
  if (!isJsonObject(meta[clientCapabilitiesKey])) throw missingMeta(clientCapabilitiesKey);
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
