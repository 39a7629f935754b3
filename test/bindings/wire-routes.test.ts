// A tool's own routes over real sockets, on both servers: what codecs are given, what they may send, and who is let in.
import assert from 'node:assert/strict';
import { request as rawRequest } from 'node:http';
import { after, test } from 'node:test';
import { routesOfAgents } from '../../src/bindings/agent-routes.js';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { reserved } from '../../src/compiler/route-checks.js';
import type { JsonObject } from '../../src/contract/json.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import type { Access } from '../../src/drills/ports/bindings-port.js';
import { loadUws } from '../../src/http/uws-binary.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { createWire, evidence, json, openWireWorlds, position, seen } from './wire-kit.js';

const worlds = await openWireWorlds('shared');

interface Wire {
  world: WorldRef;
  access: Access;
  /** The base URL of the access, and the one that has no address in it. */
  url: string;
  origin: string;
  token: string;
  send(
    path: string,
    options?: RequestInit & { bare?: boolean },
  ): Promise<{ status: number; headers: Headers; text: string; body: JsonObject }>;
}

after(() => worlds.close());

test('the paths that the compiler keeps from tools are those of the bindings', () => {
  assert.deepEqual([...reserved].sort(), routesOfAgents.map(({ path }) => path).sort());
});

for (const engine of loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const)) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());
  const openWire = async (actorId = 'agent', within = worlds): Promise<Wire> => {
    const world = await createWire(within);
    const access = await bindings.open({ world, actorId, bindings: ['http', 'cli'] });
    const { url, token } = access.endpoints.http ?? assert.fail('no http endpoint');
    const { origin } = new URL(url);
    return {
      world,
      access,
      url,
      origin,
      token,
      send: async (path, { bare = false, headers, ...options } = {}) => {
        const authorization: { [name: string]: string } = bare ? {} : { authorization: `Bearer ${token}` };
        const reply = await fetch(url + path, { ...options, headers: { ...authorization, ...(headers as { [name: string]: string }) } });
        const text = await reply.text();
        const isJson = text !== '' && reply.headers.get('content-type')?.startsWith('application/json') === true;
        return { status: reply.status, headers: reply.headers, text, body: isJson ? JSON.parse(text) : {} };
      },
    };
  };
  test(`${engine}: decode sees path, lists of query and headers, and the body`, async () => {
    const { send } = await openWire();
    const { status, body, headers } = await send('/json/ac%20me%2Finc/items/%C3%A9?tag=a&tag=b&empty=&plus=x+y&__proto__=p', {
      ...json({ n: 1, __proto__: null }),
      headers: { 'content-type': 'application/vnd.acme+json; charset=UTF-8', 'X-Many': 'one' },
    });
    assert.equal(status, 201);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.match(headers.get('x-correlation-id') ?? '', /^corr_/);
    const request = seen(body);
    assert.deepEqual([request.routeId, request.method, request.pathname], ['json', 'POST', '/json/ac%20me%2Finc/items/%C3%A9']);
    assert.deepEqual(request.path, { owner: 'ac me/inc', item: 'é' });
    assert.deepEqual(request.query, JSON.parse('{"__proto__":["p"],"empty":[""],"plus":["x y"],"tag":["a","b"]}'));
    assert.deepEqual(request.body, { kind: 'json', value: { n: 1 } });
    const given = request.headers as { [name: string]: string[] };
    assert.deepEqual([given['x-many'], given['content-type']], [['one'], ['application/vnd.acme+json; charset=UTF-8']]);
    assert.equal(given.authorization, undefined);
    assert.equal(given.connection, undefined);
  });

  test(`${engine}: ids, segments and parameters of a route keep their case`, async () => {
    const { send } = await openWire();
    const { status, body } = await send('/Users/Me/noteList/Work');
    assert.equal(status, 200);
    const { routeId, pathname, path } = seen(body);
    assert.deepEqual(
      { routeId, pathname, path },
      { routeId: 'noteList.Get', pathname: '/Users/Me/noteList/Work', path: { userId: 'Me', NoteId: 'Work' } },
    );
    assert.equal((await send('/users/Me/notelist/Work')).status, 404);
  });

  test(`${engine}: a repeated header is a list`, async () => {
    const { origin, token } = await openWire();
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `token ${token}`, 'x-many': ['one', 'two, three'], 'content-type': 'application/json' };
      const asked = rawRequest(`${origin}/json/a/items/b`, { method: 'POST', headers }, (reply) => {
        let all = '';
        reply.setEncoding('utf8').on('data', (piece: string) => {
          all += piece;
        });
        reply.on('end', () => resolve(all));
      });
      asked.on('error', reject).end('{}');
    });
    assert.deepEqual((seen(JSON.parse(text)).headers as JsonObject)['x-many'], ['one', 'two, three']);
  });

  // WIRE-ROUTES-1, WIRE-ROUTES-3
  test(`${engine}: the credential is found where the route says, and nowhere in what decode sees`, async () => {
    const { send, token, world } = await openWire();
    const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
    const accepted: [string, RequestInit, object][] = [
      [
        '/form',
        { method: 'POST', body: `a=1&a=2&b=%20&token=${token}`, headers: { ...asForm, 'x-api-key': token } },
        { kind: 'form', value: { a: ['1', '2'], b: [' '] } },
      ],
      ['/form', { method: 'POST', headers: { 'x-api-key': token, 'x-copy': `key ${token}` } }, { kind: 'form', value: {} }],
      ['/text', { method: 'PUT', body: 'héllo', headers: { authorization: basic('key', token) } }, { kind: 'text', value: 'héllo' }],
      ['/text', { method: 'PUT', body: '', headers: { authorization: basic(token, '') } }, { kind: 'text', value: '' }],
      [`/query?access_token=${token}&copy=${token}&copy=kept`, {}, { kind: 'none' }],
      ['/open/door', {}, { kind: 'none' }],
    ];
    for (const [path, options, body] of accepted) {
      const reply = await send(path, { ...options, bare: true });
      assert.equal(reply.status, 200, `${path}: ${reply.text}`);
      assert.ok(!reply.text.includes(token), path);
      assert.deepEqual(seen(reply.body).body, body);
    }
    assert.deepEqual(seen((await send(`/query?access_token=${token}&copy=${token}&copy=kept`, { bare: true })).body).query, {
      copy: ['kept'],
    });
    for (const entry of await evidence(world)) assert.ok(!JSON.stringify(entry).includes(token));
  });

  test(`${engine}: basic authentication takes user and password as they are, and as clients of OAuth 2 encode them`, async () => {
    const { send, token } = await openWire();
    const put = (user: string, password: string) => {
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
      return send('/text', { method: 'PUT', body: 'x', headers: { authorization }, bare: true });
    };
    const encoded = [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    for (const [user, password] of [
      ['key', encoded],
      [encoded, ''],
      ['a%3Ab+c', encoded],
      ['100%', token],
    ] as const)
      assert.equal((await put(user, password)).status, 200, `${user}:${password}`);
    for (const [user, password] of [
      ['key', encodeURIComponent(encoded)],
      ['100%', encoded],
      ['key', `${encoded}+`],
    ] as const)
      assert.equal((await put(user, password)).status, 401, `${user}:${password}`);
  });

  test(`${engine}: a 401 asks for what its route takes`, async () => {
    const { send } = await openWire();
    const asked = async (path: string, method: string) => (await send(path, { method, bare: true })).headers.get('www-authenticate');
    const basic = 'Basic realm="world", charset="UTF-8"';
    assert.equal(await asked('/text', 'PUT'), basic);
    assert.equal(await asked('/many', 'POST'), `Bearer realm="drillyard", ${basic}`);
    assert.equal(await asked('/plain', 'POST'), 'Bearer realm="drillyard"');
    assert.equal(await asked('/form', 'POST'), 'Bearer realm="drillyard"');
  });

  // WIRE-ROUTES-1, WIRE-ROUTES-3
  test(`${engine}: of a list of places the first that holds anything has the credential`, async () => {
    const { send, token, world } = await openWire();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const post = (query: string, body: string, headers: { [name: string]: string }) =>
      send(`/many${query}`, { method: 'POST', body, headers: { ...form, ...headers }, bare: true });
    const taken: [query: string, body: string, headers: { [name: string]: string }][] = [
      ['?a=1', 'b=2', { authorization: `Bearer ${token}` }],
      ['?a=1', 'b=2', { authorization: basic(token, '') }],
      ['?a=1', 'b=2', { authorization: basic('me', token) }],
      ['?a=1', `b=2&token=${token}`, {}],
      [`?a=1&token=${token}`, 'b=2', {}],
      [`?a=1&token=${token}`, 'token=wrong&b=2', {}],
      ['?a=1&token=wrong', 'token=wrong&b=2', { authorization: `Bearer ${token}` }],
    ];
    for (const [query, body, headers] of taken) {
      const reply = await post(query, body, headers);
      assert.equal(reply.status, 200, `${query} ${body} ${reply.text}`);
      assert.ok(!reply.text.includes(token));
      const { query: shown, body: read, headers: given } = seen(reply.body);
      assert.deepEqual([shown, read], [{ a: ['1'] }, { kind: 'form', value: { b: ['2'] } }], `${query} ${body}`);
      assert.equal((given as JsonObject).authorization, undefined);
    }
    const refused: typeof taken = [
      ['', `token=${token}`, { authorization: 'Bearer wrong' }],
      ['?token=wrong', `token=${token}`, {}],
      ['', `other=${token}`, {}],
      ['', `token=${token}&bad=%ff`, {}],
      ['', `{"token":"${token}"}`, { 'content-type': 'application/json' }],
    ];
    for (const [query, body, headers] of refused) {
      const reply = await post(query, body, headers);
      assert.deepEqual([reply.status, reply.body.code], [401, 'control.UNAUTHENTICATED'], `${query} ${body}`);
    }
    for (const entry of await evidence(world)) assert.ok(!JSON.stringify(entry).includes(token));
    assert.equal((await evidence(world)).length, taken.length + 1);
  });

  test(`${engine}: a route of any_json reads JSON whatever its content type`, async () => {
    const { send } = await openWire();
    const post = (body: string | undefined, type?: string) =>
      send('/plain', {
        method: 'POST',
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
        headers: type === undefined ? {} : { 'content-type': type },
      });
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'text/plain; charset=latin1', 'no type', undefined])
      assert.deepEqual(seen((await post('{"a":[1]}', type)).body).body, { kind: 'json', value: { a: [1] } }, type);
    assert.deepEqual(seen((await post(undefined)).body).body, { kind: 'none' });
    const refused = await post('a=1', 'application/x-www-form-urlencoded');
    assert.deepEqual([refused.status, refused.body.code], [400, 'control.INVALID_JSON']);
  });

  // WIRE-ROUTES-1
  test(`${engine}: a credential at another place, of another kind or of nobody is refused, and reaches no world`, async () => {
    const { send, token, world, origin } = await openWire();
    const before = await position(world);
    const refused: [string, RequestInit][] = [
      ['/json/a/items/b', json({})],
      ['/json/a/items/b', json({}, { authorization: `Basic ${token}` })],
      ['/json/a/items/b', json({}, { authorization: token })],
      [`/json/a/items/b?access_token=${token}`, json({})],
      ['/form', { method: 'POST', headers: { authorization: `Bearer ${token}` } }],
      ['/form', { method: 'POST', headers: { 'x-api-key': 'nobody' } }],
      ['/text', { method: 'PUT', headers: { authorization: `Bearer ${token}` } }],
      ['/query', { headers: { authorization: `Bearer ${token}` } }],
    ];
    for (const [path, options] of refused) {
      const reply = await send(path, { ...options, bare: true });
      assert.deepEqual([reply.status, reply.body.code], [401, 'control.UNAUTHENTICATED'], `${path} ${JSON.stringify(options)}`);
    }
    assert.equal((await fetch(`${origin}/open/door`)).status, 401, 'nobody knows whose door it is');
    assert.equal((await fetch(`${origin}/~0123456789abcdef0123456789abcdef/open/door`)).status, 401, 'no such address');
    assert.equal((await fetch(`${origin}/open/door`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.deepEqual((await position(world)).evidenceSequence, before.evidenceSequence + 1);
  });

  // WIRE-ROUTES-1
  test(`${engine}: accesses of several worlds on one listener each reach their own`, async () => {
    const [first, second] = [await openWire(), await openWire('guest')];
    const asked = await fetch(`${second.url}/notes/a`, { headers: { authorization: `Bearer ${first.token}` } });
    assert.equal(asked.status, 200, 'the credential says who asks, whatever the address');
    assert.equal((await second.send('/open/door', { bare: true })).status, 403);
    assert.equal((await second.send('/say', json({}))).status, 500, 'a denial that the codec did not think of');
    const entries = async ({ world }: Wire) => {
      return (await evidence(world)).flatMap((entry) => (entry.kind === 'operation' ? [[entry.actorId, entry.outcome.kind]] : []));
    };
    assert.deepEqual(await entries(first), [['agent', 'ok']]);
    assert.deepEqual(await entries(second), [
      ['guest', 'denied'],
      ['guest', 'denied'],
    ]);
  });

  test(`${engine}: the status is the manifest's, and a sensible one where it has none`, async () => {
    const { send, world } = await openWire();
    const expected: [string, number, string][] = [
      ['NOT_THERE', 404, 'tool_error'],
      ['TOO_OFTEN', 429, 'tool_error'],
      ['nothing', 422, 'invalid'],
      ['UNHEARD_OF', 500, 'tool_error'],
      ['throws', 500, 'tool_error'],
    ];
    for (const [how, status, kind] of expected) {
      const reply = await send(`/fail/${how}`);
      assert.deepEqual([reply.status, reply.headers.get('x-outcome')], [status, kind], how);
    }
    for (const [faultId, status] of [
      ['down', 503],
      ['broken', 500],
    ] as const) {
      await world.command({ kind: 'setFault', packageId: 'probe', faultId, active: true });
      assert.equal((await send('/json/a/items/b', json({}))).status, status);
      await world.command({ kind: 'setFault', packageId: 'probe', faultId, active: false });
    }
    const deleted = await send('/json', { method: 'DELETE' });
    assert.deepEqual([deleted.status, deleted.text, deleted.headers.get('content-type')], [204, '', null]);
    const invalid = await send('/notes/a', { ...json({ text: 7 }), method: 'PUT' });
    assert.deepEqual([invalid.status, invalid.body.kind], [400, 'invalid']);
  });

  test(`${engine}: evidence of a route is evidence of the generic call, receipts included`, async () => {
    const [wire, generic] = [await openWire(), await openWire()];
    const key = { 'idempotency-key': 'k-1' };
    for (let times = 0; times < 2; times++) {
      assert.equal((await wire.send('/notes/a', { ...json({ text: 'x' }, key), method: 'PUT' })).status, 200);
      await generic.send('/v1/operations/probe/note.put', json({ arguments: { id: 'a', text: 'x' }, idempotencyKey: 'k-1' }));
    }
    assert.equal((await wire.send('/notes/b', { ...json({ text: 'x' }, key), method: 'PUT' })).body.kind, 'invalid');
    await generic.send('/v1/operations/probe/note.put', json({ arguments: { id: 'b', text: 'x' }, idempotencyKey: 'k-1' }));
    const [left, right] = [await position(wire.world), await position(generic.world)];
    assert.deepEqual(left, right);
    assert.equal(left.evidenceSequence, 5);
  });

  test(`${engine}: encode knows which call it repeats, and evidence is as it was`, async () => {
    const { send, world } = await openWire();
    const put = async (id: string, text: string, key: string) => {
      const asked = { ...json({ text }, { 'idempotency-key': key }), method: 'PUT' };
      const { invocation } = (await send(`/shown/${id}`, asked)).body as { invocation: JsonObject };
      return [invocation.callId, invocation.replayedCallId];
    };
    const [first, none] = await put('a', 'x', 'k-1');
    assert.equal(none, undefined);
    const [second, replayed] = await put('a', 'x', 'k-1');
    assert.notEqual(second, first);
    assert.equal(replayed, first);
    assert.equal((await put('a', 'x', 'k-2'))[1], undefined);
    assert.equal((await put('a', 'y', 'k-1'))[1], undefined, 'a key that is used again for another call repeats none');
    assert.ok(!JSON.stringify(await evidence(world)).includes('replayedCallId'));
  });

  test(`${engine}: the generic routes lie below the same base URL, and below its origin`, async () => {
    const { send, origin, token } = await openWire();
    assert.equal((await send('/v1/tools')).status, 200);
    assert.equal((await send('/health', { bare: true })).status, 200);
    assert.equal((await fetch(`${origin}/v1/tools`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  });

  test(`${engine}: a route names no instance, so the one that is granted answers`, async () => {
    const { send } = await openWire();
    assert.deepEqual((await send('/notes/n')).body, { kind: 'ok', value: { id: 'n', instanceId: 'probe-eu' } });
  });

  test(`${engine}: what encode makes is what the client gets`, async () => {
    const { send } = await openWire();
    const say = (value: object) => send('/say', json(value));
    const html = await say({
      message: { headers: { ETag: '"1"', 'Cache-Control': 'max-age=5' }, body: { kind: 'text', value: '<p>é', contentType: 'text/html' } },
    });
    assert.deepEqual(
      [html.status, html.text, html.headers.get('content-type'), html.headers.get('etag'), html.headers.get('cache-control')],
      [200, '<p>é', 'text/html', '"1"', 'max-age=5'],
    );
    assert.equal(html.headers.get('content-disposition'), null);
    const bytes = await say({ message: { body: { kind: 'bytes', contentType: 'image/x-dot' } }, bytes: [104, 0, 105] });
    assert.deepEqual([bytes.text, bytes.headers.get('content-type')], ['h\0i', 'image/x-dot']);
    const empty = await say({ message: { body: { kind: 'empty' } } });
    assert.deepEqual([empty.status, empty.text, empty.headers.get('content-length')], [200, '', '0']);
    const open = {
      link: '</notes?page=2>; rel="next"',
      etag: '"1"',
      'retry-after': '1',
      'x-ratelimit-remaining': '0',
      'access-control-allow-origin': '*',
    };
    for (const location of ['/a', 'https://vendor.example/b', '//vendor.example', 'c?d:e'])
      assert.equal((await say({ message: { headers: { ...open, location }, body: { kind: 'empty' } } })).headers.get('location'), location);
    const vendors = await say({ message: { headers: open, body: { kind: 'empty' } } });
    for (const [name, value] of Object.entries(open)) assert.equal(vendors.headers.get(name), value);
    assert.equal(vendors.headers.get('content-security-policy'), "sandbox; default-src 'none'");
    assert.equal(vendors.headers.get('x-content-type-options'), 'nosniff');
    const named = await say({ message: { headers: { 'content-type': 'application/hal+json' }, body: { kind: 'json', value: null } } });
    assert.deepEqual([named.text, named.headers.get('content-type')], ['null', 'application/hal+json']);
  });

  test(`${engine}: what encode may not send is an error of the tool, and the call stands`, async () => {
    const { send, world } = await openWire();
    const message = (headers: object) => ({ message: { headers, body: { kind: 'empty' } } });
    const bad: [object, RegExp][] = [
      [message({ 'x-a': 'b\r\nx-c: d' }), /visible ASCII/],
      [message({ 'x a': 'b' }), /no name of a header/],
      [message({ Connection: 'close' }), /server's own/],
      [message({ 'Content-Length': '9' }), /server's own/],
      [message({ 'x-a': 1 }), /visible ASCII/],
      ...[
        'Set-Cookie',
        'Service-Worker-Allowed',
        'Clear-Site-Data',
        'Strict-Transport-Security',
        'Alt-Svc',
        'Content-Security-Policy',
        'X-Content-Type-Options',
        'X-Frame-Options',
        'Access-Control-Allow-Credentials',
        'Refresh',
        'NEL',
        'Report-To',
        'Public-Key-Pins',
        'Cross-Origin-Opener-Policy',
        'X-Accel-Redirect',
      ].map((name): [object, RegExp] => [message({ [name]: 'a' }), /no route may set it/]),
      ...['javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x', 'intent://x'].map((location): [object, RegExp] => [
        message({ Location: location }),
        /other than http and https/,
      ]),
      [message({ 'X-A': 'b', 'x-a': 'c' }), /twice/],
      [message(Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`x-${index}`, '']))), /65 headers/],
      [message({ 'x-a': 'b'.repeat(17_000) }), /bytes/],
      [{ message: { body: { kind: 'text', value: 'x', contentType: 'a\nb' } } }, /contentType/],
      [{ message: { body: { kind: 'xml', value: 'x' } } }, /body of encode/],
      [{ message: { headers: [], body: { kind: 'empty' } } }, /object of strings/],
      [{ big: 4 * 1024 * 1024 + 1 }, /4194304 are the most/],
      [{}, /JsonRefusal/],
    ];
    const before = (await position(world)).evidenceSequence;
    for (const [value, reason] of bad) {
      const reply = await send('/say', json(value));
      assert.deepEqual(
        [reply.status, reply.body.code, reply.body.source],
        [500, 'world.HANDLER_FAILED', 'simulated_provider'],
        JSON.stringify(value).slice(0, 200),
      );
      assert.match(String(reply.body.message), reason);
      assert.ok(validateErrorEnvelope(reply.body).ok);
    }
    assert.equal((await position(world)).evidenceSequence, before + bad.length);
  });

  test(`${engine}: what decode throws is a bad request that never became a call`, async () => {
    const { send, world } = await openWire();
    const before = await position(world);
    const thrown = await send('/say', json({ decode: 'throws' }));
    assert.deepEqual([thrown.status, thrown.body.code], [400, 'control.INVALID_REQUEST']);
    assert.match(String(thrown.body.message), /not like this/);
    const failed = await send('/notes/a', { method: 'PUT' });
    assert.deepEqual([failed.status, failed.body.details], [400, { code: 'BODY_MISSING' }]);
    const misshapen = await send('/say', json({ decode: 'misshapen' }));
    assert.deepEqual([misshapen.status, misshapen.body.code], [500, 'world.HANDLER_FAILED']);
    assert.deepEqual(await position(world), before);
  });

  test(`${engine}: bodies that are not what the route wants are refused before any codec`, async () => {
    const { send, token, world } = await openWire();
    const before = await position(world);
    const key = { 'x-api-key': token };
    const cases: [string, RequestInit, number][] = [
      ['/json/a/items/b', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400],
      ['/json/a/items/b', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }, 415],
      ['/json/a/items/b', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }, 415],
      ['/json/a/items/b', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }, 400],
      ['/json/a/items/b', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'br' } }, 415],
      ['/json/a/items/b', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1), headers: { 'content-type': 'application/json' } }, 413],
      ['/form', { method: 'POST', body: '{}', headers: { ...key, 'content-type': 'application/json' } }, 415],
      ['/form', { method: 'POST', body: 'a=%zz', headers: { ...key, 'content-type': 'application/x-www-form-urlencoded' } }, 400],
      ['/json/%zz/items/b', json({}), 400],
      ['/json/a/items/b?q=%zz', json({}), 400],
      ['/text', { method: 'PUT', body: new Uint8Array([255, 254]), headers: { authorization: `Basic ${btoa(`:${token}`)}` } }, 400],
    ];
    for (const [path, options, status] of cases) {
      const reply = await send(path, options);
      assert.equal(reply.status, status, `${path} ${reply.text}`);
      assert.ok(validateErrorEnvelope(reply.body).ok);
    }
    assert.deepEqual(await position(world), before);
  });

  test(`${engine}: what is not declared is not there; a declared path tells its methods`, async () => {
    const { send } = await openWire();
    for (const path of ['/nowhere', '/json', '/json/a/items', '/json/a/items/b/c', '/json//items/b', '/']) {
      const reply = await send(path, { method: path === '/json' ? 'GET' : 'POST' });
      const expected = path === '/json' ? [405, 'control.METHOD_NOT_ALLOWED'] : [404, 'control.ROUTE_NOT_FOUND'];
      assert.deepEqual([reply.status, reply.body.code], expected, path);
    }
    assert.equal((await send('/nowhere', { bare: true })).status, 404);
    const options = await send('/notes/a', { method: 'OPTIONS' });
    assert.deepEqual([options.status, options.headers.get('allow')], [405, 'GET, HEAD, PUT']);
    const head = await send('/notes/a', { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.ok(Number(head.headers.get('content-length')) > 0);
  });

  test(`${engine}: a revoked access opens no route, its open ones neither`, async () => {
    const { send, access } = await openWire();
    await access.revoke();
    assert.equal((await send('/notes/a')).status, 401);
    assert.equal((await send('/open/door', { bare: true })).status, 401);
  });

  test(`${engine}: codecs that hang are ended as handlers are, with all that the call had done, and the world continues`, async () => {
    const hasty = await openWireWorlds(`hasty-${engine.length}`, { handlerTimeoutMs: 300, hostCoolDownMs: 0 });
    try {
      const { send, world } = await openWire('agent', hasty);
      for (const value of [{ decode: 'hangs' }, { hang: true }]) {
        const reply = await send('/say', json(value));
        assert.deepEqual([reply.status, reply.body.code], [504, 'world.HANDLER_TIMEOUT']);
      }
      assert.equal((await position(world)).evidenceSequence, 1);
      assert.equal((await send('/notes/a')).status, 200);
    } finally {
      await hasty.close();
    }
  });
}
