// Bytes of agents' requests on their way: whose they are, and that the whole of one organization leaves others theirs.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHostedBindings, type HostedBindings } from '../../src/bindings/hosted-bindings.js';
import { limits } from '../../src/contract/limits.js';
import type { HttpReply } from '../../src/http/server.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { createDepot, manyEvents } from './bodies-kit.js';
import { createWire, openWireWorlds } from './wire-kit.js';

const worlds = await openWireWorlds('agent-bytes');
after(() => worlds.close());
const routed = await createWire(worlds);

const world = { query: async () => [], command: async () => ({ outcome: { kind: 'ok', value: null } }) } as unknown as WorldRef;
const most = limits.organizationBodyBytesMax / limits.bodyBytesMax;

const hosted = (): HostedBindings =>
  createHostedBindings({
    publicUrl: 'http://localhost:1',
    nowMs: () => 1000,
    onFailure: ({ error }) => {
      throw error;
    },
  });
interface Body {
  bytes: number;
  text: string;
  type: string;
  comes: Promise<void>;
}
interface Sent {
  status: number;
  code?: string;
  message?: string;
}
/** Sends requests whose bodies come when they are let. */
function sender(bindings: HostedBindings) {
  let letCome = (): void => {};
  const come = new Promise<void>((resolve) => {
    letCome = resolve;
  });
  const ask = async (token: string, path: string, more: Partial<Body> = {}): Promise<HttpReply> => {
    const { bytes = limits.bodyBytesMax, text = '{}', type = 'application/json', comes = come } = more;
    const headers = {
      host: 'localhost:1',
      authorization: `Bearer ${token}`,
      'content-type': type,
      'content-length': String(bytes),
    };
    return await bindings.handler({
      method: 'POST',
      path,
      query: '',
      headers: new Map(Object.entries(headers)),
      repeatedHeaders: new Map(),
      address: '127.0.0.1',
      signal: new AbortController().signal,
      body: async () => {
        await comes;
        return Buffer.from(text);
      },
    });
  };
  const send = async (token: string, path: string, more: Partial<Body> = {}): Promise<Sent> => {
    const reply = await ask(token, path, more);
    const { code, message } = JSON.parse(String(reply.body)) as Partial<Sent>;
    reply.whenOver?.();
    return { status: reply.status, ...(code === undefined ? {} : { code }), ...(message === undefined ? {} : { message }) };
  };
  return { ask, send, letCome };
}
const now = Promise.resolve();
const refused = `The organization has more than ${limits.organizationBodyBytesMax} bytes under way.`;

test('bodies that an organization declares and does not send take nothing of another, whatever the projects they are of', async () => {
  const bindings = hosted();
  const { send, letCome } = sender(bindings);
  for (const [token, owner, organizationId] of [
    ['dyw_a1', 'proj_1', 'org_a'],
    ['dyw_a2', 'proj_2', 'org_a'],
    ['dyw_b', 'proj_3', 'org_b'],
  ] as const)
    await bindings.open({ world, actorId: 'agent', bindings: ['http', 'mcp'], token, owner, organizationId });
  const path = '/world/v1/wait';
  const waiting = Array.from({ length: most }, (_, index) => send(index % 2 === 0 ? 'dyw_a1' : 'dyw_a2', path));
  const over = await send('dyw_a1', path, { comes: now });
  assert.deepEqual([over.status, over.code, over.message], [429, 'control.RATE_LIMITED', refused]);
  assert.equal((await send('dyw_b', path, { comes: now })).status, 200);
  letCome();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
  assert.equal((await send('dyw_a1', path, { comes: now })).status, 200);
});

test('messages of MCP and small bodies of wire routes are counted with those of operations', async () => {
  const path = '/world/json/a/items/b';
  for (const [first, second] of [
    ['/world/mcp', path],
    [path, '/world/v1/wait'],
    ['/world/v1/wait', '/world/mcp'],
  ] as const) {
    const bindings = hosted();
    const { send, letCome } = sender(bindings);
    for (const name of ['a', 'b'])
      await bindings.open({
        world: routed,
        actorId: 'agent',
        bindings: ['http', 'mcp'],
        token: `dyw_${name}`,
        organizationId: `org_${name}`,
      });
    const waiting = Array.from({ length: most }, () => send('dyw_a', first));
    for (const next of [first, second]) {
      const over = await send('dyw_a', next, { comes: now });
      assert.deepEqual([over.status, over.code, over.message], [429, 'control.RATE_LIMITED', refused], `${first}, then ${next}`);
      assert.notEqual((await send('dyw_b', next, { comes: now })).status, 429, next);
    }
    letCome();
    await Promise.all(waiting);
    assert.notEqual((await send('dyw_a', second, { comes: now })).status, 429, 'released');
    await bindings.close();
  }
});

