// The methods of MCP for one message, whatever carries it. Stateless: all that is known of the client is in the message and its headers.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { AdvanceProgress } from '../contract/world-protocol.js';
import type { AgentAccess } from './agent-access.js';
import { callTool, isWait } from './mcp-calls.js';
import { McpFailure, type McpMessage, type RequestId } from './mcp-messages.js';
import { type Era, legacyRevisions, modernRevision, requireModernName, serverInfoKey } from './mcp-revisions.js';
import { ToolCatalog } from './mcp-tools.js';

export interface McpRequest {
  message: McpMessage & { id: RequestId };
  era: Era;
  headers: ReadonlyMap<string, string>;
  access: AgentAccess;
  signal: AbortSignal | undefined;
  onProgress?: ((progress: AdvanceProgress) => void) | undefined;
}

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
const serverInfo = { name: 'drillyard', version };
const capabilities = { tools: {} };

/** The result of a request. Throws McpFailure, and ServiceError where the access has ended. */
export async function answerMcp(request: McpRequest): Promise<JsonObject> {
  return request.era === 'modern' ? inModern(await modernResult(request)) : await legacyResult(request);
}

/** Whether the request has told where its progress goes, and is one that has any. */
export async function reportsProgress({ message: { method, params, meta }, access }: McpRequest): Promise<boolean> {
  const { progressToken } = meta;
  const isToken = typeof progressToken === 'string' || Number.isSafeInteger(progressToken);
  return isToken && method === 'tools/call' && isWait({ catalog: await catalogOf(access), params });
}

function modernResult(request: McpRequest): Promise<JsonObject> | JsonObject {
  const { method, params } = request.message;
  switch (method) {
    case 'server/discover':
      return { supportedVersions: [modernRevision], capabilities, ttlMs: limits.mcpToolsTtlMs, cacheScope: 'public' };
    case 'tools/list':
      return listTools(request, { ttlMs: limits.mcpToolsTtlMs, cacheScope: 'private' });
    case 'tools/call':
      requireModernName(params.name, request.headers);
      return call(request);
    default:
      throw new McpFailure('methodNotFound', `There is no method '${method}'.`, { status: 404 });
  }
}

function legacyResult(request: McpRequest): Promise<JsonObject> | JsonObject {
  const { method } = request.message;
  switch (method) {
    case 'initialize':
      return initialize(request.message.params);
    case 'ping':
      return {};
    case 'tools/list':
      return listTools(request, {});
    case 'tools/call':
      return call(request);
    default:
      throw new McpFailure('methodNotFound', `There is no method '${method}'.`);
  }
}

/** A revision that is not served is answered with the newest that this handshake can open. */
function initialize({ protocolVersion }: JsonObject): JsonObject {
  if (typeof protocolVersion !== 'string') throw new McpFailure('invalidParams', "The member 'protocolVersion' is not a text.");
  const served = legacyRevisions.includes(protocolVersion) ? protocolVersion : legacyRevisions[0];
  return { protocolVersion: served, capabilities, serverInfo };
}

async function listTools({ access, message }: McpRequest, cacheHints: JsonObject): Promise<JsonObject> {
  return { ...(await catalogOf(access)).page(message.params.cursor), ...cacheHints };
}

async function call({ access, message: { params, meta }, signal, onProgress }: McpRequest): Promise<JsonObject> {
  return await callTool({ access, catalog: await catalogOf(access), params, meta, signal, onProgress });
}

function inModern(result: JsonObject): JsonObject {
  return { ...result, resultType: 'complete', _meta: { ...(result._meta as JsonObject | undefined), [serverInfoKey]: serverInfo } };
}

/** An actor's grants last as long as its access, so the world is asked once. */
const catalogs = new WeakMap<AgentAccess, Promise<ToolCatalog>>();

function catalogOf(access: AgentAccess): Promise<ToolCatalog> {
  let catalog = catalogs.get(access);
  if (catalog === undefined) {
    catalog = Promise.all([access.tools(), access.mayWait()]).then(([tools, mayWait]) => new ToolCatalog(tools, { mayWait }));
    catalogs.set(access, catalog);
    catalog.catch(() => catalogs.delete(access));
  }
  return catalog;
}
