// Pages of other sites that ask wire routes, of local worlds and of hosted ones, on both servers: the question of a browser before the
// request, and the headers of every answer. A browser itself is the judge where the machine has one. And path parameters with slashes.
import assert from 'node:assert/strict';
import { createServer, request as rawRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createHostedBindings, type HostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { noBrowser, openBrowser } from '../inspector/app/browser-kit.js';
import { createWire, openWireWorlds } from './wire-kit.js';

const worlds = await openWireWorlds('cross-origin');
after(() => worlds.close());

interface Answer {
  status: number;
  headers: { [name: string]: string | string[] | undefined };
  text: string;
}
/** As it stands: fetch has its own mind about Origin. */
function ask(url: string, method: string, headers: { [name: string]: string }, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = rawRequest(url, { method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
const ofCors = ({ headers }: Answer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

const app = 'https://app.example.com';
const stranger = 'https://stranger.example.org';
const wants = (method: string, headers = 'authorization,x-trace') => ({
  'access-control-request-method': method,
  'access-control-request-headers': headers,
});

for (const engine of loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const)) {
  const local = createBindings({ engine });
  let hosted: HostedBindings;
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler: (request) => hosted.handler(request) });
  const failures: unknown[] = [];
  hosted = createHostedBindings({
    publicUrl: `http://127.0.0.1:${server.port}`,
    nowMs: () => 1000,
    onFailure: ({ error }) => failures.push(error),
  });
  after(async () => {
    await local.close();
    await hosted.close();
    await server.close();
    assert.deepEqual(failures, []);
  });
  const places = { local, hosted };
  for (const [place, bindings] of Object.entries(places)) {
    const opened = async (): Promise<{ url: string; authorization: string; bare: string }> => {
      const access = await bindings.open({ world: await createWire(worlds), actorId: 'agent', bindings: ['http'] });
      const { url, token } = access.endpoints.http ?? assert.fail();
      const { origin } = new URL(url);
      return { url, authorization: `Bearer ${token}`, bare: origin + (place === 'hosted' ? hostedPrefix : '') };
    };
    const credentials = place === 'local' ? { 'access-control-allow-credentials': 'true' } : {};

    // CROSS-ORIGIN-1
    test(`${engine}, ${place}: a page that the route names is let in, and no other`, async () => {
      const { url, authorization } = await opened();
      const preflight = await ask(`${url}/pages/a%2Fb`, 'OPTIONS', { origin: app, ...wants('GET') });
      assert.deepEqual([preflight.status, preflight.text], [204, '']);
      assert.deepEqual(ofCors(preflight), {
        'access-control-allow-origin': app,
        'access-control-allow-methods': 'GET',
        'access-control-allow-headers': 'authorization, x-trace',
        'access-control-expose-headers': 'x-made',
        'access-control-max-age': '600',
        ...credentials,
        vary: 'Access-Control-Request-Method, Access-Control-Request-Headers, Origin',
      });
      const answered = await ask(`${url}/pages/a%2Fb`, 'GET', { origin: app, authorization });
      assert.equal(answered.status, 200);
      assert.match(answered.text, /"path":\{"id":"a\/b"\}/);
      assert.deepEqual(ofCors(answered), {
        'access-control-allow-origin': app,
        'access-control-expose-headers': 'x-made',
        ...credentials,
        vary: 'Accept, Origin',
      });
      const others = [
        await ask(`${url}/pages/a`, 'OPTIONS', { origin: stranger, ...wants('GET') }),
        await ask(`${url}/pages/a`, 'GET', { origin: stranger, authorization }),
        await ask(`${url}/pages/a`, 'OPTIONS', { origin: app, ...wants('DELETE') }),
        await ask(`${url}/json`, 'OPTIONS', { origin: app, ...wants('DELETE') }),
        await ask(`${url}/v1/tools`, 'GET', { origin: app, authorization }),
      ];
      assert.deepEqual(
        others.map(({ status, headers }) => [status, headers['access-control-allow-origin']]),
        others.map(() => [403, undefined]),
      );
      for (const { text } of others) assert.match(text, /control\.ORIGIN_REJECTED/);
    });

    test(`${engine}, ${place}: refusals are for the page to read, too`, async () => {
      const { url, authorization } = await opened();
      const unknown = await ask(`${url}/pages/a`, 'GET', { origin: app });
      assert.deepEqual([unknown.status, unknown.headers['access-control-allow-origin']], [401, app]);
      const unread = await ask(`${url}/pages/a`, 'PUT', { origin: stranger, authorization, 'content-type': 'text/x' }, 'x');
      assert.deepEqual([unread.status, unread.headers['access-control-allow-origin']], [415, '*']);
      const broken = await ask(`${url}/pages/a`, 'PUT', { origin: stranger, authorization, 'content-type': 'application/json' }, '{');
      assert.deepEqual([broken.status, broken.headers['access-control-allow-origin']], [400, '*']);
      const method = await ask(`${url}/pages/a`, 'PATCH', { origin: app, authorization });
      assert.deepEqual([method.status, method.headers['access-control-allow-origin']], [405, app]);
      const open = await ask(`${url}/pages/a`, 'OPTIONS', { origin: stranger, ...wants('PUT', 'x-any,content-type') });
      assert.deepEqual([open.status, open.headers['access-control-allow-headers']], [204, 'x-any,content-type']);
      const program = await ask(`${url}/pages/a`, 'GET', { authorization });
      assert.equal(program.headers['access-control-allow-origin'], place === 'local' ? 'https://other.example.com' : undefined);
    });

    test(`${engine}, ${place}: without an address ${place === 'local' ? 'all routes are asked' : 'nobody learns what is there'}`, async () => {
      const { bare } = await opened();
      const { status } = await ask(`${bare}/pages/a`, 'OPTIONS', { origin: app, ...wants('GET') });
      assert.equal(status, place === 'local' ? 204 : 403);
    });

    test(`${engine}, ${place}: a path parameter keeps its encoded slashes`, async () => {
      const { url, authorization } = await opened();
      for (const [sent, id] of [
        ['a%2Fb', 'a/b'],
        ['%2F', '/'],
        ['heads%2ffeat%2Fx', 'heads/feat/x'],
        ['%252F', '%2F'],
        ['a%5Cb', 'a\\b'],
        ['%2E%2E%2Fx', '../x'],
      ]) {
        const { status, text } = await ask(`${url}/pages/${sent}`, 'GET', { authorization });
        assert.equal(status, 200, sent);
        const shown = JSON.parse(text).invocation.arguments.request;
        assert.deepEqual([shown.path, shown.pathname], [{ id }, `/pages/${sent}`]);
      }
      assert.equal((await ask(`${url}/pages/a/b`, 'GET', { authorization })).status, 404);
    });

    test(`${engine}, ${place}: a browser lets a page of another origin ask, and read what it may`, { skip: noBrowser }, async (t) => {
      const { url, authorization } = await opened();
      const site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<title>app</title>'));
      await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
      t.after(() => site.close());
      const home = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
      const { context } = await openBrowser(t, home);
      const page = await context.newPage();
      await page.goto(home);
      const asked = await page.evaluate(
        async ({ base, token }) => {
          const put = (to: string, headers: { [name: string]: string }) =>
            fetch(to, { method: 'PUT', headers: { 'content-type': 'application/json', ...headers }, body: '{"n":1}' }).then(
              async (reply) => [reply.status, reply.headers.get('x-made'), (await reply.text()).length > 0],
              (error: Error) => error.name,
            );
          return [
            await put(`${base}/pages/a%2Fb`, { authorization: token, 'x-trace': '1' }),
            await put(`${base}/pages/a`, {}),
            await put(`${base}/text`, { authorization: token }),
          ];
        },
        { base: url, token: authorization },
      );
      assert.deepEqual(asked, [[200, 'yes', true], [401, null, true], 'TypeError']);
    });
  }
}

test('a page is let in by an access that an earlier process has opened, and behind a node that has forwarded it', async () => {
  const address = '0123456789abcdef0123456789abcdef';
  const world = await createWire(worlds);
  const opened: string[] = [];
  const bindings = createHostedBindings({
    publicUrl: 'http://127.0.0.1:9',
    nowMs: () => 1000,
    onFailure: ({ error }) => assert.fail(String(error)),
  });
  bindings.recall?.({
    tokenShape: /dyw_[\w-]{43}/g,
    openByToken: () => undefined,
    openByAddress: (asked) => {
      if (asked !== address) return undefined;
      opened.push(asked);
      return bindings.open({ world, actorId: 'agent', bindings: ['http'], address }).then(() => {});
    },
  });
  const send = async (path: string, origin: string, { isForwarded = false } = {}) => {
    const headers = new Map([
      ['host', '127.0.0.1:9'],
      ['origin', origin],
    ]);
    for (const [name, value] of Object.entries(wants('GET'))) headers.set(name, value);
    const request = {
      method: 'OPTIONS',
      path: `${hostedPrefix}${path}`,
      query: '',
      headers,
      repeatedHeaders: new Map(),
      address: '127.0.0.1',
    };
    const rest = { signal: new AbortController().signal, body: () => Promise.resolve(new Uint8Array()), isForwarded };
    const { status, headers: answered } = await bindings.handler({ ...request, ...rest });
    return [status, answered?.['access-control-allow-origin']];
  };
  assert.deepEqual(await send(`/~${address}/pages/a`, stranger), [403, undefined]);
  assert.deepEqual(await send(`/~${address}/pages/a`, app), [204, app]);
  assert.deepEqual(opened, [address]);
  assert.deepEqual(await send(`/~${address}/pages/a`, app, { isForwarded: true }), [204, app]);
  assert.deepEqual(await send(`/~${address}/pages/a`, stranger, { isForwarded: true }), [403, undefined]);
  assert.deepEqual(await send(`/~${address.replace('0', 'f')}/pages/a`, app), [403, undefined]);
  await bindings.close();
});
