// What a node forwards, and what comes back: as if its owner had been asked itself, whatever engine is at either side.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import { limits } from '../../src/contract/limits.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { tooLarge } from '../../src/http/body-collector.js';
import { errorReply } from '../../src/http/envelope.js';
import { requireHost } from '../../src/http/guards.js';
import { createRouter } from '../../src/http/router.js';
import type { HttpHandler, ServerRequest } from '../../src/http/server.js';
import { gate } from '../gate.js';
import { until } from '../until.js';
import { type Front, pairs, raw, startFront, startNode, startOwner } from './forward-kit.js';

/** What the owner has seen of a request, as JSON. */
const tell: HttpHandler = async (request) => {
  const { method, path, query, headers, repeatedHeaders, address, isForwarded } = request;
  const body = Buffer.from(await request.body(1000)).toString('hex');
  const seen = { method, path, query, headers: [...headers], repeated: [...repeatedHeaders], address, isForwarded, body };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(seen) };
};
interface Seen {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  repeated: [string, string[]][];
  address: string;
  isForwarded: boolean;
  body: string;
}
const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);
const codeOf = (text: string): string => {
  const envelope = JSON.parse(text) as { code: string };
  assert.ok(validateErrorEnvelope(envelope).ok, text);
  return envelope.code;
};

