// The official TypeScript client against a real world: what it checks of a server, it checks here.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createBindings } from '../../src/bindings/create-bindings.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import type { Bank } from '../worlds/bank-kit.js';
import { bankWorlds } from '../worlds/bank-kit.js';
import { hearLongWait } from './long-wait.js';

const { create } = bankWorlds();
const bindings = createBindings();
after(() => bindings.close());

interface Connected {
  client: Client;
  bank: Bank;
  access: Access;
}
async function connect(context: TestContext, actorId = 'clerk'): Promise<Connected> {
  const bank = await create();
  const access = await bindings.open({ world: bank.world, actorId, bindings: ['mcp'] });
  const { url, token } = access.endpoints.mcp ?? assert.fail();
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
  // The package's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Parameters<Client['connect']>[0]);
  context.after(() => client.close());
  return { client, bank, access };
}

test('it opens, lists what the actor is granted, and nothing else', async (context) => {
  const { client } = await connect(context);
  assert.equal(client.getServerVersion()?.name, 'drillyard');
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name).filter((name) => /pay|wait|clock/.test(name)),
    ['audit_clock', 'audit_clock__audit-two', 'bank_pay', 'bank_pay__bank-two', 'world_wait'],
  );
  for (const { inputSchema, outputSchema } of tools) assert.deepEqual([inputSchema.type, outputSchema?.type], ['object', 'object']);
  const reader = await connect(context, 'reader');
  assert.deepEqual(
    (await reader.client.listTools()).tools.map(({ name }) => name),
    ['bank_read', 'bank_read__bank-two'],
  );
});

test('a call changes the world once under one key, and its value is what the schema says', async (context) => {
  const { client, bank } = await connect(context);
  await client.listTools();
  const call = { name: 'bank.add', arguments: { account: 'main', amount: 5 }, _meta: { 'drillyard/idempotencyKey': 'k' } };
  const first = await client.callTool(call);
  const again = await client.callTool(call);
  assert.equal(await bank.balance(), 105);
  assert.deepEqual(again.structuredContent, first.structuredContent);
  assert.notDeepEqual(again._meta, first._meta);
  await client.callTool({ name: 'bank_add__bank-two', arguments: { account: 'main', amount: 7 } });
  assert.equal(await bank.balance('main', 'bank-two'), 7);
});

test('a broken argument and a missing grant are results with isError, and evidence', async (context) => {
  const { client, bank } = await connect(context, 'reader');
  const denied = await client.callTool({ name: 'bank.add', arguments: { account: 'main', amount: 5 } });
  const invalid = await client.callTool({ name: 'bank.read', arguments: {} });
  const kinds = [denied, invalid].map(({ isError, content }) => [isError, JSON.parse((content as { text: string }[])[0]?.text ?? '').kind]);
  assert.deepEqual(kinds, [
    [true, 'denied'],
    [true, 'invalid'],
  ]);
  assert.deepEqual((await bank.evidence()).map((entry) => (entry.kind === 'operation' ? entry.outcome.kind : entry.kind)).slice(1), [
    'denied',
    'invalid',
  ]);
  await assert.rejects(client.callTool({ name: 'bank.none' }), { code: -32602 });
});

test('a tool without a grant is denied by each name that a list could have it by, and each attempt is evidence', async (context) => {
  const { client, bank } = await connect(context, 'reader');
  const attempt = { account: 'main', amount: 5 };
  for (const name of ['bank.add', 'bank_add', 'bank.add__bank-two', 'bank_add__bank-two']) {
    const { isError, content } = await client.callTool({ name, arguments: attempt });
    assert.deepEqual([isError, JSON.parse((content as { text: string }[])[0]?.text ?? '').kind], [true, 'denied'], name);
  }
  const attempts = (await bank.evidence()).flatMap((entry) => (entry.kind === 'operation' ? [entry] : []));
  assert.deepEqual(
    attempts.map(({ invocation: { instanceId, operationId }, outcome }) => [instanceId, operationId, outcome.kind]),
    ['bank', 'bank', 'bank-two', 'bank-two'].map((instanceId) => [instanceId, 'add', 'denied']),
  );
  for (const name of ['bank_none', 'add', 'bank_add__bank-six']) await assert.rejects(client.callTool({ name }), { code: -32602 });
  assert.equal((await bank.evidence()).filter(({ kind }) => kind === 'operation').length, attempts.length);
});

test('a long wait tells how far it is', async (context) => {
  const { client, bank } = await connect(context);
  const heard = await hearLongWait(client, bank);
  assert.equal((await bank.row('seen', 'other', { packageId: 'audit' }))?.count, 60_000);
  assert.deepEqual(
    heard,
    [...heard].sort((a, b) => a - b),
  );
});

test('once revoked, it is refused', async (context) => {
  const { client, access } = await connect(context);
  await access.revoke();
  await assert.rejects(client.callTool({ name: 'bank.add', arguments: { account: 'main', amount: 5 } }), /control\.UNAUTHENTICATED/);
});
