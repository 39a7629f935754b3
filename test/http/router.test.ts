// The router on a server, as clients see it: matching, the order of the checks, the envelope.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { requireLoopback, unauthenticated } from '../../src/http/guards.js';
import type { RouteFailure } from '../../src/http/route-failure.js';
import { createRouter, type Route } from '../../src/http/router.js';
import type { HttpServer } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';

const routes: Route<string>[] = [
  { method: 'GET', path: '/open', auth: 'none', run: () => ({ status: 200, body: { open: true } }) },
  { method: 'GET', path: '/things/{id}', auth: 'bearer', run: ({ path, caller }) => ({ status: 200, body: { id: path.id, caller } }) },
  { method: 'GET', path: '/things/special', auth: 'bearer', run: () => ({ status: 200, body: { special: true } }) },
  {
    method: 'PUT',
    path: '/things/{key}/parts',
    auth: 'bearer',
    body: {},
    run: ({ path, body }) => ({ status: 200, body: { ...path, body } }),
  },
  { method: 'POST', path: '/small', auth: 'bearer', body: { bytesMax: 10 }, run: ({ body }) => ({ status: 201, body }) },
  {
    method: 'GET',
    path: '/bug',
    auth: 'none',
    run: () => {
      throw new TypeError('secret');
    },
  },
  {
    method: 'GET',
    path: '/busy',
    auth: 'none',
    run: () => {
      throw new ServiceError('control.WORLD_BUSY', { retryAfterMs: 1500 });
    },
  },
  {
    method: 'GET',
    path: '/exhausted/{code}',
    auth: 'none',
    run: ({ path: { code } }) => {
      throw Object.assign(new Error(`${code}: open '/data/evidence'`), { code, syscall: 'open', path: '/data/evidence' });
    },
  },
  {
    method: 'GET',
    path: '/forged',
    auth: 'none',
    run: () => {
      const allow = ['GET', 'GET', 'a\r\nx-forged: b', '*', 5, 'PUT'];
      throw new ServiceError('control.METHOD_NOT_ALLOWED', { details: { allow } });
    },
  },
];
const failures: RouteFailure[] = [];
let server: HttpServer;
before(async () => {
  const handler = createRouter<string>({
    routes,
    requireHost: requireLoopback,
    authenticate: (token) => {
      if (token !== 'good') throw unauthenticated();
      return 'somebody';
    },
    onFailure: (failure) => failures.push(failure),
  });
  server = await startHttpServer({ host: '127.0.0.1', port: 0, handler, closeGraceMs: 100 });
});
after(() => server.close());

interface Sent {
  method?: string;
  headers?: { [name: string]: string };
  body?: string | Uint8Array;
}
async function send(
  path: string,
  { method = 'GET', headers = {}, body }: Sent = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
}
const bearer = { authorization: 'Bearer good' };
const json = { 'content-type': 'application/json' };

// ROUTER-2
test('every reply carries a correlation id, and an error envelope the same one', async () => {
  assert.match((await send('/open')).headers.get('x-correlation-id') ?? '', /^corr_/);
  const { headers, body } = await send('/nowhere');
  assert.ok(validateErrorEnvelope(body).ok);
  assert.equal(body.correlationId, headers.get('x-correlation-id'));
});

test('a literal segment beats a name, values are decoded, and matching is exact', async () => {
  assert.deepEqual((await send('/things/special', { headers: bearer })).body, { special: true });
  assert.deepEqual((await send('/things/a%2Fb%20c', { headers: bearer })).body, { id: 'a/b c', caller: 'somebody' });
  assert.deepEqual((await send('/things/special/parts', { method: 'PUT', headers: { ...bearer, ...json }, body: '1' })).body, {
    key: 'special',
    body: 1,
  });
  for (const path of ['/things/', '/things', '/things/x/', '//things/x', '/Open', '/open/', '/%6fpen']) {
    assert.equal((await send(path, { headers: bearer })).body.code, 'control.ROUTE_NOT_FOUND', path);
  }
  const { status, body } = await send('/things/%zz', { headers: bearer });
  assert.equal(status, 400);
  assert.deepEqual((body.issues as { path: string }[])[0]?.path, '/path/id');
});

test('a known path asked in another way is 405 and tells the ways; HEAD is a GET without its body', async () => {
  const { status, headers } = await send('/things/x', { method: 'DELETE', headers: bearer });
  assert.equal(status, 405);
  assert.equal(headers.get('allow'), 'GET, HEAD');
  assert.equal((await send('/open', { method: 'HEAD' })).status, 200);
});

