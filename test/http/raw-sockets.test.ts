// Clients that do not speak HTTP well, or at all: the server stays up, says nothing outside of its envelope, and serves the others.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { engines, type FakeControl, fakeControl, keyed, send } from './fake-control.js';

const host = 'Host: drillyard.test\r\n';
const bearer = 'Authorization: Bearer good\r\n';
const me = `GET /v1/me HTTP/1.1\r\n${host}${bearer}\r\n`;
const create = (more: string): string =>
  `POST /v1/projects HTTP/1.1\r\n${host}${bearer}Idempotency-Key: key-00000001\r\nContent-Type: application/json\r\n${more}\r\n`;

interface Raw {
  socket: Socket;
  /** What came so far. */
  text(): string;
  closed: Promise<string>;
  /** Resolves when so many replies have begun. */
  replies(count: number): Promise<string>;
}
function open(port: number, bytes: string): Raw {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  const waiting: { count: number; resolve: (text: string) => void }[] = [];
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const begun = (): number => text.split('HTTP/1.1 ').length - 1;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    for (const { count, resolve } of waiting) if (begun() >= count) resolve(text);
  });
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  // On a busy machine they may have come before anybody waits for them.
  const replies = (count: number): Promise<string> =>
    new Promise((resolve) => (begun() >= count ? resolve(text) : waiting.push({ count, resolve })));
  return { socket, text: () => text, closed, replies };
}

/** Nothing but success or an envelope ever leaves. */
function assertWellFormed(text: string): void {
  for (const part of text.split('HTTP/1.1 ').slice(1)) {
    const status = Number(part.slice(0, 3));
    const body = part.slice(part.indexOf('\r\n\r\n') + 4);
    if (status >= 400) assert.ok(validateErrorEnvelope(JSON.parse(body)).ok, part);
    else assert.ok(status === 100 || status === 200 || status === 201, part);
  }
}

async function assertServes(fake: FakeControl): Promise<void> {
  assert.equal((await send(`${fake.url}/v1/me`)).status, 200);
  assert.equal((await send(`${fake.url}/v1/projects`, { method: 'POST', headers: keyed, body: '{"name":"One"}' })).status, 201);
}