// WIRE-ROUTES-4
test('bodies with bytes are counted by organization, of however many worlds they are', async () => {
  const bindings = hosted();
  const { send, letCome } = sender(bindings);
  for (const name of ['a1', 'a2', 'b'])
    await bindings.open({
      world: await createDepot(worlds),
      actorId: 'agent',
      bindings: ['http'],
      token: `dyw_${name}`,
      organizationId: `org_${name[0]}`,
    });
  const large = { bytes: limits.wireBodyBytesMax, type: 'application/octet-stream' };
  const waiting = ['dyw_a1', 'dyw_a2'].map((token) => send(token, '/world/media', large));
  const over = await send('dyw_a1', '/world/media', { ...large, comes: now });
  assert.deepEqual([over.status, over.message], [429, `The organization has more than ${limits.ownerWireBytesMax} bytes under way.`]);
  assert.equal((await send('dyw_b', '/world/media', { ...large, comes: now })).status, 200);
  letCome();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200);
  await bindings.close();
});

// WIRE-ROUTES-4
test('replies of text that have not left hold back the next of their organization, of whichever world, and no other', async () => {
  const bindings = hosted();
  const { ask } = sender(bindings);
  for (const [name, world] of [
    ['a1', routed],
    ['a2', await createWire(worlds)],
    ['b', await createWire(worlds)],
  ] as const)
    await bindings.open({ world, actorId: 'agent', bindings: ['http'], token: `dyw_${name}`, organizationId: `org_${name[0]}` });
  const text = JSON.stringify({ big: limits.encodedBodyBytesMax });
  const say = (token: string) => ask(token, '/world/say', { text, bytes: text.length, comes: now });
  const held: HttpReply[] = [];
  for (let count = limits.ownerWireBytesMax / limits.encodedBodyBytesMax; count > 0; count--)
    held.push(await say(count % 2 === 0 ? 'dyw_a1' : 'dyw_a2'));
  assert.ok(held.every(({ status }) => status === 200));
  let isThere = false;
  const next = say('dyw_a1').then((reply) => {
    isThere = true;
    return reply;
  });
  const other = await say('dyw_b');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([other.status, isThere], [200, false]);
  held[0]?.whenOver?.();
  assert.equal((await next).status, 200);
  await bindings.close();
});

// WIRE-ROUTES-4
test('a stream of events that a client does not read is counted until it is over', async () => {
  const bindings = hosted();
  const { ask } = sender(bindings);
  for (const [name, world] of [
    ['a1', routed],
    ['a2', await createDepot(worlds)],
    ['b', await createWire(worlds)],
  ] as const)
    await bindings.open({ world, actorId: 'agent', bindings: ['http'], token: `dyw_${name}`, organizationId: `org_${name[0]}` });
  const send = (token: string, path: string, asked: object) => {
    const text = JSON.stringify(asked);
    return ask(token, path, { text, bytes: text.length, comes: now });
  };
  const say = (token = 'dyw_a1') => send(token, '/world/say', { big: limits.encodedBodyBytesMax });
  const stream = await send('dyw_a2', '/world/chat/completions', manyEvents);
  assert.deepEqual([stream.status, stream.stream === undefined], [200, false]);
  for (let count = limits.ownerWireBytesMax / limits.encodedBodyBytesMax; count > 1; count--) await say();
  let isThere = false;
  const next = say().then((reply) => {
    isThere = true;
    return reply;
  });
  const other = await say('dyw_b');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([other.status, isThere], [200, false]);
  stream.whenOver?.();
  assert.equal((await next).status, 200);
  await bindings.close();
});

test('what one organization may have on its way is a quarter of what all may', () => {
  assert.ok(4 * limits.organizationBodyBytesMax <= limits.bodyBytesUnderWayMax);
  assert.ok(4 * limits.organizationReplyBytesMax <= limits.replyBytesUnderWayMax);
  assert.ok(4 * limits.ownerWireBytesMax <= limits.wireBytesUnderWayMax);
});
