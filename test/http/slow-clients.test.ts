// Clients that are slower than the server, or ask for more than they take: both servers hold little for them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import type { HttpHandler, HttpServer, HttpServerOptions } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import type { Uws, UwsApp } from '../../src/http/uws-binary.js';
import { startUwsServer } from '../../src/http/uws-server.js';
import { until } from '../until.js';
import { engines } from './fake-control.js';

const open: HttpServer[] = [];
after(async () => {
  for (const server of open) await server.close();
});
async function start(engine: HttpServer['engine'], handler: HttpHandler, options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, closeGraceMs: 100, engine, handler, ...options });
  open.push(server);
  return server;
}

function client(port: number, localAddress = '127.0.0.1'): Socket {
  return connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
}
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Resolves when the figure has not changed for a while. */
async function settled(figure: () => number): Promise<number> {
  let last = figure();
  for (let same = 0; same < 30; same++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    if (figure() !== last) same = 0;
    last = figure();
  }
  return last;
}

/** All that comes until the server closes. */
async function firstText(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

/** Beyond what the buffers of two sockets take. */
const manyBytes = 64 * 1024 * 1024;

for (const engine of engines) {
  // UWS-REPLY-2
  test(`${engine}: a reply is made when the client has taken those before it`, async () => {
    const bytes = manyBytes / 32;
    let made = 0;
    const server = await start(engine, async () => {
      made += 1;
      return { status: 200, body: Buffer.alloc(bytes, 120) };
    });
    const socket = client(server.port);
    socket.pause();
    socket.write(get.repeat(32));
    assert.ok((await settled(() => made)) < 16, String(made));
    socket.destroy();
  });

  // UWS-REPLY-2
  test(`${engine}: a large reply arrives whole, however slowly it is read`, async () => {
    const body = Buffer.alloc(manyBytes);
    for (let index = 0; index < body.length; index += 4096) body.writeUInt32LE(index, index);
    const server = await start(engine, () => ({ status: 200, body }));
    const socket = client(server.port);
    socket.pause();
    socket.write(get);
    await settled(() => socket.bytesRead);
    const parts: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => parts.push(chunk)).resume();
    await until(() => socket.bytesRead >= body.length);
    await settled(() => socket.bytesRead);
    const all = Buffer.concat(parts);
    assert.ok(all.subarray(all.indexOf('\r\n\r\n') + 4).equals(body));
    // And the connection is good for another one.
    parts.length = 0;
    const before = socket.bytesRead;
    socket.write(get);
    await until(() => socket.bytesRead - before >= body.length);
    socket.destroy();
  });

  test(`${engine}: a stream waits for its reader, and ends when the reader has gone`, async () => {
    let pieces = 0;
    let ended = false;
    async function* stream(): AsyncGenerator<string> {
      try {
        for (;;) {
          pieces += 1;
          yield 'x'.repeat(256 * 1024);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended = true;
      }
    }
    const server = await start(engine, () => ({ status: 200, headers: { 'content-type': 'text/plain' }, stream: stream() }));
    const socket = client(server.port);
    socket.pause();
    socket.write(get);
    const held = await settled(() => pieces);
    assert.ok(held * 256 * 1024 < manyBytes, String(held));
    socket.resume();
    await until(() => pieces > held + 10);
    socket.destroy();
    await until(() => ended);
  });

  // BODY-COLLECTOR-2
  test(`${engine}: little of a body is read before anybody asks for it, and all of it afterwards`, async () => {
    let ask = (): void => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    let bytes = 0;
    const server = await start(engine, async (request) => {
      await asked;
      bytes = (await request.body(manyBytes)).byteLength;
      return { status: 200, close: true };
    });
    const socket = client(server.port);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${manyBytes}\r\n\r\n`);
    for (let sent = 0; sent < manyBytes; sent += 1024 * 1024) socket.write(Buffer.alloc(1024 * 1024));
    assert.ok((await settled(() => socket.writableLength)) > manyBytes / 2);
    ask();
    await firstText(socket);
    assert.equal(bytes, manyBytes);
  });
}

test('node:http: a client that takes nothing of its reply is let go', async () => {
  const server = await start('node:http', () => ({ status: 200, body: Buffer.alloc(manyBytes) }), { replyStallMs: 100 });
  const socket = client(server.port);
  socket.pause();
  socket.write(get);
  await settled(() => socket.bytesRead);
  socket.resume();
  await once(socket, 'close');
  assert.ok(socket.bytesRead < manyBytes);
});

test('node:http: one connection too many is answered 503, whether of one address or of all', async () => {
  const server = await start('node:http', () => ({ status: 200, body: 'taken' }), { connectionsMax: 4, connectionsPerAddressMax: 2 });
  const asks = async (localAddress: string): Promise<Socket> => {
    const socket = client(server.port, localAddress);
    socket.write(get);
    await once(socket, 'data');
    return socket;
  };
  const refused = async (localAddress: string): Promise<void> => {
    const socket = client(server.port, localAddress);
    const text = await firstText(socket);
    assert.match(text, /^HTTP\/1\.1 503 [\s\S]*retry-after: 1\r\n/);
    const envelope = validateErrorEnvelope(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)));
    assert.ok(envelope.ok && envelope.value.code === 'control.UNAVAILABLE');
  };
  const first = await asks('127.0.0.1');
  await asks('127.0.0.1');
  await refused('127.0.0.1');
  await asks('127.0.0.2');
  await asks('127.0.0.3');
  await refused('127.0.0.4');
  first.destroy();
  await once(first, 'close');
  await until(async () => (await asks('127.0.0.4')).destroy() !== undefined);
});

test('uWebSockets.js: a build that reports connections closes those beyond the bound, one that does not says so', async () => {
  type Filter = Parameters<Required<UwsApp>['filter']>[0];
  let change: Filter = () => {};
  const listen = (_host: string, _port: number, _options: number, done: (socket: object) => void): void => done({});
  const app = { any: () => app, listen, close: () => {} } as unknown as UwsApp;
  const uws: Uws = { App: () => app, us_socket_local_port: () => 1 };
  const options = { host: '127.0.0.1', port: 0, handler: () => ({ status: 200 }), connectionsPerAddressMax: 2 };
  const codes = async (isOfficial: boolean): Promise<string[]> =>
    (await startUwsServer(options, { uws, isOfficial })).warnings.map(({ code }) => code);
  assert.deepEqual(await codes(false), ['uws_registry_build', 'uws_connections_unbounded']);
  app.filter = (filter) => {
    change = filter;
    return app;
  };
  assert.deepEqual(await codes(true), []);
  const closed: string[] = [];
  const connection = (name: string, address: string): Parameters<Filter>[0] => ({
    close: () => void closed.push(name),
    getRemoteAddressAsText: () => new TextEncoder().encode(address).buffer as ArrayBuffer,
  });
  const one = connection('one', '10.0.0.1');
  change(one, 1);
  change(connection('two', '10.0.0.1'), 1);
  change(connection('other', '10.0.0.2'), 1);
  const three = connection('three', '10.0.0.1');
  change(three, 1);
  assert.deepEqual(closed, ['three']);
  change(three, -1);
  change(one, -1);
  change(connection('four', '10.0.0.1'), 1);
  assert.deepEqual(closed, ['three']);
});