const nonsense: { [name: string]: string } = {
  'no HTTP at all': 'hello\r\n\r\n',
  'a TLS greeting': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'HTTP/2 without asking': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a method nobody knows': `BREW /v1/me HTTP/1.1\r\n${host}\r\n`,
  CONNECT: `CONNECT a:443 HTTP/1.1\r\n${host}\r\n`,
  'an absolute target': `GET http://a/v1/me HTTP/1.1\r\n${host}${bearer}\r\n`,
  'a NUL in the path': `GET /v1/m\0e HTTP/1.1\r\n${host}${bearer}\r\n`,
  'bytes that are no text in the path': `GET /v1/\xff\xfe HTTP/1.1\r\n${host}${bearer}\r\n`,
  'a folded header': `GET /v1/me HTTP/1.1\r\n${host}X: a\r\n b\r\n${bearer}\r\n`,
  'a space before the colon': `GET /v1/me HTTP/1.1\r\n${host}X : a\r\n${bearer}\r\n`,
  'lines without carriage returns': 'GET /v1/me HTTP/1.1\nHost: a\n\n',
  'no Host': `GET /v1/me HTTP/1.1\r\n${bearer}\r\n`,
  'two Hosts': `GET /v1/me HTTP/1.1\r\n${host}Host: other\r\n${bearer}\r\n`,
  'huge headers': `GET /v1/me HTTP/1.1\r\n${host}${bearer}X: ${'a'.repeat(40_000)}\r\n\r\n`,
  'very many headers': `GET /v1/me HTTP/1.1\r\n${host}${bearer}${'X: y\r\n'.repeat(3000)}\r\n`,
  'a negative length': create('Content-Length: -1\r\n'),
  'a length with a sign': create('Content-Length: +2\r\n'),
  'two lengths': `${create('Content-Length: 2\r\nContent-Length: 3\r\n')}{}`,
  'a length beside chunks': `${create('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
  'chunks of no size': `${create('Transfer-Encoding: chunked\r\n')}zz\r\n{}\r\n0\r\n\r\n`,
  'a chunk beyond all numbers': `${create('Transfer-Encoding: chunked\r\n')}fffffffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  'a coding nobody asked for': `${create('Transfer-Encoding: gzip, chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
};

for (const engine of engines) {
  test(`${engine}: bytes that are no good request get an envelope or nothing, and reach nobody`, async () => {
    const fake = await fakeControl(engine);
    for (const [name, bytes] of Object.entries(nonsense)) {
      const raw = open(fake.port, bytes);
      // Our half ends, so that a server that waits for more gives up.
      raw.socket.end();
      const text = await raw.closed;
      assertWellFormed(text);
      assert.ok(!text.startsWith('HTTP/1.1 2'), `${name}: ${text.slice(0, 60)}`);
    }
    assert.deepEqual(fake.asked, []);
    await assertServes(fake);
  });

  test(`${engine}: pipelined requests are answered one for one, in their order`, async () => {
    const fake = await fakeControl(engine);
    const post = `${create('Content-Length: 14\r\n')}{"name":"One"}`;
    const raw = open(fake.port, `${me}${post}GET /v1/nowhere HTTP/1.1\r\n${host}\r\n${me}`);
    const text = await raw.replies(4);
    assert.deepEqual(
      [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]),
      ['200', '201', '404', '200'],
    );
    raw.socket.destroy();
    const many = open(fake.port, me.repeat(limits.repliesOwedMax));
    await many.replies(limits.repliesOwedMax);
    many.socket.destroy();
    await assertServes(fake);
  });

  // UWS-SERVER-3
  test(`${engine}: a connection that is owed too many replies is closed, and little of what it asked is done`, async () => {
    const fake = await fakeControl(engine);
    const flood = open(fake.port, me.repeat(2000));
    const text = await flood.closed;
    assert.ok(text.split('HTTP/1.1 ').length - 1 <= limits.repliesOwedMax);
    assert.ok(fake.asked.length <= limits.repliesOwedMax + 1, String(fake.asked.length));
    await assertServes(fake);
  });

  test(`${engine}: slow headers, slow bodies and idle connections hold up nobody`, async () => {
    const fake = await fakeControl(engine, { bodyTimeoutMs: 150, headersTimeoutMs: 150 });
    const slow = [
      ...Array.from({ length: 100 }, () => open(fake.port, 'GET /v1/me HTTP/1.1\r\nHost: a\r\nX-Slow: ')),
      ...Array.from({ length: 100 }, () => open(fake.port, `${create('Content-Length: 14\r\n')}{"na`)),
      ...Array.from({ length: 100 }, () => open(fake.port, `${create('Transfer-Encoding: chunked\r\n')}e\r\n{"na`)),
      ...Array.from({ length: 100 }, () => open(fake.port, '')),
    ];
    await assertServes(fake);
    const late = await Promise.all(slow.slice(100, 300).map((raw) => raw.replies(1)));
    for (const text of late) assert.match(text, /^HTTP\/1\.1 400 /);
    await assertServes(fake);
    for (const { socket } of slow) socket.destroy();
    assert.equal(fake.asked.filter(({ id }) => id === 'createProject').length, 2);
  });

  test(`${engine}: uploads that are cut off reach nobody`, async () => {
    const fake = await fakeControl(engine);
    const cut = Array.from({ length: 50 }, (_, index) =>
      open(fake.port, `${create('Content-Length: 1000000\r\n')}${'x'.repeat(index * 1000)}`),
    );
    await assertServes(fake);
    for (const { socket } of cut) socket.resetAndDestroy();
    await Promise.all(cut.map(({ closed }) => closed));
    await assertServes(fake);
    assert.equal(fake.failures.length, 0);
    assert.equal(fake.asked.filter(({ id }) => id === 'createProject').length, 2);
  });

  // UWS-REPLY-1, UWS-SERVER-1
  test(`${engine}: a client that leaves before its reply disturbs nobody`, async () => {
    const fake = await fakeControl(engine);
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    fake.answer = async () => {
      if (fake.asked.length === 30) entered();
      await gate;
      return {};
    };
    const gone = Array.from({ length: 30 }, () => open(fake.port, me));
    await inside;
    for (const { socket } of gone) socket.resetAndDestroy();
    await Promise.all(gone.map(({ closed }) => closed));
    release();
    await assertServes(fake);
    assert.equal(fake.failures.length, 0);
  });
}
