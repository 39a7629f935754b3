// Both servers keep the same promises: everything here runs on each.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { errorReply } from '../../src/http/envelope.js';
import type { RouteFailure } from '../../src/http/route-failure.js';
import type { HttpHandler, HttpReply, HttpServer, HttpServerOptions, ServerRequest } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { loadUws } from '../../src/http/uws-binary.js';

const engines: HttpServer['engine'][] = loadUws() === undefined ? ['node:http'] : ['node:http', 'uWebSockets.js'];
const open = new Set<HttpServer>();
after(async () => {
  await Promise.all([...open].map((server) => server.close()));
});

async function start(engine: HttpServer['engine'], handler: HttpHandler, options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, closeGraceMs: 200, ...options, handler, engine });
  open.add(server);
  return server;
}

const read =
  (bytesMax: number): HttpHandler =>
  async (request) => {
    try {
      return { status: 200, body: await request.body(bytesMax) };
    } catch (error) {
      return errorReply(error, 'corr_test');
    }
  };

/** Writes bytes on a connection of its own and reads until the server closes, or until `enough`. */
function raw(port: number, parts: string | string[], enough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (enough(text)) done();
    });
    socket.on('end', done);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' || error.code === 'EPIPE' ? done() : reject(error)));
    for (const part of Array.isArray(parts) ? parts : [parts]) socket.write(part, 'latin1');
  });
}

const bodies = (text: string): string[] => [...text.matchAll(/\r\n\r\n(\/\d)/g)].map((match) => match[1] as string);
const replies = (text: string): number => text.split('HTTP/1.1 ').length - 1;

