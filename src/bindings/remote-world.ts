// A world behind the HTTP binding, for who has an address and a token. What is refused there is refused here by the same code.
import { defined } from '../contract/defined.js';
import { type ErrorCode, type ErrorEnvelope, errorTable, ServiceError } from '../contract/errors.js';
import { isJsonObject, type JsonObject } from '../contract/json.js';
import { ownAgentDialect, ownWordsHeader } from '../contract/run/dialect.js';
import type { CallResponse, ToolsResponse, WaitResponse } from '../contract/world/agent-binding.js';
import type { AdvanceProgress } from '../contract/world/world-protocol.js';
import type { DirectCall, Endpoint } from '../drills/ports/bindings-port.js';
import { eventStream } from '../http/event-stream.js';
import type { AgentCatalog, AgentWorld, AskOptions } from './agent-world.js';
import { readEvents } from './event-reader.js';
import { McpFailure, rpcCodes } from './mcp-messages.js';

export class RemoteWorld implements AgentWorld {
  readonly dialect = ownAgentDialect;
  readonly #url: string;
  readonly #token: string;

  constructor({ url, token }: Endpoint) {
    this.#url = url;
    this.#token = token;
  }

  async catalog(): Promise<AgentCatalog> {
    return await answerOf<ToolsResponse>(await this.#ask('/v1/tools', {}));
  }

  readonly unlisted = {
    call: async ({ name, arguments: input, _meta }: JsonObject, { signal }: AskOptions = {}): Promise<JsonObject> => {
      const key = isJsonObject(_meta) ? Object.entries(_meta).filter(([member]) => this.dialect.mcp.keyNames.includes(member)) : [];
      const params = { ...defined({ name, arguments: input }), _meta: Object.fromEntries(key) };
      const reply = await this.#ask('/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, signal });
      const { result, error } = await answerOf<{ result?: JsonObject; error?: { code: number; message: string; data?: JsonObject } }>(
        reply,
      );
      if (result !== undefined) return result;
      if (error === undefined) throw unavailable('what answers is none');
      const kind = error.code === rpcCodes.invalidParams ? 'invalidParams' : 'internalError';
      throw new McpFailure(kind, error.message, defined({ details: error.data }));
    },
  };

  async call({ packageId, operationId, ...request }: DirectCall, { signal }: AskOptions = {}): Promise<CallResponse> {
    const reply = await this.#ask(`/v1/operations/${encodeURIComponent(packageId)}/${encodeURIComponent(operationId)}`, {
      body: request,
      signal,
    });
    return await answerOf(reply);
  }

  /** A binding that makes keys is not asked from here. */
  madeKey(): Promise<string> {
    throw unavailable('keys are made where the world is');
  }

  async wait(untilUs?: number, { signal, onProgress }: AskOptions = {}): Promise<WaitResponse> {
    const reply = await this.#ask('/v1/wait', { body: { untilUs }, signal, accept: eventStream });
    if (!reply.ok || reply.body === null) return await answerOf(reply);
    for await (const { name, value } of readEvents(reply.body)) {
      if (name === 'progress') onProgress?.(value as AdvanceProgress);
      else if (name === 'result') return value as WaitResponse;
      else throw refusalOf(value as ErrorEnvelope);
    }
    throw unavailable('its answer broke off');
  }

  async #ask(
    path: string,
    { body, signal, accept = 'application/json' }: { body?: object; signal?: AbortSignal | undefined; accept?: string },
  ) {
    try {
      return await fetch(this.#url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${this.#token}`,
          accept,
          [ownWordsHeader]: 'own',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        redirect: 'error',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...defined({ signal }),
      });
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } };
      throw unavailable(cause?.code ?? message);
    }
  }
}

async function answerOf<Answer>(reply: Response): Promise<Answer> {
  const body = (await reply.json().catch(() => undefined)) as unknown;
  if (reply.ok && typeof body === 'object') return body as Answer;
  throw refusalOf(body as Partial<ErrorEnvelope> | null | undefined);
}

function refusalOf(envelope: Partial<ErrorEnvelope> | null | undefined): ServiceError {
  const { code, message, issues, details, retryAfterMs } = envelope ?? {};
  if (code === undefined || !Object.hasOwn(errorTable, code)) return unavailable('what answers is none');
  return new ServiceError(code as ErrorCode, {
    ...defined({ message, issues, details, retryAfterMs }),
  });
}

function unavailable(why: string): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message: `The world does not answer: ${why}.` });
}
