// Requests that parsers read in ways of their own. Both servers refuse the same ones, end the connection, and answer nothing that comes
// behind.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import type { HttpServer, HttpServerOptions } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { engines } from './fake-control.js';

const open: HttpServer[] = [];
after(async () => {
  for (const server of open) await server.close();
});

interface Seen {
  server: HttpServer;
  /** What reached the handler, with its body. */
  requests: string[];
}
async function start(engine: HttpServer['engine'], options: Partial<HttpServerOptions> = {}): Promise<Seen> {
  const requests: string[] = [];
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    closeGraceMs: 100,
    engine,
    ...options,
    handler: async (request) => {
      const body = request.method === 'POST' ? await request.body(1000).catch(() => undefined) : new Uint8Array();
      if (body !== undefined) requests.push(`${request.path} ${Buffer.from(body).toString('latin1')}`);
      return { status: 200, body: 'taken' };
    },
  });
  open.push(server);
  return { server, requests };
}

/** All that comes until the server closes. `ends`: our half ends, so that a server that waits for more gives up. */
function exchange(port: number, bytes: string, { ends = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
    if (ends) socket.end();
  });
}

/** Each in a packet of its own. */
function inPieces(port: number, pieces: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
    for (const [place, piece] of pieces.entries()) setTimeout(() => socket.write(piece, 'latin1'), place * 200);
  });
}

/** The second half once the first is answered, or the connection has ended. */
function inTwo(port: number, first: string, second: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      if (text === '') socket.end(second, 'latin1');
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.write(first, 'latin1');
  });
}

