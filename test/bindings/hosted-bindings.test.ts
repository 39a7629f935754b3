// The hosted bindings: who may ask below /world, from where, with what.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostedBindings, type HostedBindings } from '../../src/bindings/hosted-bindings.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import type { HttpReply } from '../../src/http/server.js';
import type { WorldRef } from '../../src/worlds/api.js';

const clock = { nowMs: 1000 };
const bindings = (publicUrl = 'https://yard.example:8443'): HostedBindings =>
  createHostedBindings({
    publicUrl,
    nowMs: () => clock.nowMs,
    onFailure: ({ error }) => {
      throw error;
    },
  });
const world = { query: async () => [] } as unknown as WorldRef;
const open = (from: HostedBindings, more: object = {}): Promise<Access> =>
  from.open({ world, actorId: 'agent', bindings: ['http', 'mcp', 'cli'], token: 'dyw_of-a-test', ...more });

async function ask(from: HostedBindings, path: string, headers: { [name: string]: string }): Promise<{ status: number; code?: string }> {
  const reply: HttpReply = await from.handler({
    method: 'GET',
    path,
    query: '',
    headers: new Map(Object.entries(headers)),
    repeatedHeaders: new Map(),
    address: '127.0.0.1',
    signal: new AbortController().signal,
    body: async () => new Uint8Array(),
  });
  const { code } = JSON.parse(String(reply.body)) as { code?: string };
  return code === undefined ? { status: reply.status } : { status: reply.status, code };
}
const bearer = { authorization: 'Bearer dyw_of-a-test' };

test('every binding is below /world of the public URL and opens with the token it was given', async () => {
  const from = bindings();
  const { endpoints } = await open(from);
  const token = 'dyw_of-a-test';
  assert.deepEqual(endpoints, {
    http: { url: 'https://yard.example:8443/world', token },
    mcp: { url: 'https://yard.example:8443/world/mcp', token },
    cli: { url: 'https://yard.example:8443/world', token },
  });
  const host = 'yard.example:8443';
  assert.deepEqual(await ask(from, '/world/v1/tools', { host, ...bearer }), { status: 200 });
  assert.deepEqual(await ask(from, '/world/health', { host }), { status: 200 });
  assert.deepEqual(await ask(from, '/v1/tools', { host, ...bearer }), { status: 404, code: 'control.ROUTE_NOT_FOUND' });
});

test('the Host is the public one or loopback, and so is the Origin of a page', async () => {
  const from = bindings();
  await open(from);
  const tools = (headers: { [name: string]: string }) => ask(from, '/world/v1/tools', { ...bearer, ...headers });
  for (const host of ['yard.example', 'YARD.example:8443', 'localhost:1', '127.0.0.1:80', '[::1]:80']) {
    assert.equal((await tools({ host })).status, 200, host);
    assert.equal((await tools({ host, origin: `http://${host}` })).status, 200, host);
  }
  const rejected = { status: 403, code: 'control.ORIGIN_REJECTED' };
  for (const host of [
    'evil.example',
    'yard.example.evil.example',
    'yard.example@evil.example',
    'a@yard.example',
    'yard.example/x',
    '',
    'yard.example:99999',
    '0.0.0.0',
  ]) {
    assert.deepEqual(await tools({ host }), rejected, host);
  }
  assert.deepEqual(await tools({}), rejected);
  for (const origin of ['null', 'https://evil.example', 'file://yard.example', 'https://yard.example@evil.example', 'yard.example']) {
    assert.deepEqual(await tools({ host: 'yard.example', origin }), rejected, origin);
  }
});

test('a token is refused when it is unknown, revoked, or past its time', async () => {
  const from = bindings();
  const host = 'localhost';
  const refused = { status: 401, code: 'control.UNAUTHENTICATED' };
  assert.deepEqual(await ask(from, '/world/v1/tools', { host, ...bearer }), refused);
  assert.deepEqual(await ask(from, '/world/v1/tools', { host }), refused);
  const access = await open(from, { expiresAtMs: clock.nowMs + 1 });
  assert.equal((await ask(from, '/world/v1/tools', { host, ...bearer })).status, 200);
  clock.nowMs += 1;
  assert.deepEqual(await ask(from, '/world/v1/tools', { host, ...bearer }), refused);
  await access.revoke();
  const other = await open(from);
  await other.revoke();
  assert.deepEqual(await ask(from, '/world/v1/tools', { host, ...bearer }), refused);
});

test('closing ends every access', async () => {
  const from = bindings();
  const { direct } = await from.open({ world, actorId: 'agent', bindings: ['direct', 'http'] });
  await from.close();
  await assert.rejects(direct?.tools() ?? Promise.resolve(), { code: 'control.UNAUTHENTICATED' });
});
