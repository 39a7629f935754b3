// Wire routes of hosted worlds: on the service's own listener, below /world, and nowhere else.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHostedBindings, type HostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { Access, OpenAccess } from '../../src/drills/ports/bindings-port.js';
import { mountAt } from '../../src/http/mount.js';
import type { AnsweredRequest } from '../../src/http/router.js';
import type { HttpServer } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { loadUws } from '../../src/http/uws-binary.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { createWire, evidence, json, openWireWorlds, seen } from './wire-kit.js';

// In a process of its own, so that what codecs make has crossed that border too.
const worlds = await openWireWorlds('hosted', { layout: 'shared', isolation: 'process' });
after(() => worlds.close());

for (const engine of loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const)) {
  const clock = { nowMs: 1000 };
  const answered: AnsweredRequest[] = [];
  let bindings: HostedBindings;
  const starting: Promise<HttpServer> = startHttpServer({
    host: '127.0.0.1',
    port: 0,
    engine,
    handler: mountAt(
      hostedPrefix,
      (request) => bindings.handler(request),
      () => ({ status: 418 }),
    ),
  });
  after(async () => {
    await bindings.close();
    await (await starting).close();
  });
  const opened = async (
    more: Partial<OpenAccess> = {},
  ): Promise<{ access: Access; url: string; base: string; token: string; world: WorldRef }> => {
    const { port } = await starting;
    bindings ??= createHostedBindings({
      publicUrl: `http://127.0.0.1:${port}`,
      nowMs: () => clock.nowMs,
      onFailure: ({ error }) => {
        throw error;
      },
      observers: [{ received: () => {}, answered: (request) => answered.push(request) }],
    });
    const world = await createWire(worlds);
    const access = await bindings.open({ world, actorId: 'agent', bindings: ['http', 'mcp', 'cli'], ...more });
    const { url, token } = access.endpoints.http ?? assert.fail();
    return { access, url, base: `http://127.0.0.1:${port}${hostedPrefix}`, token, world };
  };

  test(`${engine}: routes lie below /world, with an address where a route takes no credential`, async () => {
    const { url, base, token, access } = await opened();
    assert.match(url.slice(base.length), /^\/~[0-9a-f]{32}$/);
    assert.deepEqual([access.endpoints.cli?.url, access.endpoints.mcp?.url], [base, `${base}/mcp`]);
    const authorization = `Bearer ${token}`;
    const shown = await fetch(`${base}/json/a/items/b?x=1`, json({ n: 1 }, { authorization }));
    assert.equal(shown.status, 201);
    assert.equal(seen((await shown.json()) as JsonObject).pathname, '/json/a/items/b', 'decode sees what lies below the base URL');
    const open = await fetch(`${url}/open/door`);
    assert.deepEqual([open.status, seen((await open.json()) as JsonObject).pathname], [200, '/open/door']);
    const bytes = await fetch(
      `${url}/say`,
      json({ message: { body: { kind: 'bytes', contentType: 'x/y' } }, bytes: [0, 255] }, { authorization }),
    );
    assert.deepEqual([...new Uint8Array(await bytes.arrayBuffer())], [0, 255]);
    assert.equal((await fetch(`${url}/v1/tools`, { headers: { authorization } })).status, 200);
    assert.equal((await fetch(base.replace(hostedPrefix, '/json/a/items/b'), json({}, { authorization }))).status, 418, 'not above it');
  });

  test(`${engine}: worlds that share the origin of the control API let no other site in and ask for no password`, async () => {
    const { url, token } = await opened();
    const headers = { 'access-control-allow-origin': '*', 'www-authenticate': 'Basic realm="x"', 'x-own': '1' };
    const say = (given: object) =>
      fetch(`${url}/say`, json({ message: { headers: given, body: { kind: 'empty' } } }, { authorization: `Bearer ${token}` }));
    const reply = await say(headers);
    assert.deepEqual(
      Object.keys(headers).map((name) => reply.headers.get(name)),
      [null, null, '1'],
    );
    assert.equal((await say({ 'www-authenticate': 'Bearer realm="x"' })).headers.get('www-authenticate'), 'Bearer realm="x"');
  });

  // WIRE-ROUTES-2
  test(`${engine}: one build's routes are found for each of its worlds, and answered by the one asked`, async () => {
    const [first, second] = [await opened(), await opened()];
    await fetch(`${first.base}/notes/a`, { ...json({ text: 'x' }, { authorization: `Bearer ${second.token}` }), method: 'PUT' });
    assert.deepEqual([(await evidence(first.world)).length, (await evidence(second.world)).length], [1, 3]);
    assert.equal((await fetch(`${first.base}/notes/a`, { method: 'PUT' })).status, 401);
    for (const path of ['/nowhere', '/notes/a'])
      for (const method of ['PUT', 'PATCH'])
        assert.equal((await fetch(first.base + path, { method })).status, 401, 'a stranger learns of no path');
    const authorization = `Bearer ${first.token}`;
    assert.equal((await fetch(`${first.base}/nowhere`, { method: 'PUT', headers: { authorization } })).status, 404);
    assert.equal((await fetch(`${first.base}/notes/a`, { method: 'PATCH', headers: { authorization } })).status, 405);
  });

  test(`${engine}: an access that has run out opens none of its routes`, async () => {
    const { url, token } = await opened({ expiresAtMs: clock.nowMs + 1 });
    const ask = async () => [
      (await fetch(`${url}/open/door`)).status,
      (await fetch(`${url}/notes/a`, { headers: { authorization: `Bearer ${token}` } })).status,
    ];
    assert.deepEqual(await ask(), [200, 200]);
    clock.nowMs += 1;
    assert.deepEqual(await ask(), [401, 401]);
  });

  test(`${engine}: figures know wire routes by one name, and nothing of their paths`, () => {
    const names = new Set(answered.map(({ route }) => route));
    assert.ok(names.has('wire') && names.has(undefined));
    assert.deepEqual(
      [...names].filter((name) => name?.includes('~') || name?.includes('notes')),
      [],
    );
  });
}
