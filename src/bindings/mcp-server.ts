// The methods of MCP for one message, whatever carries it. Stateless: all that is known of the client is in the message and its headers.
// Why: docs/decisions/001.
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { McpToolNames } from '../contract/run/target.js';
import type { AdvanceProgress } from '../contract/world/world-protocol.js';
import { packageVersion } from '../files/installation.js';
import type { AgentWorld } from './agent-world.js';
import { callTool } from './mcp-calls.js';
import type { Headers } from './mcp-headers.js';
import { McpFailure, type McpMessage, type RequestId } from './mcp-messages.js';
import { type Era, legacyRevisions, modernRevision, serverInfoKey } from './mcp-revisions.js';
import { McpToolCatalog } from './mcp-tools.js';

export interface McpRequest {
  message: McpMessage & { id: RequestId };
  era: Era;
  world: AgentWorld;
  headers?: Headers;
  toolNames?: McpToolNames | undefined;
  signal: AbortSignal | undefined;
  /** A result of more leaves without the progress of its operation. */
  resultBytesMax?: number;
  /** Of a wait. */
  onProgress?: ((progress: AdvanceProgress) => void) | undefined;
}

const serverInfo = { name: 'drillyard', version: packageVersion() };
const capabilities = { tools: {} };

/** The result of a request. Throws McpFailure, and ServiceError where the access has ended. */
export async function answerMcp(request: McpRequest): Promise<JsonObject> {
  return request.era === 'modern' ? inModern(await modernResult(request)) : await legacyResult(request);
}

function modernResult(request: McpRequest): Promise<JsonObject> | JsonObject {
  const { method } = request.message;
  switch (method) {
    case 'server/discover':
      return { supportedVersions: [modernRevision], capabilities, ttlMs: limits.mcpToolsTtlMs, cacheScope: 'public' };
    case 'tools/list':
      return listTools(request, { ttlMs: limits.mcpToolsTtlMs, cacheScope: 'private' });
    case 'tools/call':
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

async function listTools({ world, message, toolNames }: McpRequest, cacheHints: JsonObject): Promise<JsonObject> {
  return { ...(await catalogOf(world)).page(message.params.cursor, toolNames), ...cacheHints };
}

async function call({ world, message: { params, meta }, era, headers, signal, onProgress }: McpRequest): Promise<JsonObject> {
  return await callTool({ world, catalog: await catalogOf(world), params, meta, era, headers, signal, onProgress });
}

function inModern(result: JsonObject): JsonObject {
  return { ...result, resultType: 'complete', _meta: { ...(result._meta as JsonObject | undefined), [serverInfoKey]: serverInfo } };
}

/** An actor's grants last as long as its access, so the world is asked once. */
const catalogs = new WeakMap<AgentWorld, Promise<McpToolCatalog>>();

export function catalogOf(world: AgentWorld): Promise<McpToolCatalog> {
  let catalog = catalogs.get(world);
  if (catalog === undefined) {
    catalog = world
      .catalog()
      .then(({ tools, mayWait }) => new McpToolCatalog(tools, { mayWait, listsBothNames: world.dialect.mcp.listsBothNames }));
    catalogs.set(world, catalog);
    catalog.catch(() => catalogs.delete(world));
  }
  return catalog;
}