for (const [front, owner] of pairs) {
  const name = `${front} to ${owner}`;
  const chain = async (handler: HttpHandler): Promise<Front> => {
    const node = await startOwner(owner, handler);
    return await startFront(front, { address: node.url });
  };

  test(`${name}: a request arrives as it was sent, without what belonged to its connection`, async () => {
    const { port, results } = await chain(tell);
    const lines = [
      'POST /a/%41%2f?x=1&y=%20 HTTP/1.1',
      'Host: world.example:81',
      'X-A: 1',
      'x-a: 2, 3',
      'Idempotency-Key: key-1',
      'Connection: close, X-Of-Connection',
      'X-Of-Connection: 1',
      'TE: trailers',
      'Keep-Alive: timeout=5',
      'Proxy-Connection: keep-alive',
      'Content-Length: 4',
    ];
    const text = await raw(port, `${lines.join('\r\n')}\r\n\r\nabc\xe9`, (sofar) => sofar.endsWith('}'));
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    const seen = JSON.parse(bodyOf(text)) as Seen;
    const { headers, ...rest } = seen;
    assert.deepEqual(rest, {
      ...{ method: 'POST', path: '/a/%41%2f', query: 'x=1&y=%20', repeated: [['x-a', ['1', '2, 3']]] },
      ...{ address: '127.0.0.1', isForwarded: true, body: '616263e9' },
    });
    const expected = [
      ['connection', 'keep-alive'],
      ['content-length', '4'],
      ['host', 'world.example:81'],
      ['idempotency-key', 'key-1'],
      ['x-a', '1, 2, 3'],
    ];
    assert.deepEqual(headers.sort(), expected);
    assert.deepEqual(results, ['answered']);
  });

  test(`${name}: bytes above 0x7f in a header are refused as a lone service refuses them`, async () => {
    const { port, results } = await chain(tell);
    const text = await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\nX-A: b\xe9b\r\nConnection: close\r\n\r\n');
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.equal(codeOf(bodyOf(text)), 'control.INVALID_REQUEST');
    assert.deepEqual(results, []);
  });

  test(`${name}: status, headers, length and body come back, also of HEAD, 204, 304, a redirect and an error`, async () => {
    const replies: { [path: string]: ReturnType<HttpHandler> } = {
      '/ok': { status: 201, headers: { 'x-own': 'a, b', etag: '"1"' }, body: 'twelve bytes' },
      '/none': { status: 204 },
      '/same': { status: 304, headers: { etag: '"1"' } },
      '/elsewhere': { status: 302, headers: { location: '/ok' }, body: '' },
      '/bad': errorReply(tooLarge(7), 'corr_1'),
    };
    const handler: HttpHandler = ({ path }) => replies[path] as Awaited<ReturnType<HttpHandler>>;
    const node = await startOwner(owner, handler);
    const direct = await startNode(front, handler);
    const { port } = await startFront(front, { address: node.url });
    const ask = (at: number, method: string, path: string): Promise<string> =>
      raw(at, `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    // Which of the two engines writes a date, and the case of a name, is no affair of a reply.
    const plain = (text: string): string[] => {
      const head = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
      const [status = '', ...lines] = head;
      const kept = lines.map((line) => line.toLowerCase()).filter((line) => !/^(?:date|connection|keep-alive):/.test(line));
      return [status, ...kept.sort(), bodyOf(text)];
    };
    for (const path of Object.keys(replies)) {
      for (const method of ['GET', 'HEAD']) {
        const has = plain(await ask(port, method, path));
        assert.deepEqual(has, plain(await ask(direct.port, method, path)), `${method} ${path}`);
        assert.ok(has.length > 2 && (method === 'GET' || has.at(-1) === ''), has.join());
      }
    }
  });

  test(`${name}: the owner's bounds of a body answer, and above the largest of any route this node does`, async () => {
    const largest = Math.max(...Object.values(endpointTable).map((row: { bodyBytesMax?: number }) => row.bodyBytesMax ?? 0));
    const largestOfTools = limits.wireBodyBytesMax + limits.wireFramingBytesMax;
    assert.equal(limits.forwardedBodyBytesMax, Math.max(largest, limits.bodyBytesMax, largestOfTools));
    const { url } = await chain(async (request) => {
      try {
        return { status: 200, body: String((await request.body(3_000_000)).byteLength) };
      } catch (error) {
        return errorReply(error, 'corr_owner');
      }
    });
    const ask = async (bytes: number): Promise<[number, string]> => {
      const reply = await fetch(url, { method: 'POST', body: Buffer.alloc(bytes, 120) });
      return [reply.status, await reply.text()];
    };
    assert.deepEqual(await ask(3_000_000), [200, '3000000']);
    for (const [bytes, bytesMax] of [
      [3_000_001, 3_000_000],
      [limits.forwardedBodyBytesMax + 1, limits.forwardedBodyBytesMax],
    ] as const) {
      const [status, text] = await ask(bytes);
      assert.deepEqual([status, codeOf(text)], [413, 'control.PAYLOAD_TOO_LARGE']);
      assert.ok(text.includes(`larger than ${bytesMax} bytes`), text);
    }
  });

  test(`${name}: a body in chunks, one of no length, and a POST without one arrive`, async () => {
    const { port } = await chain(tell);
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    const ask = async (rest: string): Promise<Seen> => JSON.parse(bodyOf(await raw(port, post + rest))) as Seen;
    assert.equal(
      (await ask('Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n')).body,
      Buffer.from('abcde').toString('hex'),
    );
    for (const rest of ['Content-Length: 0\r\n\r\n', '\r\n']) {
      const { body, headers } = await ask(rest);
      assert.deepEqual([body, new Map(headers).get('content-length')], ['', '0']);
    }
  });

  // FORWARDING-2
  test(`${name}: a long reply keeps its length, and every byte`, async () => {
    const bytes = Buffer.alloc(5_000_000, 'abcdefg');
    const { url } = await chain(() => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: bytes }));
    const reply = await fetch(url);
    assert.equal(reply.headers.get('content-length'), String(bytes.length));
    assert.ok(Buffer.from(await reply.arrayBuffer()).equals(bytes));
  });

  test(`${name}: a client that reads slowly gets every byte of a long reply, with a length or without`, async () => {
    const part = Buffer.alloc(1_000_003, 'abcdefg');
    const count = 20;
    const stream = async function* () {
      for (let index = 0; index < count; index++) yield part;
    };
    const { port } = await chain(({ path }) => ({
      ...{ status: 200, stream: stream() },
      ...(path === '/sized' ? { streamBytes: count * part.length, isSized: true } : {}),
    }));
    for (const path of ['/sized', '/chunks']) {
      const socket = connect(port, '127.0.0.1');
      const { status, headers, body } = await new Promise<{ status?: number; headers: IncomingHttpHeaders; body: Buffer }>(
        (resolve, reject) => {
          const asked = request({ createConnection: () => socket, path, headers: { host: 'a' } }, async (incoming) => {
            // Until no buffer on the way takes more.
            incoming.pause();
            await new Promise((awake) => setTimeout(awake, 20));
            const pieces: Buffer[] = [];
            for await (const piece of incoming) pieces.push(piece as Buffer);
            resolve({ status: incoming.statusCode as number, headers: incoming.headers, body: Buffer.concat(pieces) });
          });
          asked.on('error', reject).end();
        },
      );
      socket.destroy();
      assert.deepEqual([status, headers['content-length']], [200, path === '/sized' ? String(count * part.length) : undefined]);
      assert.equal(body.length, count * part.length);
      for (let index = 0; index < count; index++) assert.ok(body.subarray(index * part.length, (index + 1) * part.length).equals(part));
    }
  });

  test(`${name}: pieces leave as they come`, async () => {
    const next = gate();
    const { url } = await chain(() => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
      stream: (async function* () {
        yield 'data: 1\n\n';
        await next.opened;
        yield 'data: 2\n\n';
      })(),
    }));
    const reply = await fetch(url);
    assert.deepEqual([reply.headers.get('content-type'), reply.headers.get('x-accel-buffering')], ['text/event-stream', 'no']);
    const reader = (reply.body ?? assert.fail()).pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, 'data: 1\n\n');
    next.open();
    assert.equal((await reader.read()).value, 'data: 2\n\n');
    assert.equal((await reader.read()).done, true);
  });

  // FORWARDING-3
  test(`${name}: a client that goes away, before its reply or in a stream, ends the owner's request`, async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const { url, results } = await chain(({ path, signal }) => {
      begun.push(path);
      const gone = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          ended.push(path);
          resolve();
        });
      });
      if (path === '/wait') return gone.then(() => ({ status: 200 }));
      const stream = (async function* () {
        yield 'data: 1\n\n';
        await gone;
      })();
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, stream };
    });
    for (const path of ['/wait', '/stream']) {
      const abort = new AbortController();
      const reply = fetch(url + path, { signal: abort.signal });
      await until(() => begun.includes(path));
      if (path === '/stream') await (await reply).body?.getReader().read();
      abort.abort();
      await reply.catch(() => {});
      await until(() => ended.includes(path));
    }
    await until(() => results.length === 2);
    assert.deepEqual(results, ['client_gone', 'answered']);
  });

  // FORWARDING-2
  test(`${name}: an owner that goes away in the middle of a reply breaks the client's connection`, async () => {
    const handler: HttpHandler = ({ path }) => {
      const stream = (async function* () {
        yield Buffer.alloc(100_000, 120);
        await new Promise((resolve) => setImmediate(resolve));
        if (path !== '/short') throw new Error('gone');
      })();
      return { status: 200, stream, ...(path === '/chunks' ? {} : { streamBytes: 200_000, isSized: true }) };
    };
    const { url } = await chain(handler);
    for (const path of ['/chunks', '/sized', '/short']) {
      const reply = await fetch(url + path);
      assert.equal(reply.status, 200);
      await assert.rejects(reply.arrayBuffer(), path);
    }
  });

  test(`${name}: many requests at once share few connections`, async () => {
    const addresses = new Set<string>();
    let atOnce = 0;
    let most = 0;
    const node = await startOwner(owner, async ({ path }) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      addresses.add(path);
      return { status: 200, body: path };
    });
    const { url } = await startFront(front, { address: node.url }, { connectionsMax: 4 });
    const asked = Array.from({ length: 100 }, (_, index) => `/${index}`);
    const texts = await Promise.all(asked.map(async (path) => (await fetch(url + path)).text()));
    assert.deepEqual(texts, asked);
    assert.equal(addresses.size, 100);
    assert.ok(most <= 4, String(most));
  });
}

