// MCP over two streams, for one client: a JSON object a line in, a JSON object a line out, nothing else there.
//   MCP-STDIO-1. A cancelled request is answered no more. Its id is looked for among what runs; nothing else is ever found by an id.
//   MCP-STDIO-2. At the end of the input what was asked is still answered. When the reader of the output goes away, everything ends.
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { errorTable, ServiceError } from '../contract/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import type { McpToolNames } from '../contract/run/target.js';
import { jsonOf } from '../http/json-body.js';
import type { AgentWorld } from './agent-world.js';
import { type Line, readLines } from './line-reader.js';
import { errorMessage, idOf, McpFailure, type McpMessage, type RequestId, readMessage, resultMessage } from './mcp-messages.js';
import { eraOf, requireModern } from './mcp-revisions.js';
import type { McpRequest } from './mcp-server.js';
import { answerInSteps } from './mcp-steps.js';

export interface McpStdioOptions {
  world: AgentWorld;
  toolNames?: McpToolNames | undefined;
  input: Readable;
  output: Writable;
}

interface Running {
  id: RequestId;
  cancel: AbortController;
}

/** Resolves when the input has ended and all is answered. */
export async function serveMcpOnStdio({ input, ...served }: McpStdioOptions): Promise<void> {
  await new McpStdio(served).serve(input);
}

class McpStdio {
  readonly #world: AgentWorld;
  readonly #toolNames: McpToolNames | undefined;
  readonly #output: Writable;
  readonly #running = new Map<Running, Promise<void>>();

  constructor({ world, toolNames, output }: Omit<McpStdioOptions, 'input'>) {
    this.#world = world;
    this.#toolNames = toolNames;
    this.#output = output;
  }

  async serve(input: Readable): Promise<void> {
    const readerGone = new AbortController();
    this.#output.on('error', () => {
      readerGone.abort();
      for (const { cancel } of this.#running.keys()) cancel.abort();
    });
    try {
      for await (const line of readLines(addAbortSignal(readerGone.signal, input))) this.#receive(line);
    } catch (error) {
      if (!readerGone.signal.aborted) throw error;
    }
    await Promise.all(this.#running.values());
  }

  #receive(line: Line): void {
    let body: JsonValue = null;
    try {
      body = parse(line);
      const message = readMessage(body);
      if (message?.id === undefined) this.#notice(message);
      else this.#begin({ ...message, id: message.id });
    } catch (error) {
      if (!isNotification(body)) this.#send(errorMessage(idOf(body), failureOf(error)));
    }
  }

  /** What is no request has no answer; of all that a client may say so, only a cancellation matters here. */
  #notice(message: McpMessage | undefined): void {
    if (message?.method !== 'notifications/cancelled') return;
    for (const { id, cancel } of this.#running.keys()) if (id === message.params.requestId) cancel.abort();
  }

  #begin(message: McpMessage & { id: RequestId }): void {
    const era = eraOf(message, undefined);
    if (era === 'modern') requireModern(message, undefined);
    if (this.#running.size >= limits.mcpStdioRequestsMax) throw tooMany();
    const running: Running = { id: message.id, cancel: new AbortController() };
    const request: McpRequest = { message, era, world: this.#world, toolNames: this.#toolNames, signal: running.cancel.signal };
    this.#running.set(
      running,
      this.#answer(request, running).finally(() => this.#running.delete(running)),
    );
  }

  async #answer(request: McpRequest, { id, cancel: { signal } }: Running): Promise<void> {
    for await (const step of answerInSteps(request)) {
      if (signal.aborted) return;
      if (step.kind === 'done') this.#send(resultMessage(id, step.value));
      else if (step.kind === 'failed') this.#send(errorMessage(id, failureOf(step.error)));
      else if (!this.#output.writableNeedDrain) this.#send(step.progress);
    }
  }

  #send(message: JsonObject): void {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }
}

function parse(line: Line): JsonValue {
  if (line.kind === 'too_long') throw new McpFailure('invalidRequest', `A line is longer than ${limits.bodyBytesMax} bytes.`);
  try {
    return jsonOf(line.bytes);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new McpFailure(error.code === 'control.INVALID_JSON' ? 'parseError' : 'invalidRequest', error.message);
  }
}

function isNotification(body: JsonValue): boolean {
  return isJsonObject(body) && typeof body.method === 'string' && !('id' in body);
}

function tooMany(): McpFailure {
  const { retryable, source } = errorTable['control.WORLD_BUSY'];
  return new McpFailure('internalError', 'Too many requests are under way.', {
    details: { code: 'control.WORLD_BUSY', retryable, source },
  });
}

/** There is no transport below that could say so otherwise. A bug reaches the log alone. */
function failureOf(error: unknown): McpFailure {
  if (error instanceof McpFailure) return error;
  if (!(error instanceof ServiceError)) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  const { code, message } = error instanceof ServiceError ? error : new ServiceError('control.INTERNAL', { message: 'Internal error.' });
  const { retryable, source } = errorTable[code];
  return new McpFailure('internalError', message, { details: { code, retryable, source } });
}
