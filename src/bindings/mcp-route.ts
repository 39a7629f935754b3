// MCP over Streamable HTTP: one endpoint, one message a POST. JSON answers, but for a wait whose caller wants to hear of its progress: an
// event stream. What is wrong with the HTTP request itself (host, bearer, size, media type) is told as everywhere, in the envelope.
//   H1. A client that goes away cancels in the modern revision; in the older ones it does not. A cancellation that comes as a message of its own
//       is taken and does nothing: the ids of two clients may be the same, so no work is ever found by one.
import { ServiceError } from '../contract/errors.js';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { AdvanceProgress } from '../contract/world-protocol.js';
import { requireMediaType, requireSize } from '../http/guards.js';
import { readJsonBody } from '../http/json-body.js';
import { RawText, type Route, type RouteReply } from '../http/router.js';
import type { HttpRequest } from '../http/server.js';
import type { AgentAccess } from './agent-access.js';
import { errorMessage, idOf, McpFailure, readMessage, resultMessage } from './mcp-messages.js';
import { eraOf, requireModern } from './mcp-revisions.js';
import { answerMcp, type McpRequest, reportsProgress } from './mcp-server.js';

export const mcpRoute: Route<AgentAccess> = {
  method: 'POST',
  path: '/mcp',
  auth: 'bearer',
  begin: ({ request, caller }) => {
    requireSize(request, limits.bodyBytesMax);
    requireMediaType(request, 'json');
    const body = readMessageBody(request);
    return async () => {
      let read: JsonValue = null;
      try {
        read = await body;
        return await answer(read, request, caller);
      } catch (error) {
        if (error instanceof McpFailure) return { status: error.status, body: errorMessage(idOf(read), error) };
        throw error;
      }
    };
  },
};

async function answer(body: JsonValue, { headers, signal }: HttpRequest, access: AgentAccess): Promise<RouteReply> {
  const message = readMessage(body);
  const era = eraOf(message ?? { method: '', meta: {} }, headers);
  if (era === 'modern') {
    if (message === undefined) throw new McpFailure('invalidRequest', 'No response was asked for.', { status: 400 });
    requireModern(message, headers);
  }
  if (message?.id === undefined) return { status: 202, body: new RawText('') };
  const { id } = message;
  const request: McpRequest = { message: { ...message, id }, era, headers, access, signal: era === 'modern' ? signal : undefined };
  if (takesEvents(headers) && (await reportsProgress(request))) return streamed(request);
  return { status: 200, body: resultMessage(id, await answerMcp(request)) };
}

async function readMessageBody(request: HttpRequest): Promise<JsonValue> {
  try {
    return await readJsonBody(request, limits.bodyBytesMax);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'control.INVALID_JSON') throw new McpFailure('parseError', error.message, { status: 400 });
    throw error;
  }
}

function takesEvents(headers: ReadonlyMap<string, string>): boolean {
  const accept = headers.get('accept');
  return accept === undefined || /text\/event-stream|\*\/\*/i.test(accept);
}

const eventHeaders = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

function streamed(request: McpRequest): RouteReply {
  return { status: 200, headers: eventHeaders, body: progressThenResult(request) };
}

/** Only the latest progress is kept for a reader that is slower than the world. */
async function* progressThenResult(request: McpRequest): AsyncGenerator<string> {
  const { id, meta } = request.message;
  let latest: AdvanceProgress | undefined;
  let wake = (): void => {};
  let woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let last: JsonObject | undefined;
  const onProgress = (progress: AdvanceProgress): void => {
    latest = progress;
    wake();
  };
  void answerMcp({ ...request, onProgress })
    .then((result) => resultMessage(id, result))
    .catch((error: unknown) => errorMessage(id, toldInStream(error)))
    .then((message) => {
      last = message;
      wake();
    });
  for (let told = 0; last === undefined; ) {
    await woken;
    woken = new Promise((resolve) => {
      wake = resolve;
    });
    if (latest === undefined || latest.scheduledEventsProcessed <= told) continue;
    told = latest.scheduledEventsProcessed;
    yield eventOf({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: meta.progressToken as JsonValue, progress: told, message: `The clock is at ${latest.reachedUs} us.` },
    });
  }
  yield eventOf(last);
}

const eventOf = (message: JsonObject): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

/** The status has left already. */
function toldInStream(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  return new McpFailure('internalError', error instanceof ServiceError ? error.message : 'Internal error.');
}
