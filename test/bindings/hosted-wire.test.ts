// Wire routes of hosted worlds: on the service's own listener, below /world, and nowhere else.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { createHostedBindings, type HostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { Access, OpenAccess } from '../../src/drills/ports/bindings-port.js';
import type { AnsweredRequest } from '../../src/http/answered-request.js';
import { mountAt } from '../../src/http/mount.js';
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

  test(`${engine}: what an earlier process has opened is found wherever its routes want a credential, and opened once`, async () => {
    const { port } = await starting;
    const text = (url: string, headers: { [name: string]: string }) => fetch(url, { method: 'PUT', headers, body: 'x' });
    const asks: { [place: string]: (base: string, token: string, address: string) => Promise<Response> } = {
      bearer: (base, token) => fetch(`${base}/json/a/items/b`, json({ n: 1 }, { authorization: `Bearer ${token}` })),
      scheme: (base, token) => fetch(`${base}/json/a/items/b`, json({ n: 1 }, { authorization: `token ${token}` })),
      header: (base, token) =>
        fetch(`${base}/form`, { method: 'POST', headers: { 'x-api-key': token }, body: new URLSearchParams({ a: '1' }) }),
      basic: (base, token) =>
        text(`${base}/text`, { 'content-type': 'text/plain', authorization: `Basic ${Buffer.from(`user:${token}`).toString('base64')}` }),
      query: (base, token) => fetch(`${base}/query?access_token=${token}`),
      address: (base, _, address) => fetch(`${base}/~${address}/open/door`),
      native: (base, token) => fetch(`${base}/v1/tools`, { headers: { authorization: `Bearer ${token}` } }),
    };
    const [before, world] = [bindings, await createWire(worlds)];
    try {
      for (const [place, ask] of Object.entries(asks)) {
        const token = `dyw_${place.padEnd(43, '-')}`;
        const [address, other] = ['a'.repeat(32), 'b'.repeat(32)];
        bindings = createHostedBindings({ publicUrl: `http://127.0.0.1:${port}`, nowMs: () => clock.nowMs, onFailure: assert.ifError });
        const opened: string[] = [];
        const open = (key: string, wanted: string) => {
          if (key !== wanted) return undefined;
          opened.push(key);
          return bindings.open({ world, actorId: 'agent', bindings: ['http'], token, address }).then(() => {});
        };
        const tokenShape = /dyw_[\w-]{43}/g;
        bindings.recall?.({
          tokenShape,
          openByToken: (hash) => open(hash, createHash('sha256').update(token).digest('base64url')),
          openByAddress: (asked) => open(asked, address),
        });
        const base = `http://127.0.0.1:${port}${hostedPrefix}`;
        assert.equal((await ask(base, `dyw_${'none'.padEnd(43, '-')}`, other)).status, 401, place);
        assert.deepEqual(opened, []);
        assert.equal((await ask(base, token, address)).ok, true, place);
        assert.equal((await ask(base, token, address)).ok, true, place);
        assert.equal(opened.length, 1, place);
        await bindings.close();
      }
    } finally {
      bindings = before;
    }
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
    assert.equal((await fetch(`${url}/text`, { method: 'PUT' })).headers.get('www-authenticate'), 'Bearer realm="drillyard"');
  });

  test(`${engine}: a body is read for its credential only below an address`, async () => {
    const { url, base, token } = await opened();
    const post = async (at: string) => (await fetch(`${at}/many`, { method: 'POST', body: new URLSearchParams({ token }) })).status;
    assert.deepEqual([await post(url), await post(base)], [200, 401]);
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
