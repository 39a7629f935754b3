// The limits of docs/hosting.md that a server holds, a row each: what is just allowed, and what is beyond it, on both servers alike.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import type { HttpServer } from '../../src/http/server.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { StrangerRate } from '../../src/http/stranger-rate.js';
import { engines, type FakeControl, fakeControl, ids, keyed, send } from './fake-control.js';

interface Exchange {
  /** Bytes that are sent at once. */
  head: string;
  /** And those that follow, one after each pause. */
  drip?: { text: string; everyMs: number };
}
/** All that comes until the server closes or a reply is whole; '' where it closes without one. */
function exchange(port: number, { head, drip }: Exchange): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let sent = 0;
    const dripping =
      drip === undefined
        ? undefined
        : setInterval(() => sent < drip.text.length && socket.write(drip.text[sent++] as string), drip.everyMs);
    const done = (): void => {
      clearInterval(dripping);
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (/\r\n\r\n[\s\S]*\}/.test(text)) done();
    });
    socket.on('error', () => {}).on('close', done);
    socket.write(head, 'latin1');
  });
}
const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
const codeOf = (text: string): string => (JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { code: string }).code;

const common = 'Host: drillyard.test\r\nAuthorization: Bearer good\r\n';
const attachment = `/v1/projects/${ids.projectId}/runs/${ids.hostedRunId}/attachments/${ids.attachmentId}/content`;
const put = (bytes: number): string =>
  `PUT ${attachment} HTTP/1.1\r\n${common}Idempotency-Key: key-00000001\r\nContent-Type: application/octet-stream\r\nContent-Length: ${bytes}\r\n\r\n`;
const create = (length: number): string =>
  `POST /v1/projects HTTP/1.1\r\n${common}Idempotency-Key: key-00000001\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const named = '{"name":"One"}';
const post = (fake: FakeControl, body: string) => send(`${fake.url}/v1/projects`, { method: 'POST', headers: keyed, body });
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** By the words of the table. */
const rows: { readonly [limit: string]: (fake: FakeControl) => Promise<void> } = {
  body: async (fake) => {
    assert.equal((await post(fake, named.padEnd(limits.bodyBytesMax))).status, 201);
    assert.equal((await post(fake, named.padEnd(limits.bodyBytesMax + 1))).body.code, 'control.PAYLOAD_TOO_LARGE');
  },
  'an attachment': async (fake) => {
    const upload = (bytes: number) =>
      send(`${fake.url}${attachment}`, {
        method: 'PUT',
        headers: { ...keyed, 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(bytes),
      });
    assert.equal((await upload(limits.attachmentBytesMax)).status, 200);
    assert.equal((await upload(limits.attachmentBytesMax + 1)).body.code, 'control.PAYLOAD_TOO_LARGE');
  },
  'JSON depth': async (fake) => {
    const issue = async (levels: number): Promise<string> =>
      ((await post(fake, deep(levels))).body.issues as { code: string }[]).map(({ code }) => code).join();
    assert.notEqual(await issue(limits.jsonDepthMax), 'not_json');
    assert.equal(await issue(limits.jsonDepthMax + 1), 'not_json');
  },
  headers: async ({ port }) => {
    const me = (bytes: number): string => `GET /v1/me HTTP/1.1\r\n${common}X: ${'a'.repeat(bytes)}\r\n\r\n`;
    assert.equal(statusOf(await exchange(port, { head: me(limits.headerBytesMax - 512) })), 200);
    // Its parser refuses some by itself, and one server without a reply.
    assert.ok([0, 400, 431].includes(statusOf(await exchange(port, { head: me(limits.headerBytesMax + 1) }))));
  },
  'authority before the body': async (fake) => {
    fake.admit = () => {
      throw new ServiceError('control.FORBIDDEN');
    };
    // Nothing of the body is ever sent.
    for (const head of [put(limits.attachmentBytesMax), create(limits.bodyBytesMax)])
      assert.equal(codeOf(await exchange(fake.port, { head })), 'control.FORBIDDEN');
    fake.admit = () => {};
  },
  'bodies of an organization': async (fake) => {
    const most = limits.organizationBodyBytesMax / limits.attachmentBytesMax;
    const sockets = Array.from({ length: most }, () => connect(fake.port, '127.0.0.1').on('error', () => {}));
    for (const socket of sockets) socket.write(put(limits.attachmentBytesMax));
    // Until all of them are waited for.
    let text = '';
    while (statusOf(text) !== 429) text = await exchange(fake.port, { head: `${put(named.length)}${named}` });
    assert.equal(codeOf(text), 'control.RATE_LIMITED');
    for (const socket of sockets) socket.destroy();
    while (statusOf(text) !== 200) text = await exchange(fake.port, { head: `${put(named.length)}${named}` });
  },
  'replies of an organization': async (fake) => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    fake.answer = async () => {
      asked += 1;
      await released;
      return {};
    };
    const most = limits.organizationReplyBytesMax / limits.pageBytesMax;
    const url = `${fake.url}/v1/projects/${ids.projectId}/sessions/${ids.sessionId}/evidence`;
    const reads = Array.from({ length: most + 8 }, () => send(url));
    while (asked < most) await new Promise((resolve) => setImmediate(resolve));
    await send(`${fake.url}/v1/nowhere`);
    assert.equal(asked, most);
    release();
    for (const { status } of await Promise.all(reads)) assert.equal(status, 200);
    assert.equal(asked, most + 8);
  },
};

const servers: HttpServer[] = [];
after(async () => {
  for (const server of servers) await server.close();
});

for (const engine of engines) {
  for (const [limit, holds] of Object.entries(rows)) test(`${engine}: ${limit}`, async () => holds(await fakeControl(engine)));

  test(`${engine}: what an address may ask without a credential, and who has one is not touched`, async () => {
    let limited = 0;
    const strangers = new StrangerRate(
      () => 0,
      { perSecond: 1, burst: 2 },
      () => {
        limited += 1;
      },
    );
    const fake = await fakeControl(engine);
    const handler = strangers.bound((request) => (request.headers.has('authorization') ? { status: 200 } : { status: 401, headers: {} }));
    const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler, closeGraceMs: 100 });
    servers.push(server);
    const ask = (headers = {}) => fetch(`http://127.0.0.1:${server.port}/`, { headers });
    assert.deepEqual([(await ask()).status, (await ask()).status, limited], [401, 401, 0]);
    const refused = await ask();
    assert.equal(limited, 1);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(refused.headers.get('ratelimit-policy'), '"default";q=2;w=2');
    assert.equal((await ask({ authorization: 'x' })).status, 200);
    assert.equal((await send(`${fake.url}/v1/me`)).status, 200);
  });
}

