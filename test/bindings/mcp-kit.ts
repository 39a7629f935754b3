// A world that answers as reported, an access to it, and POSTs to its MCP endpoint on a real socket.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import type { ToolOutcome } from '../../src/contract/world/evidence.js';
import type { ToolCatalogItem, WorldCommand, WorldQuery } from '../../src/contract/world/world-protocol.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import type { HttpServer } from '../../src/http/server.js';
import type { SendOptions, WorldRef } from '../../src/worlds/api.js';

export const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
export const metaKey = (name: string): string => `io.modelcontextprotocol/${name}`;
export const modernMeta = { [metaKey('protocolVersion')]: '2026-07-28', [metaKey('clientCapabilities')]: {} };

export const ticketTool: ToolCatalogItem = {
  packageId: 'desk',
  instanceId: 'desk',
  operationId: 'ticket.close',
  description: 'Closes a ticket.',
  inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
  outputSchema: { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'], additionalProperties: false },
  declaredErrors: [],
  idempotency: 'optional',
};
export const listTool: ToolCatalogItem = {
  packageId: 'desk',
  instanceId: 'desk',
  operationId: 'ticket.list',
  inputSchema: { type: 'object', additionalProperties: false },
  outputSchema: { type: 'array', items: { type: 'string' } },
  declaredErrors: [],
  idempotency: 'none',
};

export interface ToldWorld {
  world: WorldRef;
  asked: (WorldCommand | WorldQuery)[];
  options: SendOptions<never>[];
  tools: ToolCatalogItem[];
  mayWait: boolean;
  /** What a call is answered; thrown where it is a refusal. */
  outcome: ToolOutcome | ServiceError;
  /** Before a command is answered. */
  meanwhile(options: SendOptions<never>): Promise<void> | void;
}
export function toldWorld(changes: Partial<ToldWorld> = {}): ToldWorld {
  const reported: ToldWorld = {
    asked: [],
    options: [],
    tools: [ticketTool, listTool],
    mayWait: false,
    outcome: { kind: 'ok', value: { done: true } },
    meanwhile: () => {},
    ...changes,
    world: {
      worldId: 'run_0123456789ab',
      worldInstanceId: 'world_0123456789ab',
      command: async (command: WorldCommand, options: SendOptions<never> = {}) => {
        reported.asked.push(command);
        reported.options.push(options);
        await reported.meanwhile(options);
        if (reported.outcome instanceof ServiceError) throw reported.outcome;
        const correlationId = 'corr_0000000000000000';
        return command.kind === 'wait'
          ? { outcome: { kind: 'ok', value: { virtualTimeUs: 7, reached: true } }, correlationId, virtualTimeUs: 7 }
          : { callId: 'call_0000000000000000', correlationId, outcome: reported.outcome, sequence: 2 };
      },
      query: async (query: WorldQuery) => {
        reported.asked.push(query);
        if (query.kind === 'tools') return reported.tools;
        if (query.kind === 'operations')
          return reported.tools.map(({ mcp, ...tool }) => ({ ...tool, ...(mcp?.name && { mcpName: mcp.name }) }));
        const wait = { packageId: 'world', instanceId: 'world', operationId: 'clock.wait' };
        return [{ actorId: 'agent', capabilities: reported.mayWait ? [wait] : [] }];
      },
    } as unknown as WorldRef,
  };
  return reported;
}

export interface McpReply {
  status: number;
  headers: Headers;
  text: string;
}
export interface McpEndpoint {
  access: Access;
  reported: ToldWorld;
  /** `body`: sent as it is when it is a text. */
  post(body: unknown, headers?: { [name: string]: string }): Promise<McpReply>;
  /** With what the revision asks of headers and `_meta`. */
  modern(method: string, params?: { [member: string]: unknown }, headers?: { [name: string]: string }): Promise<McpReply>;
  legacy(method: string, params?: { [member: string]: unknown }, revision?: string): Promise<McpReply>;
}

/** One listener for all endpoints of a file. */
export function mcpEndpoints(engine?: HttpServer['engine']): (changes?: Partial<ToldWorld>) => Promise<McpEndpoint> {
  const bindings = createBindings(engine === undefined ? {} : { engine });
  after(() => bindings.close());
  return async (changes) => {
    const reported = toldWorld(changes);
    const access = await bindings.open({ world: reported.world, actorId: 'agent', bindings: ['mcp'] });
    const { url, token } = access.endpoints.mcp ?? assert.fail('no mcp endpoint');
    const post = async (body: unknown, headers: { [name: string]: string } = {}): Promise<McpReply> => {
      const reply = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: reply.status, headers: reply.headers, text: await reply.text() };
    };
    return {
      access,
      reported,
      post,
      modern: (method, { _meta, ...params } = {}, headers = {}) =>
        post(
          { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...modernMeta, ...(_meta as object | undefined) } } },
          {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            ...(method === 'tools/call' ? { 'mcp-name': String(params.name) } : {}),
            ...headers,
          },
        ),
      legacy: (method, params = {}, revision = '2025-11-25') =>
        post({ jsonrpc: '2.0', id: 1, method, params }, method === 'initialize' ? {} : { 'mcp-protocol-version': revision }),
    };
  };
}

/** The JSON-RPC error of a reply, with the status that carried it. */
export function failureIn({ status, text }: McpReply): [status: number, code: number | undefined, id: unknown] {
  const { error, id } = JSON.parse(text) as { error?: { code: number }; id?: unknown };
  return [status, error?.code, id];
}

/**
 * Holds the timers of silent streams for this test. Yields what lets silence after silence pass until something has come. Timers of
 * others stay: those of `fetch` break when they are due without time having passed.
 */
export function holdSilences(t: TestContext): <T>(coming: Promise<T>) => Promise<T> {
  const held = new Set<() => void>();
  const real = setTimeout;
  const hold = (call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    if (ms === limits.eventStreamQuietMs) held.add(() => call(...args));
    return real(call, ms, ...args);
  };
  t.mock.method(globalThis, 'setTimeout', hold as typeof setTimeout);
  return async (coming) => {
    let isThere = false;
    const noted = coming.finally(() => {
      isThere = true;
    });
    while (!isThere) {
      for (const end of held) end();
      held.clear();
      await turn();
    }
    return await noted;
  };
}
