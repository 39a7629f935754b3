// An agent that reaches its world through another node: the official client sees no difference.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { engines } from '../http/fake-control.js';
import { startFront } from '../http/forward-kit.js';
import { bankWorlds } from '../worlds/bank-kit.js';
import { hearLongWait } from './long-wait.js';

const { create } = bankWorlds();

for (const engine of engines) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());
  const connect = async (context: TestContext) => {
    const bank = await create();
    const access = await bindings.open({ world: bank.world, actorId: 'clerk', bindings: ['mcp'] });
    const { url, token } = access.endpoints.mcp ?? assert.fail();
    const owner = new URL(url);
    // The listener of local bindings knows no nodes: what a node adds to a request changes nothing for it.
    const front = await startFront(engine, { address: owner.origin });
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(owner.pathname, front.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    // The package's own types disagree under exactOptionalPropertyTypes.
    await client.connect(transport as unknown as Parameters<Client['connect']>[0]);
    context.after(() => client.close());
    return { client, bank, access, front };
  };

  test(`${engine}: a client calls tools of a world of another node, and hears how far a long wait is`, async (context) => {
    const { client, bank, access, front } = await connect(context);
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'bank_add'));
    const call = { name: 'bank.add', arguments: { account: 'main', amount: 5 }, _meta: { 'drillyard/idempotencyKey': 'k' } };
    const first = await client.callTool(call);
    assert.deepEqual((await client.callTool(call)).structuredContent, first.structuredContent);
    assert.equal(await bank.balance(), 105);
    const heard = await hearLongWait(client, bank);
    assert.deepEqual(
      heard,
      [...heard].sort((one, other) => one - other),
    );
    assert.ok(front.results.length >= 5 && front.results.every((result) => result === 'answered'), front.results.join());
    await access.revoke();
    await assert.rejects(client.callTool(call), /control\.UNAUTHENTICATED/);
  });
}