// One of the servers has times of its own, of ten seconds: what is documented must hold on the far side of them. Both wait at once.
test('a body may take its time, and no longer; so may headers', { concurrency: true }, async (t) => {
  const both = engines.map((engine) =>
    t.test(engine, async () => {
      const bodyTimeoutMs = 16_000;
      const { port } = await fakeControl(engine, { bodyTimeoutMs });
      const began = performance.now();
      const slow = { head: create(100), drip: { text: ' '.repeat(99), everyMs: 500 } };
      const [inTime, late, silent, headers] = await Promise.all([
        exchange(port, { head: create(named.length), drip: { text: named, everyMs: 800 } }),
        exchange(port, slow).then((text) => ({ text, ms: performance.now() - began })),
        exchange(port, { head: `${create(100)}{` }),
        exchange(port, { head: 'GET /v1/me HTTP/1.1\r\nX: ', drip: { text: 'a'.repeat(99), everyMs: 500 } }),
      ]);
      assert.equal(statusOf(inTime), 201);
      assert.ok(late.ms >= bodyTimeoutMs - 100, String(late.ms));
      for (const text of [late.text, silent]) {
        assert.equal(statusOf(text), 400);
        assert.match(text, /did not arrive within 16000 ms/);
        assert.match(text, /connection: close/i);
      }
      assert.ok([0, 400].includes(statusOf(headers)));
    }),
  );
  await Promise.all(both);
});

test('a server for strangers reads every byte of a header, whichever builds there are', async () => {
  const seen: string[] = [];
  const handler = ({ headers }: { headers: ReadonlyMap<string, string> }) => {
    seen.push(headers.get('idempotency-key') ?? '');
    return { status: 200, body: '{}' };
  };
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler, isForStrangers: true, closeGraceMs: 100 });
  servers.push(server);
  for (const key of ['abcdefgh\xe9', 'abcdefgh\xff', '\xc3\xbcabcdefgh']) {
    const head = `GET / HTTP/1.1\r\nHost: a\r\nIdempotency-Key: ${key}\r\n\r\n`;
    assert.equal(statusOf(await exchange(server.port, { head })), 400);
  }
  assert.deepEqual(seen, []);
});

test('a server for strangers sees every field and no more requests than were sent, whichever builds there are', async () => {
  const seen: string[] = [];
  const handler = ({ path }: { path: string }) => {
    seen.push(path);
    return { status: 200, body: '{}' };
  };
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler, isForStrangers: true, closeGraceMs: 100 });
  servers.push(server);
  const behind = 'GET /behind HTTP/1.1\r\nHost: a\r\n\r\n';
  for (const head of [
    'GET /hidden HTTP/1.1\r\nHost: a\r\n: v\r\nHost: b\r\n\r\n',
    `POST /hidden HTTP/1.1\r\nHost: a\r\n: v\r\nContent-Length: ${behind.length}\r\n\r\n${behind}`,
    `POST /chunk HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab??0\r\n\r\n${behind}`,
  ])
    await exchange(server.port, { head });
  assert.equal(seen.includes('/hidden') || seen.includes('/behind'), false, seen.join());
});
