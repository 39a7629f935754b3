// Owners that change, go away, cannot be reached or do not know that they own something; and who is believed to be a node.
import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { behindNodes } from '../../src/http/behind-nodes.js';
import { createForwarder } from '../../src/http/forward.js';
import { ForwardedBytes } from '../../src/http/forwarded-bytes.js';
import { createNodeToken, nodeHeaders } from '../../src/http/node-token.js';
import { OwnerReach } from '../../src/http/owner-reach.js';
import type { HttpHandler } from '../../src/http/server.js';
import { StrangerRate } from '../../src/http/stranger-rate.js';
import { behindProxies, TrustedProxies } from '../../src/http/trusted-proxies.js';
import { gate } from '../gate.js';
import { until } from '../until.js';
import { engines } from './fake-control.js';
import { formats, raw, startFront, startNode, startOwner, takesConnections, token } from './forward-kit.js';

interface Refusal {
  status: number;
  code: string;
  message: string;
  retryable: boolean;
  retryAfterMs?: number;
  details?: { outcome?: string };
}
async function refusalOf(reply: Response): Promise<Refusal> {
  const body = (await reply.json()) as Refusal;
  assert.ok(validateErrorEnvelope(body).ok, JSON.stringify(body));
  if (body.retryAfterMs !== undefined) assert.equal(reply.headers.get('retry-after'), String(Math.ceil(body.retryAfterMs / 1000)));
  assert.equal(reply.headers.get(nodeHeaders.notOwner), null);
  return { ...body, status: reply.status };
}
const post = (url: string, body = 'x'): Promise<Response> => fetch(url, { method: 'POST', body });

/** A port at which somebody did listen. */
async function deadAddress(): Promise<string> {
  const { url, close } = await startNode('node:http', () => ({ status: 200 }));
  await close();
  return url;
}

/** Takes connections and does with each of them what it is given. */
async function startSockets(
  onRequest: (socket: Socket, count: number) => void,
): Promise<{ url: string; requests(): number; close(): void }> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => onRequest(socket, ++requests));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, requests: () => requests, close: () => server.close() };
}