// ROUTER-1
test('the checks come in their order: each request below breaks a rule and all that come after it', async () => {
  const big = 'x'.repeat(11);
  const steps: [string, string, Sent][] = [
    ['control.ORIGIN_REJECTED', '/nowhere', { method: 'POST', headers: { origin: 'https://evil.example' }, body: big }],
    ['control.ROUTE_NOT_FOUND', '/nowhere', { method: 'POST', body: big }],
    ['control.PAYLOAD_TOO_LARGE', '/small', { method: 'POST', body: big }],
    ['control.UNSUPPORTED_MEDIA_TYPE', '/small', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{' }],
    ['control.UNAUTHENTICATED', '/small', { method: 'POST', headers: json, body: '{' }],
    ['control.INVALID_JSON', '/small', { method: 'POST', headers: { ...json, ...bearer }, body: '{' }],
  ];
  for (const [code, path, sent] of steps) assert.equal((await send(path, sent)).body.code, code);
});

test('Host and Origin must be loopback names', async () => {
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443']) {
    assert.equal((await send('/open', { headers: { origin } })).status, 200, origin);
  }
  for (const origin of [
    'null',
    'https://localhost.evil.example',
    'http://127.0.0.1.nip.io',
    'http://10.0.0.1',
    'file://localhost',
    'http://localhost:1@evil.example',
  ]) {
    assert.equal((await send('/open', { headers: { origin } })).status, 403, origin);
  }
});

test('media types: JSON in UTF-8 and nothing else', async () => {
  const post = async (type: string) =>
    (await send('/small', { method: 'POST', headers: { ...bearer, 'content-type': type }, body: '{}' })).status;
  for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])
    assert.equal(await post(type), 201, type);
  for (const type of ['text/json', 'application/json; charset=latin1', 'application/jsonp', 'application/json, text/html'])
    assert.equal(await post(type), 415, type);
});

test('bearer tokens: one refusal for every reason', async () => {
  const messages = new Set<unknown>();
  for (const authorization of ['', 'Bearer', 'Bearer bad', 'Basic good', 'Bearer good extra', 'good']) {
    const { status, body, headers } = await send('/things/x', { headers: { authorization } });
    assert.equal(status, 401, authorization);
    // RFC 6750 3: what came in no form of a bearer token is no token.
    const challenge = authorization === 'Bearer bad' ? 'Bearer realm="drillyard", error="invalid_token"' : 'Bearer realm="drillyard"';
    assert.equal(headers.get('www-authenticate'), challenge, authorization);
    messages.add(body.message);
  }
  assert.equal(messages.size, 1);
});

test('JSON bodies: empty, broken UTF-8 and too deep are distinguished from well-formed ones', async () => {
  const put = async (body: string | Uint8Array) => await send('/things/x/parts', { method: 'PUT', headers: { ...bearer, ...json }, body });
  assert.equal((await put('')).body.code, 'control.INVALID_JSON');
  assert.equal((await put(new Uint8Array([0x22, 0xff, 0x22]))).body.code, 'control.INVALID_JSON');
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.equal((await put(deep(64))).status, 200);
  const { status, body } = await put(deep(65));
  assert.equal(status, 400);
  assert.equal(body.code, 'control.INVALID_REQUEST');
  assert.deepEqual((await put('{"__proto__":1}')).body, { key: 'x', body: JSON.parse('{"__proto__":1}') });
});

test('a bug is an internal error with its correlation id in the log and nothing of it in the reply', async () => {
  const { status, body, headers } = await send('/bug');
  assert.equal(status, 500);
  assert.equal(body.code, 'control.INTERNAL');
  assert.ok(!JSON.stringify(body).includes('secret'));
  assert.equal(failures.at(-1)?.correlationId, headers.get('x-correlation-id'));
  assert.match(String(failures.at(-1)?.error), /secret/);
});

test('what finds no descriptor is refused as what passes, is no bug, and names no file', async () => {
  const before = failures.length;
  for (const code of ['EMFILE', 'ENFILE']) {
    const { status, body } = await send(`/exhausted/${code}`);
    const { correlationId: _, ...envelope } = body;
    const message = 'The service has too many files open at the moment.';
    assert.deepEqual([status, envelope], [503, { code: 'control.UNAVAILABLE', message, retryable: true, source: 'platform' }]);
  }
  assert.equal(failures.length, before);
  assert.equal((await send('/exhausted/EIO')).status, 500);
});

test('a refusal that may be retried says when', async () => {
  const { status, body, headers } = await send('/busy');
  assert.equal(status, 503);
  assert.equal(body.retryAfterMs, 1500);
  assert.equal(headers.get('retry-after'), '2');
});

test('a refusal allows methods alone, whatever its details say', async () => {
  const { status, headers } = await send('/forged');
  assert.deepEqual([status, headers.get('allow'), headers.get('x-forged')], [405, 'GET, PUT', null]);
});

test('two routes for the same method and path are refused', () => {
  const route: Route<string> = { method: 'GET', path: '/a/{x}', auth: 'none', run: () => ({ status: 200, body: null }) };
  assert.throws(() =>
    createRouter<string>({
      routes: [route, { ...route, path: '/a/{y}' }],
      requireHost: () => {},
      authenticate: () => '',
      onFailure: () => {},
    }),
  );
});
