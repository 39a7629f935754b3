// An answer as it comes: the progress that its caller has asked for, then how it ended. A wait reports its progress until it ends. An
// operation is one step of the world; what its manifest says of progress is sent once that is done, and only where it succeeded.
//   MCP-STEPS-1. A result that clients would not take as an event comes without progress, and so as a reply of its own.
import type { JsonObject, JsonValue } from '../contract/json.js';
import type { AdvanceProgress } from '../contract/world/world-protocol.js';
import type { McpMessage } from './mcp-messages.js';
import { answerMcp, catalogOf, type McpRequest } from './mcp-server.js';
import { progressThenEnd, type Step } from './progress-stream.js';

/** Of a progress: the notification. */
export type McpStep = Step<JsonObject, JsonObject>;

/** Whether the request says where its progress goes. */
export function wantsProgress({ method, meta: { progressToken } }: McpMessage): boolean {
  return method === 'tools/call' && (typeof progressToken === 'string' || Number.isSafeInteger(progressToken));
}

/** Never throws: how it ended is the last step. */
export async function* answerInSteps(request: McpRequest): AsyncGenerator<McpStep> {
  const { message, world } = request;
  const { progressToken } = message.meta;
  const notification = (params: JsonObject): JsonObject => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: progressToken as JsonValue, ...params },
  });
  try {
    const { name } = message.params;
    const tool = wantsProgress(message) && typeof name === 'string' ? (await catalogOf(world)).find(name) : undefined;
    if (tool?.target === 'wait') {
      for await (const step of progressThenEnd((onProgress) => answerMcp({ ...request, onProgress })))
        yield step.kind === 'progress' ? { kind: 'progress', progress: notification(waited(step.progress)) } : step;
      return;
    }
    const value = await answerMcp(request);
    const { progress = [] } = tool?.mcp ?? {};
    if (progress.length > 0 && value.isError !== true && isWithin(value, request.resultBytesMax))
      for (const params of progress) yield { kind: 'progress', progress: notification({ ...params }) };
    yield { kind: 'done', value };
  } catch (error) {
    yield { kind: 'failed', error };
  }
}

function isWithin(value: JsonObject, bytesMax: number | undefined): boolean {
  return bytesMax === undefined || Buffer.byteLength(JSON.stringify(value)) <= bytesMax;
}

/** The number of events only rises, as the revisions want it of `progress`. */
function waited({ scheduledEventsProcessed, reachedUs }: AdvanceProgress): JsonObject {
  return { progress: scheduledEventsProcessed, message: `The clock is at ${reachedUs} us.` };
}
