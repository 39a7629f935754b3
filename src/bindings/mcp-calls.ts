// tools/call: from its params to the world and back. What the simulation answered is a result, an error too; only what asks for no tool at
// all, or cannot be asked, is a JSON-RPC error.
import { errorTable, ServiceError } from '../contract/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { McpDialect } from '../contract/run/dialect.js';
import { validateCallPath, validateCallRequest, validateWaitRequest } from '../contract/validate/validators.js';
import type { ToolOutcome } from '../contract/world/evidence.js';
import type { AdvanceProgress } from '../contract/world/world-protocol.js';
import type { AgentWorld } from './agent-world.js';
import { contentOf, textOf } from './mcp-content.js';
import { type Headers, requireHeaderParams } from './mcp-headers.js';
import { McpFailure } from './mcp-messages.js';
import { clientCapabilitiesKey, type Era } from './mcp-revisions.js';
import { type McpTool, type McpToolCatalog, type ToolTarget, targetOfName } from './mcp-tools.js';

export interface ToolCall {
  world: AgentWorld;
  catalog: McpToolCatalog;
  params: JsonObject;
  meta: JsonObject;
  era: Era;
  /** Undefined where nothing but the message came. */
  headers: Headers | undefined;
  /** Aborting cancels what has not begun, and a wait between its slices. */
  signal: AbortSignal | undefined;
  onProgress?: ((progress: AdvanceProgress) => void) | undefined;
}
/** The result. Throws McpFailure, and ServiceError where the access has ended. */
export async function callTool(call: ToolCall): Promise<JsonObject> {
  const { name, arguments: input = {} } = call.params;
  if (typeof name !== 'string') throw new McpFailure('invalidParams', "The member 'name' is not a text.");
  if (!isJsonObject(input)) throw new McpFailure('invalidParams', "The member 'arguments' is not an object.");
  const tool = call.catalog.find(name);
  if (tool !== undefined && call.era === 'modern') requireModern(tool, input, call);
  try {
    if (tool?.target === 'wait') return await wait(call, input);
    const { unlisted } = call.world;
    if (tool === undefined && 'call' in unlisted) return await unlisted.call(call.params, { signal: call.signal });
    return await callOperation(call, { name, tool, target: tool?.target ?? (await unlistedTarget(name, call)), input });
  } catch (error) {
    throw failureOf(error);
  }
}

/** What a tool asks of the client beyond its arguments. */
function requireModern({ headerParams, mcp: { clientCapabilities = [] } }: McpTool, input: JsonObject, { meta, headers }: ToolCall): void {
  if (headers !== undefined) requireHeaderParams(headerParams, input, headers);
  const { [clientCapabilitiesKey]: said } = meta;
  const missing = clientCapabilities.filter((capability) => !isJsonObject(said) || said[capability] === undefined);
  if (missing.length === 0) return;
  const requiredCapabilities = Object.fromEntries(missing.map((capability) => [capability, {}]));
  throw new McpFailure('missingCapability', `The tool needs a client with ${missing.join(', ')}.`, {
    status: 400,
    details: { requiredCapabilities },
  });
}

async function wait({ world, signal, onProgress }: ToolCall, input: JsonObject): Promise<JsonObject> {
  const valid = validateWaitRequest(input);
  if (!valid.ok) return resultOf(invalidArguments(valid.issues), {}, { dialect: world.dialect.mcp });
  const { outcome, correlationId } = await world.wait(valid.value.untilUs, { signal, onProgress });
  return resultOf(outcome, { correlationId }, { dialect: world.dialect.mcp });
}

/** Of a tool that the actor has no grant for: the world is asked all the same, so that it can say so. */
async function unlistedTarget(name: string, { world: { unlisted }, catalog }: ToolCall): Promise<Partial<ToolTarget> | undefined> {
  const operations = 'operations' in unlisted ? await unlisted.operations() : [];
  return catalog.unlisted(name, operations) ?? targetOfName(name);
}

