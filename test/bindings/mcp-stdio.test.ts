// MCP over stdio: `drillyard world mcp` as a process, over the bindings of this one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { limits } from '../../src/contract/limits.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import { bankWorlds } from '../worlds/bank-kit.js';
import { hearLongWait } from './long-wait.js';
import { modernMeta, type ToldWorld, toldWorld, version } from './mcp-kit.js';
import { environmentOf, type StdioServer, startStdio, stdioArguments } from './stdio-kit.js';

const bindings = createBindings();
after(() => bindings.close());
const { create } = bankWorlds();

async function open(
  context: TestContext,
  changes: Partial<ToldWorld> = {},
): Promise<StdioServer & { reported: ToldWorld; access: Access }> {
  const reported = toldWorld(changes);
  const access = await bindings.open({ world: reported.world, actorId: 'agent', bindings: ['cli'] });
  return { ...startStdio(context, environmentOf(access)), reported, access };
}
const request = (id: number | string, method: string, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params });
const modern = (id: number | string, method: string, { _meta, ...params }: { [member: string]: unknown } = {}): object =>
  request(id, method, { ...params, _meta: { ...modernMeta, ...(_meta as object | undefined) } });
const wait = { name: 'world.wait', arguments: {}, _meta: { progressToken: 'p' } };
const answersOnce = async ({ end }: StdioServer): Promise<void> => assert.deepEqual(await end(), { code: 0, rest: [], stderr: '' });

test('it answers all three revisions in one process, each in its own words', async (context) => {
  const server = await open(context);
  const { send, next } = server;
  for (const protocolVersion of ['2025-11-25', '2025-06-18']) {
    send(request(protocolVersion, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }));
    assert.deepEqual(await next(), {
      jsonrpc: '2.0',
      id: protocolVersion,
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'drillyard', version } },
    });
  }
  send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  send(request(1, 'ping'));
  assert.deepEqual(await next(), { jsonrpc: '2.0', id: 1, result: {} });
  send(request(2, 'tools/list'));
  const legacy = await next();
  assert.deepEqual(Object.keys(legacy.result), ['tools']);
  send(modern(3, 'server/discover'));
  assert.deepEqual((await next()).result.supportedVersions, ['2026-07-28']);
  send(modern(4, 'tools/list'));
  const { result } = await next();
  assert.deepEqual(result.tools, legacy.result.tools);
  assert.deepEqual([result.resultType, result.cacheScope], ['complete', 'private']);
  send(modern(5, 'tools/call', { name: 'desk.ticket.close', arguments: { id: 1 }, _meta: { 'drillyard/idempotencyKey': 'k' } }));
  assert.deepEqual((await next()).result.structuredContent, { done: true });
  assert.deepEqual(server.reported.asked.at(-1), {
    kind: 'call',
    actorId: 'agent',
    packageId: 'desk',
    instanceId: 'desk',
    operationId: 'ticket.close',
    arguments: { id: 1 },
    idempotencyKey: 'k',
  });
  await answersOnce(server);
});

test('a tool that is not listed is asked for where the world is, by any name that a list could have it by', async (context) => {
  const bank = await create();
  const access = await bindings.open({ world: bank.world, actorId: 'reader', bindings: ['mcp'] });
  const server = startStdio(context, environmentOf(access));
  const attempt = { name: 'bank_add', arguments: { account: 'main', amount: 5 }, _meta: { 'drillyard/idempotencyKey': 'k' } };
  server.send(request(1, 'tools/call', attempt));
  const { result } = (await server.next()) as unknown as { result: { isError: boolean; content: { text: string }[] } };
  assert.deepEqual([result.isError, JSON.parse(result.content[0]?.text ?? '').kind], [true, 'denied']);
  server.send(modern(2, 'tools/call', { name: 'bank_none' }));
  assert.equal((await server.next()).error.code, -32602);
  const attempts = (await bank.evidence()).flatMap((entry) => (entry.kind === 'operation' ? [entry] : []));
  assert.deepEqual(
    attempts.map(({ invocation: { operationId, idempotencyKey }, outcome }) => [operationId, idempotencyKey, outcome.kind]),
    [['add', 'k', 'denied']],
  );
  await answersOnce(server);
});

test('what is no request it can answer is reported by its code, and a notification never', async (context) => {
  const server = await open(context);
  const { send, next } = server;
  send('\n  \r\n');
  send({ jsonrpc: '2.0', method: 'notifications/none', params: [] });
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'nobody' } });
  send({ jsonrpc: '2.0', id: 9, result: {} });
  const cases: [object | string | Buffer, number, (number | string)?][] = [
    ['{"jsonrpc":\n', -32700],
    [Buffer.from([0x22, 0xff, 0x22, 0x0a]), -32700],
    ['[]\n', -32600],
    [`${'['.repeat(65)}${']'.repeat(65)}\n`, -32600],
    [`"${'x'.repeat(limits.bodyBytesMax)}"\n`, -32600],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, -32600],
    [request('a', 'none'), -32601, 'a'],
    [request('b', 'server/discover'), -32602, 'b'],
    [modern('c', 'ping'), -32601, 'c'],
    [modern('d', 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }), -32022, 'd'],
    [modern('e', 'tools/list', { _meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } }), -32602, 'e'],
    [request('f', 'tools/call', { name: 7 }), -32602, 'f'],
  ];
  for (const [message, code, id] of cases) {
    send(message);
    const answer = await next();
    assert.deepEqual([answer.error?.code, answer.id], [code, id], JSON.stringify(answer));
  }
  await answersOnce(server);
});