test('requests of clients with more headers than an owner takes beside ours are refused, and up to there they pass', async () => {
  for (const [front, owner] of pairs) {
    const node = await startOwner(owner, tell);
    const { url } = await startFront(front, { address: node.url });
    const port = Number(new URL(url).port);
    const ask = async (lines: number, bytes = 1): Promise<string> => {
      const own = Array.from({ length: lines }, (_, index) => `X-${index}: ${'y'.repeat(bytes)}\r\n`).join('');
      return await raw(port, `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${own}\r\n`);
    };
    assert.match(await ask(limits.forwardedHeadersMax - 1), /^HTTP\/1\.1 200 /, `${front} to ${owner}`);
    assert.match(await ask(limits.forwardedHeadersMax), /^HTTP\/1\.1 400 /);
    assert.match(await ask(1, limits.forwardedHeaderBytesMax - 200), /^HTTP\/1\.1 200 /, `${front} to ${owner}`);
    assert.match(await ask(1, limits.forwardedHeaderBytesMax), /^HTTP\/1\.1 400 /);
  }
});

test('Host and Origin are checked by the node that is asked, by its own names, and the owner does not check them again', async () => {
  const asked: string[] = [];
  const owner = await startOwner(
    'node:http',
    createRouter({
      requireHost: requireHost({ publicUrl: 'http://owner.example' }),
      authenticate: () => undefined,
      routes: [
        {
          method: 'GET',
          path: '/a',
          auth: 'none',
          run: () => {
            asked.push('owner');
            return { status: 200, body: 'owner' };
          },
        },
      ],
      onFailure: ({ error }) => {
        throw error;
      },
    }),
  );
  const front = await startFront('node:http', { address: owner.url }, { requireHost: requireHost({ publicUrl: 'http://front.example' }) });
  const ask = (port: number, host: string, more = ''): Promise<string> =>
    raw(port, `GET /a HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
  assert.match(await ask(front.port, 'front.example'), /^HTTP\/1\.1 200 /);
  assert.equal(codeOf(bodyOf(await ask(front.port, 'owner.example'))), 'control.ORIGIN_REJECTED');
  assert.equal(codeOf(bodyOf(await ask(front.port, 'front.example', 'Origin: http://other.example\r\n'))), 'control.ORIGIN_REJECTED');
  assert.equal(codeOf(bodyOf(await ask(owner.port, 'front.example'))), 'control.ORIGIN_REJECTED', 'asked by a client it checks itself');
  assert.deepEqual(asked, ['owner']);
});

test('what this node owns is answered here, and nothing of it is looked at', async () => {
  const seen: ServerRequest[] = [];
  const { url, results } = await startFront('node:http', 'self', {
    own: (request) => {
      seen.push(request);
      return { status: 200, body: 'own' };
    },
  });
  assert.equal(await (await fetch(url, { method: 'POST', body: 'x' })).text(), 'own');
  assert.deepEqual([seen.length, results], [1, []]);
});
