// Bytes and events of hosted worlds: their host is a process of its own, so they cross that border too, in messages of bounded size.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import { limits } from '../../src/contract/limits.js';
import { mountAt } from '../../src/http/mount.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { createDepot, randomBytes } from './bodies-kit.js';
import { evidence, json, openWireWorlds } from './wire-kit.js';

const worlds = await openWireWorlds('hosted-bytes', { layout: 'shared', isolation: 'process' });
after(() => worlds.close());

for (const engine of loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const)) {
  test(`${engine}: the largest bodies, several at once, and a stream that is cut`, async (t) => {
    const bindings = createHostedBindings({
      publicUrl: 'http://127.0.0.1:1',
      nowMs: () => 1000,
      onFailure: ({ error }) => {
        throw error;
      },
    });
    const handler = mountAt(
      hostedPrefix,
      (request) => bindings.handler(request),
      () => ({ status: 418 }),
    );
    const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler });
    t.after(async () => {
      await bindings.close();
      await server.close();
    });
    const world = await createDepot(worlds);
    const access = await bindings.open({ world, actorId: 'agent', bindings: ['http'] });
    const { url: given, token } = access.endpoints.http ?? assert.fail();
    const url = given.replace('http://127.0.0.1:1/', `http://127.0.0.1:${server.port}/`);
    const bodies = [1, 2].map((seed) => randomBytes(limits.wireBodyBytesMax, seed));
    const puts = await Promise.all(bodies.map((body, key) => fetch(`${url}/b/${key}`, { method: 'PUT', body })));
    assert.deepEqual(
      puts.map(({ status }) => status),
      [200, 200],
    );
    const got = await Promise.all(bodies.map(async (_, key) => Buffer.from(await (await fetch(`${url}/b/${key}`)).arrayBuffer())));
    assert.deepEqual(
      got.map((bytes, key) => bytes.equals(bodies[key] as Buffer)),
      [true, true],
    );
    await world.command({ kind: 'setFault', packageId: 'depot', faultId: 'cut', active: true });
    const messages = [{ role: 'user', content: 'one two three' }];
    const cut = await fetch(`${url}/chat/completions`, json({ messages, stream: true }, { authorization: `Bearer ${token}` }));
    await assert.rejects(cut.text());
    assert.equal((await evidence(world)).filter(({ kind }) => kind === 'fault').length, 1);
  });
}