for (const [era, ask] of [
  ['older revisions', request],
  ['2026-07-28', modern],
] as const) {
  // MCP-STDIO-1
  test(`${era}: a wait is reported while it lasts, and ended when it is cancelled`, async (context) => {
    let cancelled = (): void => {};
    const ended = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const server = await open(context, {
      mayWait: true,
      meanwhile: async ({ signal, onProgress }) => {
        (onProgress as ((progress: object) => void) | undefined)?.({ reachedUs: 5, scheduledEventsProcessed: 2 });
        await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
        cancelled();
      },
    });
    const { send, next } = server;
    send(ask('w', 'tools/call', wait));
    assert.deepEqual(await next(), {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 2, message: 'The clock is at 5 us.' },
    });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w', reason: 'test' } });
    // The world hears of it, and the client of nothing any more.
    await ended;
    send(ask('after', 'tools/list'));
    assert.equal((await next()).id, 'after');
    await answersOnce(server);
  });
}

// MCP-STDIO-2
test('what was asked before the end of the input is answered', async (context) => {
  const { send, end } = await open(context);
  send(request(1, 'tools/call', { name: 'desk.ticket.close', arguments: { id: 1 } }));
  send(JSON.stringify(request(2, 'ping')));
  const { code, rest } = await end();
  assert.equal(code, 0);
  assert.deepEqual(new Set(rest.map((answer) => (answer as { id: number }).id)), new Set([1, 2]));
});

test('more requests at once than one client may have are refused, and nothing else is', async (context) => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await open(context, { mayWait: true, meanwhile: () => released });
  const { send, next } = server;
  for (let id = 0; id <= limits.mcpStdioRequestsMax; id++)
    send(request(id, 'tools/call', { name: 'desk.ticket.close', arguments: { id } }));
  const refused = await next();
  assert.deepEqual(
    [refused.id, refused.error.data.code, refused.error.data.retryable],
    [limits.mcpStdioRequestsMax, 'control.WORLD_BUSY', true],
  );
  release();
  const answered = new Set<unknown>();
  while (answered.size < limits.mcpStdioRequestsMax) answered.add((await next()).id);
  send(request('after', 'ping'));
  assert.deepEqual((await next()).result, {});
  await answersOnce(server);
});

test('a world that refuses or is gone is reported in the words of JSON-RPC', async (context) => {
  const server = await open(context);
  const { send, next, access } = server;
  send(request(1, 'tools/call', { name: 'desk.ticket.close', arguments: { id: 1 } }));
  assert.deepEqual((await next()).result.structuredContent, { done: true });
  await access.revoke();
  send(request(2, 'tools/call', { name: 'desk.ticket.close', arguments: { id: 1 } }));
  const { error } = await next();
  assert.deepEqual([error.code, error.data.code], [-32603, 'control.UNAUTHENTICATED']);
  await answersOnce(server);
  const nowhere = startStdio(context, { SERVICE_CLI_URL: 'http://127.0.0.1:1', SERVICE_CLI_TOKEN: 'x' });
  nowhere.send(request(1, 'tools/list'));
  const gone = (await nowhere.next()).error;
  assert.deepEqual([gone.data.code, gone.data.retryable], ['control.UNAVAILABLE', true]);
  await answersOnce(nowhere);
});

// MCP-STDIO-2
test('without an address it says so and ends with 2; without a reader it ends', async (context) => {
  const { code, rest, stderr } = await startStdio(context, {}).end();
  assert.deepEqual([code, rest], [2, []]);
  assert.match(stderr, /SERVICE_MCP_URL/);
  const { send, child } = await open(context);
  child.stdout.destroy();
  send(request(1, 'ping'));
  await once(child, 'exit');
});

test('the official client starts it, and works in a real world', async (context) => {
  const bank = await create();
  const access = await bindings.open({ world: bank.world, actorId: 'clerk', bindings: ['mcp'] });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: process.execPath, args: stdioArguments, env: environmentOf(access) });
  await client.connect(transport);
  context.after(() => client.close());
  assert.equal(client.getServerVersion()?.name, 'drillyard');
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'bank_pay'));
  const call = { name: 'bank.add', arguments: { account: 'main', amount: 5 }, _meta: { 'drillyard/idempotencyKey': 'k' } };
  const first = await client.callTool(call);
  const again = await client.callTool(call);
  assert.deepEqual(again.structuredContent, first.structuredContent);
  assert.equal(await bank.balance(), 105);
  await hearLongWait(client, bank);
});