for (const engine of engines) {
  test(`${engine}: method, path, query and repeated headers reach the handler undecoded`, async () => {
    let seen: ServerRequest | undefined;
    const server = await start(engine, (request) => {
      seen = request;
      return { status: 201, headers: { 'x-own': '1' }, body: 'héllo' };
    });
    const text = await raw(server.port, 'GET /a/%41%2f?x=1&y=%20 HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n');
    assert.match(text, /^HTTP\/1\.1 201 Created\r\n/);
    assert.match(text, /x-own: 1/i);
    assert.match(text, /content-length: 6/i);
    assert.equal(seen?.method, 'GET');
    assert.equal(seen?.path, '/a/%41%2f');
    assert.equal(seen?.query, 'x=1&y=%20');
    assert.equal(seen?.headers.get('x-a'), '1, 2');
  });

  test(`${engine}: HEAD gets the headers of the reply and no body`, async () => {
    const server = await start(engine, () => ({ status: 200, body: 'twelve bytes' }));
    const text = await raw(server.port, 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(text, /content-length: 12/i);
    assert.ok(text.endsWith('\r\n\r\n'));
  });

  // BODY-COLLECTOR-1, UWS-SERVER-2
  test(`${engine}: a body comes whole, with a length or in chunks, empty or not`, async () => {
    const server = await start(engine, read(1000));
    const url = `http://127.0.0.1:${server.port}/`;
    assert.equal(await (await fetch(url, { method: 'POST', body: 'hello' })).text(), 'hello');
    assert.equal(await (await fetch(url, { method: 'POST', body: '' })).text(), '');
    const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
    assert.match(await raw(server.port, [chunked, '3\r\nabc\r\n', '2\r\nde\r\n0\r\n\r\n']), /\r\n\r\nabcde$/);
  });

  // BODY-COLLECTOR-2
  test(`${engine}: a body beyond the limit is 413, and the reply is readable while it is still being sent`, async () => {
    const server = await start(engine, read(1000));
    const url = `http://127.0.0.1:${server.port}/`;
    for (const bytes of [1001, 3_000_000]) {
      const reply = await fetch(url, { method: 'POST', body: Buffer.alloc(bytes) });
      assert.equal(reply.status, 413);
      assert.equal(((await reply.json()) as { code: string }).code, 'control.PAYLOAD_TOO_LARGE');
    }
    assert.equal((await fetch(url, { method: 'POST', body: Buffer.alloc(1000) })).status, 200);
  });

  test(`${engine}: a chunked body beyond the limit is 413 too`, async () => {
    const server = await start(engine, read(10));
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    assert.match(await raw(server.port, [head, `14\r\n${'x'.repeat(20)}\r\n0\r\n\r\n`], (text) => replies(text) === 1), /^HTTP\/1\.1 413 /);
  });

  // BODY-COLLECTOR-3
  test(`${engine}: a body that does not arrive in time is refused`, async () => {
    const server = await start(engine, read(1000), { bodyTimeoutMs: 50 });
    const text = await raw(
      server.port,
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab',
      (sofar) => replies(sofar) === 1 && sofar.includes('}'),
    );
    assert.match(text, /^HTTP\/1\.1 400 [\s\S]*did not arrive within 50 ms/);
  });

  // BODY-COLLECTOR-1
  test(`${engine}: an upload that the client aborts rejects the body and aborts the signal`, async () => {
    const outcome = deferred<{ error: unknown; aborted: boolean }>();
    const entered = deferred<void>();
    const server = await start(engine, async (request) => {
      const { signal } = request;
      entered.resolve();
      const error = await request.body(1000).catch((reason: unknown) => reason);
      outcome.resolve({ error, aborted: signal.aborted });
      return { status: 200 };
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab');
    await entered.promise;
    socket.resetAndDestroy();
    const { error } = await outcome.promise;
    assert.ok(error instanceof ServiceError);
  });

  test(`${engine}: what arrives in one packet is answered in order`, async () => {
    const server = await start(engine, ({ path }) => ({ status: 200, body: path }));
    const text = await raw(server.port, 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.deepEqual(bodies(text), ['/1', '/2']);
  });

  // UWS-SERVER-3
  test(`${engine}: requests pipelined behind one that waits are answered in order or not at all`, async () => {
    const server = await start(engine, async ({ path }) => {
      await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, body: path };
    });
    const text = await raw(server.port, 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const answered = bodies(text);
    assert.deepEqual(answered, ['/1', '/2'].slice(0, answered.length));
  });

  test(`${engine}: what is not HTTP never reaches the handler`, async () => {
    let reached = 0;
    const server = await start(engine, () => {
      reached += 1;
      return { status: 200 };
    });
    const bad = [
      'garbage\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET noslash HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    ];
    for (const request of bad) {
      const socket = connect(server.port, '127.0.0.1');
      let text = '';
      socket.on('error', () => {});
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      // Ending our half makes a server that waits for more give up at once.
      socket.end(request, 'latin1');
      await new Promise((resolve) => socket.once('close', resolve));
      assert.ok(text === '' || text.startsWith('HTTP/1.1 400 '), `${JSON.stringify(request)} got ${text.slice(0, 40)}`);
      if (text !== '')
        assert.equal((JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { code: string }).code, 'control.INVALID_REQUEST');
    }
    assert.equal(reached, 0);
  });

  test(`${engine}: a handler that throws is answered as an internal error without its message`, async () => {
    const server = await start(engine, () => {
      throw new Error('secret path /etc');
    });
    const reply = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal(reply.status, 500);
    assert.ok(!(await reply.text()).includes('secret'));
  });

  test(`${engine}: close lets the reply in flight leave and then refuses connections`, async () => {
    const gate = deferred<void>();
    const entered = deferred<void>();
    const server = await start(engine, async () => {
      entered.resolve();
      await gate.promise;
      return { status: 200, body: 'done' };
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const reply = fetch(url);
    await entered.promise;
    const closed = server.close();
    gate.resolve();
    assert.equal(await (await reply).text(), 'done');
    await closed;
    await assert.rejects(fetch(url));
    open.delete(server);
  });

  test(`${engine}: a handler that never replies does not hold up close beyond its grace`, async () => {
    const server = await start(engine, () => new Promise(() => {}), { closeGraceMs: 20 });
    const reply = fetch(`http://127.0.0.1:${server.port}/`).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await server.close();
    assert.ok((await reply) instanceof Error);
    open.delete(server);
  });

  test(`${engine}: a port that is taken is an error`, async () => {
    const first = await start(engine, () => ({ status: 200 }));
    await assert.rejects(startHttpServer({ host: '127.0.0.1', port: first.port, handler: () => ({ status: 200 }), engine }));
  });
}

for (const engine of engines) {
  test(`${engine}: requests leave nothing behind`, async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const server = await start(engine, read(2000));
    const body = 'x'.repeat(1000);
    const spend = async (count: number): Promise<number> => {
      for (let index = 0; index < count; index++) {
        await (await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body })).arrayBuffer();
      }
      for (let round = 0; round < 3; round++) {
        collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = await spend(600);
    // Had each left its body and its request behind, it would be twice as much.
    assert.ok((await spend(1000)) - before < 1_200_000);
  });
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('node:http: of a connection that is closed because it pipelines too much, the rest is not even parsed', async () => {
  const server = await start('node:http', () => ({ status: 200, body: 'taken' }));
  let parsed = 0;
  const count = (): void => {
    parsed += 1;
  };
  // Node.js itself reports each request that it makes, also those that no handler of ours sees.
  subscribe('http.server.request.start', count);
  try {
    const text = await raw(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000));
    assert.ok(text.split('HTTP/1.1 ').length - 1 <= limits.repliesOwedMax);
    assert.ok(parsed > limits.repliesOwedMax && parsed <= limits.repliesOwedMax + 1, `${parsed} were parsed`);
  } finally {
    unsubscribe('http.server.request.start', count);
  }
});

test('node:http: a reply that cannot be written ends its connection, is logged as a bug, and ends nothing else', async () => {
  const failures: RouteFailure[] = [];
  const unsendable: HttpReply[] = [
    { status: 200, headers: { 'x-a': 'b\r\nx-c: d' } },
    { status: 99, body: 'x' },
    { status: 200, headers: { 'x a': 'b' }, stream: (async function* () {})() },
  ];
  let over = 0;
  const whenOver = (): void => {
    over++;
  };
  const handler: HttpHandler = ({ path }) => ({ ...(unsendable[Number(path.slice(1))] ?? { status: 200, body: '/3' }), whenOver });
  const server = await start('node:http', handler, { onFailure: (failure) => failures.push(failure) });
  for (const place of unsendable.keys()) assert.equal(await raw(server.port, `GET /${place}?q HTTP/1.1\r\nHost: a\r\n\r\n`), '');
  assert.deepEqual(bodies(await raw(server.port, 'GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')), ['/3']);
  assert.deepEqual(
    failures.map(({ method, path }) => `${method} ${path}`),
    ['GET /0', 'GET /1', 'GET /2'],
  );
  for (const { error } of failures) assert.match(String((error as { code?: string }).code), /^ERR_/);
  assert.equal(over, 4);
});