const get = (headers: string): string => `GET /bad HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body: string): string => `POST /bad HTTP/1.1\r\nHost: a\r\n${headers}\r\n${body}`;
const chunk = '2\r\n{}\r\n0\r\n\r\n';
const behind = 'GET /behind HTTP/1.1\r\nHost: a\r\n\r\n';

/** Answered 400 by both, and the connection ends at once. */
const reported: { [name: string]: string } = {
  'two lengths': post('Content-Length: 1\r\nContent-Length: 2\r\n', 'ab'),
  'the same length twice': post('Content-Length: 2\r\nContent-Length: 2\r\n', 'ab'),
  'a coding of its own': post('Transfer-Encoding: xchunked\r\n', chunk),
  'two codings': post('Transfer-Encoding: gzip, chunked\r\n', chunk),
  'two fields of codings': post('Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n', chunk),
  'two hosts': get('Host: a\r\nHost: b\r\n'),
  'a high byte in a value': get('Host: a\r\nIdempotency-Key: k\xffey-00000001\r\n'),
  'UTF-8 in a value': get('Host: a\r\nX-Name: Jos\xc3\xa9 B\r\n'),
  'a high byte in the path': 'GET /bad\xe9 HTTP/1.1\r\nHost: a\r\n\r\n',
  'a high byte in the query': 'GET /bad?\xe9=1 HTTP/1.1\r\nHost: a\r\n\r\n',
};
/** Refused by both, by one of them without a word. */
const refused: { [name: string]: string } = {
  'a length beside chunks': post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', chunk),
  'a length in a list': post('Content-Length: 2, 2\r\n', '{}'),
  'a length with a sign': post('Content-Length: +2\r\n', '{}'),
  'a negative length': post('Content-Length: -2\r\n', '{}'),
  'a length in hexadecimal': post('Content-Length: 0x2\r\n', '{}'),
  'a length beyond all numbers': post(`Content-Length: ${'9'.repeat(30)}\r\n`, '{}'),
  'lines without carriage returns': 'GET /bad HTTP/1.1\nHost: a\n\n',
  'a line without carriage return': 'GET /bad HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
  'a carriage return alone': get('Host: a\r\nX: a\rb\r\n'),
  'a folded header': get('Host: a\r\nX: a\r\n b\r\n'),
  'a NUL in a value': get('Host: a\r\nX: a\0b\r\n'),
  'a control character in a value': get('Host: a\r\nX: a\x01b\r\n'),
  'a space before the colon': get('Host: a\r\nX : a\r\n'),
  'a high byte in a name': get('Host: a\r\nX-\xe9: a\r\n'),
  'no host': get(''),
  'chunks of no size': post('Transfer-Encoding: chunked\r\n', `zz\r\n{}\r\n0\r\n\r\n`),
  'a chunk beyond all numbers': post('Transfer-Encoding: chunked\r\n', `${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n`),
  'an absolute target': 'GET http://a/bad HTTP/1.1\r\nHost: a\r\n\r\n',
  'no target': 'GET  HTTP/1.1\r\nHost: a\r\n\r\n',
  'huge headers': get(`Host: a\r\nX: ${'a'.repeat(40_000)}\r\n`),
  'too many headers': get(`Host: a\r\n${'X: y\r\n'.repeat(limits.headersMax)}`),
};

function assertOneRefusal(text: string, name: string): void {
  assert.equal(text.split('HTTP/1.1 ').length, 2, `${name}: ${text}`);
  assert.match(text, /^HTTP\/1\.1 400 /, name);
  assert.match(text, /\r\nconnection: close\r\n/i, name);
  assert.ok(validateErrorEnvelope(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).ok, name);
}

for (const engine of engines) {
  test(`${engine}: a malformed request is answered 400, and its connection ends`, async () => {
    const { server, requests } = await start(engine);
    for (const [name, bytes] of Object.entries(reported)) assertOneRefusal(await exchange(server.port, bytes), name);
    assert.deepEqual(requests, []);
  });

  test(`${engine}: nothing behind a malformed request is answered, and nothing of it is done`, async () => {
    const { server, requests } = await start(engine);
    for (const [name, bytes] of Object.entries({ ...reported, ...refused })) {
      const text = await exchange(server.port, bytes + behind, { ends: true });
      if (text !== '') assertOneRefusal(text, name);
      assert.deepEqual(requests, [], name);
    }
    await exchange(server.port, 'GET /good HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.deepEqual(requests, ['/good ']);
  });

  test(`${engine}: a malformed HEAD is answered without a body, also behind another request`, async () => {
    const { server } = await start(engine);
    const huge = `HEAD /bad HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`;
    const twoHosts = 'HEAD /bad HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
    const refusals: string[] = [];
    for (const bytes of [huge, twoHosts, `GET /good HTTP/1.1\r\nHost: a\r\n\r\n${huge}`])
      refusals.push(...(await exchange(server.port, bytes)).split('HTTP/1.1 ').filter((reply) => reply.startsWith('4')));
    // uWebSockets.js may end a connection without a word.
    assert.ok(refusals.length >= (engine === 'node:http' ? 2 : 1), refusals.join());
    for (const refusal of refusals) assert.match(refusal, /^4\d\d [^{]*\r\n\r\n$/);
  });

  test(`${engine}: one whose start came in an earlier piece, too`, async () => {
    const { server } = await start(engine);
    for (const method of ['HEAD', 'GET']) {
      const text = await inPieces(server.port, [`${method} /bad HTTP/1.1\r\nHost: a\r\nX: `, `${'a'.repeat(40_000)}\r\n\r\n`]);
      if (text === '') continue;
      // The pieces may have come together after all.
      if (method === 'HEAD' || /\r\ncontent-length: 0\r\n/.test(text)) assert.match(text, /^HTTP\/1\.1 400 [^{]*\r\n\r\n$/, method);
      else assertOneRefusal(text, method);
    }
    const text = await inPieces(server.port, [post('Transfer-Encoding: chunked\r\n', ''), 'no size\r\n']);
    if (text !== '') assertOneRefusal(text, 'of a body that is under way the method is known');
  });

  test(`${engine}: what is odd and well-formed is taken`, async () => {
    const { server, requests } = await start(engine);
    const ends = 'Connection: close\r\n';
    await exchange(server.port, `POST /e HTTP/1.1\r\nHost: a\r\n${ends}Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    await exchange(server.port, `POST /t HTTP/1.1\r\nHost: a\r\n${ends}X-Tab: a\tb\r\nX-Empty:\r\nContent-Length: 2\r\n\r\n{}`);
    assert.deepEqual(requests, ['/e {}', '/t {}']);
  });

  // UWS-SERVER-4
  test(`${engine}: what stands where a chunk ends, or behind the last one, becomes no request`, async () => {
    const { server, requests } = await start(engine);
    for (const [name, body] of Object.entries({
      'a chunk that is longer than it says': '2\r\n{}??0\r\n\r\n',
      'a last chunk that does not end': '2\r\n{}\r\n0\r\n??',
      'no chunk': '\r\n',
    }))
      for (const split of [false, true]) {
        const bytes = post('Transfer-Encoding: chunked\r\n', body);
        const text = split ? await inTwo(server.port, bytes, behind) : await exchange(server.port, bytes + behind, { ends: true });
        assert.ok(text.split('HTTP/1.1 ').length <= 2, `${name}: ${text}`);
        assert.equal(
          requests.some((request) => request.startsWith('/behind')),
          false,
          name,
        );
      }
  });

  test(`${engine}: trailers are read, or end their connection with the reply`, async () => {
    const { server, requests } = await start(engine);
    const bytes = post('Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\nX-Sum: a\r\n\r\n');
    const text = await exchange(server.port, bytes, { ends: engine === 'node:http' });
    assert.deepEqual(requests, ['/bad {}']);
    if (text !== '') assert.match(text, /^HTTP\/1\.1 200 .*taken$/s);
  });

  test(`${engine}: a body that comes too slowly reaches nobody`, async () => {
    const { server, requests } = await start(engine, { bodyTimeoutMs: 100, headersTimeoutMs: 100 });
    // The handler answers 200 to a body that it did not get; what counts is that it did not get it.
    for (const [headers, body] of [
      ['Content-Length: 10\r\n', 'ab'],
      ['Transfer-Encoding: chunked\r\n', 'a\r\nab'],
    ] as const)
      await new Promise<void>((resolve) => {
        const socket = connect(server.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.once('data', () => socket.destroy()).once('close', () => resolve());
        socket.write(post(headers, body), 'latin1');
      });
    assert.deepEqual(requests, []);
  });
}