interface OperationCall {
  name: string;
  tool: McpTool | undefined;
  target: Partial<ToolTarget> | undefined;
  input: JsonObject;
}
async function callOperation({ world, meta, signal }: ToolCall, { name, tool, target, input }: OperationCall): Promise<JsonObject> {
  const { packageId, operationId, instanceId } = target ?? {};
  if (packageId === undefined || operationId === undefined) throw unknownTool(name);
  if (tool === undefined && !validateCallPath({ packageId, operationId }).ok) throw unknownTool(name);
  const args = tool?.wraps.arguments === true ? (input.value as JsonValue) : input;
  const shown = { dialect: world.dialect.mcp, tool };
  if (args === undefined) return resultOf(invalidArguments([{ path: '/value', code: 'required', message: 'is required' }]), {}, shown);
  const { keyNames, makesKeys } = world.dialect.mcp;
  // As the member of the same name of an HTTP call.
  const keyName = keyNames.find((key) => meta[key] !== undefined) ?? (keyNames[0] as string);
  const idempotencyKey = meta[keyName] ?? (makesKeys && tool?.needsKey === true ? await world.madeKey() : undefined);
  const request = validateCallRequest({
    arguments: args,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(instanceId === undefined ? {} : { instanceId }),
  });
  if (!request.ok) {
    if (tool === undefined) throw unknownTool(name);
    const inArguments = request.issues.filter(({ path }) => /^\/arguments(?:\/|$)/.test(path));
    const at = tool.wraps.arguments ? '/value' : '';
    const issues = inArguments.map((issue) => ({ ...issue, path: issue.path.replace('/arguments', at) }));
    if (issues.length > 0) return resultOf(invalidArguments(issues), {}, shown);
    throw new McpFailure('invalidParams', `'${keyName}' is not a key.`, {
      details: { issues: request.issues as unknown as JsonValue },
    });
  }
  const { callId, correlationId, outcome } = await world.call({ packageId, operationId, ...request.value }, { signal });
  if (outcome.kind === 'unsupported') throw unknownTool(name);
  return resultOf(outcome, { callId, correlationId }, shown);
}

interface ResultParts {
  dialect: McpDialect;
  tool?: McpTool | undefined;
}
/** An error is returned as the outcome that it is; `structuredContent` is what outputSchema promises, so an error has none. */
function resultOf(outcome: ToolOutcome, ids: { callId?: string; correlationId?: string }, { dialect, tool }: ResultParts): JsonObject {
  const _meta = Object.fromEntries(Object.entries(ids).map(([key, id]) => [`drillyard/${key}`, id]));
  if (outcome.kind !== 'ok') return { ...failedContent(outcome, dialect), isError: true, _meta };
  const { value } = outcome;
  const { content, structured = true } = tool?.mcp ?? {};
  const structuredContent = tool?.wraps.value !== true && isJsonObject(value) ? value : { value };
  const blocks = content === undefined ? [textBlock(structured ? structuredContent : value)] : contentOf(value, content);
  if (blocks === undefined) return { ...failedContent(contentTooLarge, dialect), isError: true, _meta };
  return { content: blocks, ...(structured ? { structuredContent } : {}), _meta };
}
/** The world has done what was asked, and its evidence says so: only what the manifest makes of it for MCP cannot be sent. */
const contentTooLarge: Exclude<ToolOutcome, { kind: 'ok' }> = {
  kind: 'tool_error',
  error: {
    code: 'CONTENT_TOO_LARGE',
    message: `The call succeeded, and its 'mcp.content' makes more of the result than ${limits.mcpContentBlocksMax} blocks, or more than ${limits.mcpContentBytesMax} bytes.`,
    retryable: false,
  },
  committed: true,
};
function failedContent(outcome: Exclude<ToolOutcome, { kind: 'ok' }>, dialect: McpDialect): JsonObject {
  const structuredContent = dialect.failed(outcome);
  if (structuredContent === undefined) return { content: [textBlock(outcome as unknown as JsonValue)] };
  return { content: [textBlock(structuredContent)], structuredContent };
}
const textBlock = (value: JsonValue): JsonObject => ({ type: 'text', text: textOf(value) });

function invalidArguments(issues: readonly { path: string; code: string; message: string }[]): ToolOutcome {
  const details = { issues: issues.map((issue) => ({ ...issue })) };
  return { kind: 'invalid', error: { code: 'INVALID_ARGUMENTS', message: 'The arguments break their schema.', retryable: false, details } };
}

/** A refusal of the world (it is busy, its host ended) in the words of JSON-RPC, with the envelope it would be elsewhere. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code === 'control.UNAUTHENTICATED') return error;
  const { code, extra } = error;
  const { retryable, source } = errorTable[code];
  const shown = { code, retryable, source, ...extra };
  return new McpFailure('internalError', error.message, { details: shown as unknown as JsonObject });
}
function unknownTool(name: string): McpFailure {
  return new McpFailure('invalidParams', `Unknown tool: ${name}`);
}
