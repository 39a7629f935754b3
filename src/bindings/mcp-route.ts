// MCP over Streamable HTTP: one endpoint, one message a POST. JSON answers, but for a caller who takes events, where there is progress or
// the answer takes long: an event stream. What is wrong with the HTTP request itself (host, bearer, size, media type) is returned as
// everywhere, in the envelope.
// Why: docs/decisions/001.
//   MCP-ROUTE-1. A client that goes away cancels in the modern revision; in the older ones it does not. A cancellation that comes as a
//     message of its own is taken and does nothing: the ids of two clients may be the same, so no work is ever found by one.
import { isServiceError } from '../contract/errors.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { toolNamesIn } from '../contract/run/mcp-tool-names.js';
import { publicError } from '../http/envelope.js';
import { asksForEvents, eventStreamHeaders, Settlement, withoutSilence } from '../http/event-stream.js';
import { requireMediaType, requireSize } from '../http/guards.js';
import { readJsonBody } from '../http/json-body.js';
import type { RouteReply } from '../http/router.js';
import type { ServerRequest } from '../http/server.js';
import type { RowWork } from '../http/table-routes.js';
import type { AgentAccess } from './agent-access.js';
import { requireName } from './mcp-headers.js';
import { errorMessage, idOf, McpFailure, type RequestId, readMessage, resultMessage } from './mcp-messages.js';
import { eraOf, requireModern } from './mcp-revisions.js';
import { answerMcp, type McpRequest } from './mcp-server.js';
import { answerInSteps, type McpStep, wantsProgress } from './mcp-steps.js';

export const answerMcpRequest: RowWork<AgentAccess> = ({ request, caller }) => {
  requireSize(request, limits.bodyBytesMax);
  requireMediaType(request, 'json');
  return async () => {
    let read: JsonValue = null;
    try {
      read = await readMessageBody(request);
      return await answer(read, request, caller);
    } catch (error) {
      if (error instanceof McpFailure) return { status: error.status, body: errorMessage(idOf(read), error) };
      throw error;
    }
  };
};

async function answer(body: JsonValue, { headers, query, signal }: ServerRequest, world: AgentAccess): Promise<RouteReply> {
  const message = readMessage(body);
  const era = eraOf(message ?? { method: '', meta: {} }, headers);
  if (era === 'modern') {
    if (message === undefined) throw new McpFailure('invalidRequest', 'No response was asked for.', { status: 400 });
    requireModern(message, headers);
  }
  if (message?.id === undefined) return { status: 202, body: undefined };
  const { id, method, params } = message;
  if (era === 'modern' && method === 'tools/call') requireName(params.name, headers);
  const toolNames = toolNamesIn(query);
  if (toolNames === null)
    throw new McpFailure('invalidRequest', "In the URL, 'toolNames' is 'underscores', 'own' or not there.", { status: 400 });
  const request: McpRequest = {
    message: { ...message, id },
    era,
    world,
    headers,
    toolNames: toolNames ?? world.dialect.mcp.toolNames,
    signal: era === 'modern' ? signal : undefined,
    resultBytesMax: limits.mcpEventResultBytesMax,
  };
  if (asksForEvents(headers) || (wantsProgress(message) && takesAnything(headers)))
    return await answerAsItComes(id, answerInSteps(request));
  return { status: 200, body: resultMessage(id, await answerMcp(request)) };
}

/** A stream begins with the first progress, or after the first silence; else the answer is one as every other. */
async function answerAsItComes(id: RequestId, steps: AsyncGenerator<McpStep>): Promise<RouteReply> {
  const coming = steps.next() as Promise<IteratorYieldResult<McpStep>>;
  const isLate = !(await new Settlement(coming).soon());
  if (!isLate) {
    const { value: first } = await coming;
    if (first.kind === 'failed') throw first.error;
    if (first.kind === 'done') return { status: 200, body: resultMessage(id, first.value) };
  }
  return { status: 200, headers: eventStreamHeaders, body: withoutSilence(eventsOf(id, coming, steps), { isLate }) };
}

async function readMessageBody(request: ServerRequest): Promise<JsonValue> {
  try {
    return await readJsonBody(request, limits.bodyBytesMax);
  } catch (error) {
    if (isServiceError(error, 'control.INVALID_JSON')) throw new McpFailure('parseError', error.message, { status: 400 });
    throw error;
  }
}

function takesAnything(headers: ReadonlyMap<string, string>): boolean {
  const accept = headers.get('accept');
  return accept === undefined || accept.includes('*/*');
}

async function* eventsOf(
  id: RequestId,
  coming: Promise<IteratorYieldResult<McpStep>>,
  rest: AsyncGenerator<McpStep>,
): AsyncGenerator<string> {
  yield eventOf(messageOf(id, (await coming).value));
  for await (const step of rest) yield eventOf(messageOf(id, step));
}

function messageOf(id: RequestId, step: McpStep): JsonObject {
  if (step.kind === 'progress') return step.progress;
  return step.kind === 'done' ? resultMessage(id, step.value) : errorMessage(id, failureInStream(step.error));
}

const eventOf = (message: JsonObject): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** The status has left already. */
function failureInStream(error: unknown): McpFailure {
  return error instanceof McpFailure ? error : new McpFailure('internalError', publicError(error).message);
}