for (const engine of engines) {
  test(`${engine}: a request waits for an owner, and goes to the one that is found, or is answered here`, async () => {
    const node = await startOwner(engine, async (request) => ({ status: 200, body: await request.body(10) }));
    const front = await startFront(engine, undefined, {
      own: async (request) => ({ status: 200, body: `own ${Buffer.from(await request.body(10)).toString()}` }),
    });
    for (const [owner, answer] of [
      [{ address: node.url }, 'x'],
      ['self', 'own x'],
    ] as const) {
      front.own(undefined);
      const reply = post(front.url);
      // Changes that bring no owner are no reason to stop waiting.
      front.own(undefined);
      await new Promise((resolve) => setTimeout(resolve, 5));
      front.own(owner);
      assert.equal(await (await reply).text(), answer);
    }
  });

  // FORWARDING-4, OWNER-REACH-1
  test(`${engine}: an owner that is quiet is waited for while it can be reached, and no longer`, async () => {
    const late = gate();
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.on('data', () => void late.opened.then(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const front = await startFront(
      engine,
      { address: `http://127.0.0.1:${port}` },
      { reach: new OwnerReach(takesConnections, { quietMs: 20 }) },
    );
    const waiting = [post(front.url), post(front.url)];
    // Two requests, and a question now and then.
    await until(() => connections >= 5);
    late.open();
    for (const reply of waiting) assert.equal(await (await reply).text(), 'late');
    const cut = await startSockets(() => {});
    front.own({ address: cut.url });
    const lost = post(front.url);
    await until(() => cut.requests() > 0);
    cut.close();
    const { status, code, details } = await refusalOf(await lost);
    assert.deepEqual([status, code, details], [503, 'control.UNAVAILABLE', { outcome: 'unknown' }]);
    server.close();
  });

  test(`${engine}: without an owner in time it is 503 with the time to come back`, async () => {
    const { url, results } = await startFront(engine, undefined, { ownerWaitMs: 20 });
    const { status, code, retryable, retryAfterMs } = await refusalOf(await post(url));
    assert.deepEqual([status, code, retryable, retryAfterMs], [503, 'control.UNAVAILABLE', true, limits.unavailableRetryAfterMs]);
    assert.deepEqual(results, ['no_owner']);
    assert.equal(limits.ownerWaitMs, 4000);
  });

  // FORWARDING-5
  test(`${engine}: a node that has not heard who owns what for as long as a request may wait refuses at once`, async () => {
    // Who waits until an owner is there would wait for longer than a test may.
    const owners = { ownerOf: () => undefined, changed: () => new Promise<void>(() => {}), silentMs: () => 3_600_000 };
    const { url, results } = await startFront(engine, undefined, { owners, ownerWaitMs: 3_600_000 });
    const { status, code } = await refusalOf(await post(url));
    assert.deepEqual([status, code, results], [503, 'control.UNAVAILABLE', ['no_owner']]);
  });

  // FORWARDING-5
  test(`${engine}: an owner that was not reached for as long as a request may wait is not asked`, async () => {
    const reach = new OwnerReach(takesConnections);
    reach.cutMs = () => 3_600_000;
    const node = await startOwner(engine, () => ({ status: 200, body: 'done' }));
    const { url, results } = await startFront(engine, { address: node.url }, { reach, ownerWaitMs: 3_600_000 });
    const { status, code } = await refusalOf(await post(url));
    assert.deepEqual([status, code, results], [503, 'control.UNAVAILABLE', ['no_owner']]);
    reach.cutMs = () => 3_599_999;
    assert.equal(await (await post(url)).text(), 'done');
  });

  // FORWARDING-1
  test(`${engine}: what an owner refuses to connect for was not sent: it goes to the next one, whatever its method`, async () => {
    const taken: string[] = [];
    const node = await startOwner(engine, async (request) => {
      taken.push(Buffer.from(await request.body(10)).toString());
      return { status: 200, body: 'done' };
    });
    const front = await startFront(engine, { address: await deadAddress() });
    const reply = post(front.url, 'once');
    await new Promise((resolve) => setTimeout(resolve, 5));
    front.own({ address: node.url });
    assert.equal(await (await reply).text(), 'done');
    assert.deepEqual(taken, ['once']);
    const alone = await startFront(engine, { address: await deadAddress() }, { ownerWaitMs: 20 });
    assert.equal((await refusalOf(await post(alone.url))).status, 503);
    assert.deepEqual(alone.results, ['no_owner']);
  });

  // FORWARDING-1
  test(`${engine}: where an owner goes away before its reply, a read is asked again, and of anything else the outcome is not known`, async () => {
    const broken = await startSockets((socket) => socket.destroy());
    const node = await startOwner(engine, () => ({ status: 200, body: 'read' }));
    const front = await startFront(engine, { address: broken.url });
    const { status, code, retryable, message, details } = await refusalOf(await post(front.url));
    assert.deepEqual([status, code, retryable, details], [503, 'control.UNAVAILABLE', true, { outcome: 'unknown' }]);
    assert.match(message, /is not known/);
    assert.equal(broken.requests(), 1);
    const read = fetch(front.url);
    await until(() => broken.requests() > 1);
    front.own({ address: node.url });
    assert.equal(await (await read).text(), 'read');
    assert.deepEqual(front.results, ['unknown_outcome', 'answered']);
    const strict = await startFront(engine, { address: broken.url }, { mayRepeat: () => false });
    assert.equal((await refusalOf(await fetch(strict.url))).details?.outcome, 'unknown');
  });

  // FORWARDING-1, FORWARDING-2
  test(`${engine}: a short reply that breaks off is none`, async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';
    const broken = await startSockets((socket, count) => {
      if (count < 3) socket.end(`${head}12345`);
      else socket.end(`${head}1234567890`);
    });
    const front = await startFront(engine, { address: broken.url });
    assert.equal((await refusalOf(await post(front.url))).details?.outcome, 'unknown');
    assert.equal(await (await fetch(front.url)).text(), '1234567890');
    assert.equal(broken.requests(), 3);
  });

  test(`${engine}: a former owner that answers nothing is given up once another node owns it; one that answers is not`, async () => {
    const stuck = await startSockets((socket, count) => {
      if (count > 2) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n');
    });
    const next = await startOwner(engine, () => ({ status: 200, body: 'next' }));
    const front = await startFront(engine, { address: stuck.url });
    const reads = fetch(front.url);
    const writes = post(front.url);
    await until(() => stuck.requests() >= 2);
    const stream = await fetch(front.url);
    assert.equal(stream.status, 200);
    const [asked, answer] = [gate(), gate()];
    const slow = await startOwner(engine, async () => {
      asked.open();
      await answer.opened;
      return { status: 200, body: 'slow' };
    });
    front.own({ address: next.url });
    assert.equal(await (await reads).text(), 'next');
    assert.equal((await refusalOf(await writes)).details?.outcome, 'unknown');
    await assert.rejects(stream.text());
    front.own({ address: slow.url });
    const inTime = post(front.url);
    await asked.opened;
    front.own({ address: next.url });
    answer.open();
    assert.equal(await (await inTime).text(), 'slow');
  });

  // FORWARDING-1
  test(`${engine}: what waits for a connection to a former owner was not sent, and goes to the next one`, async () => {
    const stuck = await startSockets(() => {});
    const next = await startOwner(engine, async (request) => ({ status: 200, body: await request.body(10) }));
    const front = await startFront(engine, { address: stuck.url }, { connectionsMax: 1 });
    const first = post(front.url, 'first');
    await until(() => stuck.requests() === 1);
    const second = post(front.url, 'second');
    await new Promise((resolve) => setTimeout(resolve, 5));
    front.own({ address: next.url });
    assert.equal(await (await second).text(), 'second');
    assert.equal((await refusalOf(await first)).details?.outcome, 'unknown');
    assert.equal(stuck.requests(), 1);
  });

  // FORWARD-1
  test(`${engine}: nodes that each take another for the owner pass nothing on, and the one that is asked looks again`, async () => {
    const [one, two] = [await startFront(engine, undefined, { ownerWaitMs: 120 }), await startFront(engine, undefined)];
    one.own({ address: two.url });
    two.own({ address: one.url });
    assert.equal((await refusalOf(await post(one.url))).status, 503);
    assert.deepEqual([one.results, two.results], [['no_owner'], []]);
    const later = post(one.url);
    await new Promise((resolve) => setTimeout(resolve, 5));
    two.own('self');
    assert.equal(await (await later).text(), 'own');
  });

  // BEHIND-NODES-1, BEHIND-NODES-2
  test(`${engine}: only a node is believed, and nobody behind sees how it is known`, async () => {
    const behind: HttpHandler = ({ address, isForwarded, headers }) => ({
      status: 200,
      body: JSON.stringify([address, isForwarded === true, [...headers.keys()].filter((name) => name.startsWith('drillyard-'))]),
    });
    const tell = behindNodes(token, behind, formats);
    const { url } = await startNode(engine, tell);
    const ask = async (headers: { [name: string]: string }): Promise<unknown> => (await fetch(url, { headers })).json();
    const { token: node, client, format } = nodeHeaders;
    const stranger = ['127.0.0.1', false, []];
    assert.deepEqual(await ask({ [node]: 'dyn_right', [client]: '203.0.113.7', [format]: '1' }), ['203.0.113.7', true, []]);
    assert.deepEqual(await ask({ [node]: 'dyn_right', [client]: '::ffff:203.0.113.7', [format]: '2' }), ['203.0.113.7', true, []]);
    assert.deepEqual(await ask({ [node]: 'dyn_wrong', [client]: '203.0.113.7' }), stranger);
    assert.deepEqual(await ask({ [node]: 'dyn_right, dyn_right', [client]: '203.0.113.7' }), stranger);
    assert.deepEqual(await ask({ [client]: '203.0.113.7' }), stranger);
    assert.deepEqual(await ask({ [node]: 'dyn_wrong', [format]: '9' }), stranger);
    assert.deepEqual(await ask({ [format]: '9' }), stranger);
    assert.deepEqual(await ask({}), stranger);
    // Through a node, too: what a client sends is its own.
    const owner = await startNode(engine, tell);
    const front = await startFront(engine, { address: owner.url });
    const through = await fetch(front.url, { headers: { [node]: 'dyn_wrong', [client]: '203.0.113.7' } });
    assert.deepEqual(await through.json(), ['127.0.0.1', true, []]);
    const hidden = await fetch(front.url, { headers: { 'x-a': '1' } });
    assert.deepEqual(await hidden.json(), ['127.0.0.1', true, []]);
  });

  // BEHIND-NODES-3, CLUSTER-FORMAT-1
  test(`${engine}: a request of a format that is too new or too old is refused, with what to install where, and nothing is done`, async () => {
    let done = 0;
    const owner = await startOwner(engine, () => {
      done += 1;
      return { status: 200 };
    });
    const ask = async (format: number): Promise<unknown[]> => {
      const front = await startFront(engine, { address: owner.url }, { format: () => format });
      const reply = await fetch(front.url, { method: 'POST', body: '{}' });
      if (reply.status === 200) return [200];
      const { code, message, details } = (await reply.json()) as { code: string; message: string; details: object };
      return [reply.status, code, details, /install the version of the other nodes on it/.test(message)];
    };
    assert.deepEqual(await ask(3), [500, 'cluster.FORMAT_UNSUPPORTED', { format: 3, ...formats }, true]);
    assert.deepEqual(await ask(0), [500, 'cluster.FORMAT_UNSUPPORTED', { format: 0, ...formats }, false]);
    assert.equal(done, 0);
    assert.deepEqual([await ask(1), await ask(2), done], [[200], [200], 2]);
  });

  test(`${engine}: strangers are counted at the owner by their own address, also behind a proxy of the first node`, async () => {
    const strangers = new StrangerRate(() => 0, { perSecond: 1, burst: 1 });
    const owner = await startOwner(
      engine,
      strangers.bound(() => ({ status: 401, headers: {}, body: '{}' })),
    );
    const forwarder = createForwarder({
      owners: { ownerOf: () => ({ address: owner.url }), changed: () => new Promise(() => {}) },
      token,
      format: () => formats.newest,
      own: () => ({ status: 200 }),
      requireHost: () => {},
      bytes: new ForwardedBytes(),
      reach: new OwnerReach(takesConnections),
    });
    const { url } = await startNode(engine, behindProxies(new TrustedProxies(['127.0.0.1']), forwarder.handler));
    const ask = async (client: string): Promise<number> => (await fetch(url, { headers: { 'x-forwarded-for': client } })).status;
    const asked = ['203.0.113.7', '203.0.113.7', '203.0.113.8', '6.6.6.6, 203.0.113.8'];
    const statuses: number[] = [];
    for (const client of asked) statuses.push(await ask(client));
    assert.deepEqual(statuses, [401, 429, 401, 429]);
    forwarder.close();
  });
}

// OWNER-CONNECTIONS-1, OWNER-CONNECTIONS-2
test('connections are kept for the next request, and closed when nobody asks for long', async () => {
  const sockets = new Set<Socket>();
  const owner = await startSockets((socket) => {
    sockets.add(socket);
    socket.write('HTTP/1.1 302 Found\r\nlocation: /else\r\ncontent-length: 0\r\n\r\n');
  });
  const front = await startFront('node:http', { address: owner.url });
  for (let count = 0; count < 5; count++) {
    const reply = await fetch(front.url, { method: 'POST', body: 'x', redirect: 'manual' });
    assert.equal(reply.status, 302);
  }
  assert.deepEqual([owner.requests(), sockets.size], [5, 1]);
  assert.ok(limits.ownerConnectionKeptMs < limits.keepAliveTimeoutMs);
  assert.ok(limits.ownerConnectionsMax < limits.connectionsPerAddressMax);
});

test('the headers of a reply are bounded: beyond, the reply cannot be read', async () => {
  const lineBytes = 8 * 1024;
  const owner = await startSockets((socket, count) => {
    const lines = Math.floor(limits.ownerReplyHeaderBytesMax / lineBytes) + (count === 1 ? -1 : 1);
    const own = Array.from({ length: lines }, (_, index) => `x-${index}: ${'y'.repeat(lineBytes - 8)}\r\n`).join('');
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n${own}\r\nok`);
  });
  const front = await startFront('node:http', { address: owner.url });
  const ask = (): Promise<string> => raw(front.port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  const passed = await ask();
  assert.ok(passed.startsWith('HTTP/1.1 200 ') && passed.endsWith('\r\n\r\nok') && passed.length > limits.ownerReplyHeaderBytesMax / 2);
  assert.match(await ask(), /^HTTP\/1\.1 503 [\s\S]*is not known/);
});

test('bodies of one client are bounded together', async () => {
  const owner = await startOwner('node:http', () => ({ status: 200 }));
  const front = await startFront('node:http', { address: owner.url });
  const count = limits.forwardedClientBodyBytesMax / limits.forwardedBodyBytesMax;
  const port = Number(new URL(front.url).port);
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${limits.forwardedBodyBytesMax}\r\n\r\n`;
  const open = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const asked = open.map((socket) => new Promise((resolve) => socket.write(head, resolve)));
  await Promise.all(asked);
  await until(async () => (await post(front.url)).status === 429);
  const { code, message } = await refusalOf(await post(front.url));
  assert.deepEqual([code, /^The client has more/.test(message)], ['control.RATE_LIMITED', true]);
  for (const socket of open) socket.destroy();
  await until(async () => (await post(front.url)).status === 200);
});

// FORWARDED-BYTES-1
test('bodies of strangers are bounded together, and have no body of a known credential refused', async () => {
  const bytes = new ForwardedBytes(({ headers }) => headers.get('authorization')?.replace('Bearer key of ', ''));
  const ask = (address: string, holder?: string) => {
    const headers = new Map(holder === undefined ? [] : [['authorization', `Bearer key of ${holder}`]]);
    const { signal } = new AbortController();
    const rest = { method: 'POST', path: '/', query: '', repeatedHeaders: new Map<string, never>(), signal };
    return bytes.take({ ...rest, headers, address, body: async () => Buffer.alloc(0) }, limits.forwardedBodyBytesMax);
  };
  const held = [];
  for (let count = 0; count < limits.forwardedStrangerBodyBytesMax / limits.forwardedBodyBytesMax; count++)
    held.push(ask(`203.0.113.${count}`));
  assert.throws(() => ask('198.51.100.7'), { code: 'control.UNAVAILABLE' });
  const most = Math.floor(limits.organizationBodyBytesMax / limits.forwardedBodyBytesMax);
  for (let count = 0; count < most; count++) ask('203.0.113.1', 'org_one');
  assert.throws(() => ask('203.0.113.1', 'org_one'), { code: 'control.RATE_LIMITED' });
  ask('203.0.113.1', 'org_two');
  held.pop()!.release();
  ask('198.51.100.7');
});

test('the token of nodes follows the key of the server, whatever generation is the present one', () => {
  let generation = 1;
  const keys = {
    token: (kind: string, id: string) => `${kind} ${id} ${generation}`,
    isToken: (kind: string, id: string, given: string) => given.startsWith(`${kind} ${id} `),
  };
  const node = createNodeToken(keys, 'clu_1');
  assert.equal(node.present(), 'node clu_1 1');
  generation = 2;
  assert.deepEqual([node.present(), node.isRight('node clu_1 1'), node.isRight('node clu_2 2')], ['node clu_1 2', true, false]);
});

test('so many requests are on their way at once; one more is refused', async () => {
  let present: 'self' | undefined;
  let announce = (): void => {};
  const changed = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const results: string[] = [];
  const { handler, close } = createForwarder({
    owners: { ownerOf: () => present, changed: () => (present === undefined ? changed : new Promise(() => {})) },
    token,
    format: () => formats.newest,
    own: () => ({ status: 204 }),
    requireHost: () => {},
    meter: { forwarded: (result) => results.push(result) },
    bytes: new ForwardedBytes(),
    reach: new OwnerReach(takesConnections),
  });
  const nothing = new Map<string, never>();
  const ask = (): Promise<{ status: number }> => {
    const { signal } = new AbortController();
    const request = { method: 'GET', path: '/', query: '', headers: nothing, repeatedHeaders: nothing, address: '', signal };
    return Promise.resolve(handler({ ...request, body: async () => Buffer.alloc(0) }));
  };
  const waiting = Array.from({ length: limits.forwardsUnderWayMax }, ask);
  assert.equal((await ask()).status, 503);
  assert.deepEqual(results, ['refused']);
  present = 'self';
  announce();
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 204);
  present = undefined;
  const again = ask();
  assert.equal(results.filter((result) => result === 'refused').length, 1);
  close();
  void again;
});
