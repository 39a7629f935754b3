import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isLoopbackAddress, isPublicAddress, isPublicHost } from '../../src/callbacks/addresses.js';
import type { Receiver } from '../../src/callbacks/receivers.js';
import { send } from '../../src/callbacks/send.js';
import { limits } from '../../src/contract/limits.js';
import type { DeliveryRequest } from '../../src/contract/world/delivery-request.js';
import { startReceiver, type TestReceiver } from './receiver-kit.js';

const body = '{"amount":7900,"name":"Jürgen"}';
const request: DeliveryRequest = {
  deliveryId: 'delivery_1',
  receiverId: 'hook',
  attempt: 1,
  method: 'POST',
  path: '/hooks/in?a=b',
  headers: { 'content-type': 'application/json', 'delivery-id': 'delivery_1' },
  bodyBase64: Buffer.from(body).toString('base64'),
  signature: { kind: 'hmac-sha256', header: 'X-Signature', prefix: 'v1=' },
  timeoutMs: 5_000,
};
const target = ({ url, secret }: TestReceiver, rest: Partial<Receiver> = {}): Receiver => ({
  url,
  secret,
  isAllowed: isLoopbackAddress,
  signals: [],
  ...rest,
});
async function receiverFor(t: TestContext, answer?: TestReceiver['answer']): Promise<TestReceiver> {
  const receiver = await startReceiver(answer);
  t.after(() => receiver.close());
  return receiver;
}
const tell = (receiver: TestReceiver, rest: Partial<DeliveryRequest> = {}) => send({ ...request, ...rest }, target(receiver), undefined);

test('the body goes as it is, signed, under the path of the receiver; the status comes back', async (t) => {
  const receiver = await receiverFor(t, () => 202);
  assert.deepEqual(await send(request, target({ ...receiver, url: `${receiver.url}/base/` }), undefined), { kind: 'status', status: 202 });
  const [arrival] = receiver.arrivals;
  assert.deepEqual([arrival!.method, arrival!.path, arrival!.body], ['POST', '/base/hooks/in?a=b', body]);
  const expected = createHmac('sha256', receiver.secret).update(body).digest('hex');
  assert.equal(arrival!.headers['x-signature'], `v1=${expected}`);
  assert.equal(arrival!.headers['delivery-id'], 'delivery_1');
  assert.equal(arrival!.headers['content-length'], String(Buffer.byteLength(body)));
  assert.equal(JSON.stringify(arrival).includes(receiver.secret), false);
});

test('a duplicate is the same request twice, and the first answer counts; a forgery is signed with another key', async (t) => {
  const receiver = await receiverFor(t);
  receiver.answer = () => (receiver.arrivals.length === 1 ? 200 : 500);
  assert.deepEqual(await tell(receiver, { fault: 'duplicate' }), { kind: 'status', status: 200 });
  const withoutPort = receiver.arrivals.map(({ headers: { host: _, ...headers }, ...arrival }) => ({ ...arrival, headers }));
  assert.deepEqual(withoutPort[0], withoutPort[1]);
  const [good] = receiver.arrivals;
  receiver.arrivals.length = 0;
  await tell(receiver, { fault: 'bad_signature' });
  assert.match(String(receiver.arrivals[0]!.headers['x-signature']), /^v1=[0-9a-f]{64}$/);
  assert.notEqual(receiver.arrivals[0]!.headers['x-signature'], good!.headers['x-signature']);
});

// SEND-2
test('a path that no request can have is answered as a receiver that cannot be reached', async (t) => {
  const receiver = await receiverFor(t);
  assert.deepEqual(await tell(receiver, { path: '/hooks/a b' }), { kind: 'none', reason: 'connection' });
  assert.deepEqual(receiver.arrivals, []);
});

test('nothing is followed', async (t) => {
  const elsewhere = await receiverFor(t);
  const receiver = await receiverFor(t, (_, response) => void response.writeHead(307, { location: elsewhere.url }).end());
  assert.deepEqual(await tell(receiver), { kind: 'status', status: 307 });
  assert.equal(elsewhere.arrivals.length, 0);
});

test('who does not answer in time, hangs up, upgrades or is not there has not answered', async (t) => {
  const silent = await receiverFor(t, () => {});
  assert.deepEqual(await tell(silent, { timeoutMs: 50 }), { kind: 'none', reason: 'timeout' });
  const rude = await receiverFor(t, (_, __, incoming) => void incoming.socket.destroy());
  assert.deepEqual(await tell(rude), { kind: 'none', reason: 'connection' });
  await rude.close();
  assert.deepEqual(await tell(rude), { kind: 'none', reason: 'connection' });
  const talker = createServer(
    (socket) => void socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
  );
  await new Promise<void>((resolve) => talker.listen(0, '127.0.0.1', resolve));
  t.after(() => void talker.close());
  const { port } = talker.address() as { port: number };
  const receiver = { ...silent, url: `http://127.0.0.1:${port}` };
  assert.deepEqual(await tell(receiver), { kind: 'status', status: 101 });
});

// SEND-2
test('the head of an answer is the answer, whatever becomes of its body', async (t) => {
  const half = (status: number, end: (request: IncomingMessage) => unknown = () => {}): TestReceiver['answer'] => {
    return (_, response, incoming) => void response.writeHead(status, { 'content-length': 10 }).write('half', () => end(incoming));
  };
  const halfway = await receiverFor(t, half(200));
  assert.deepEqual(await tell(halfway, { timeoutMs: 500 }), { kind: 'status', status: 200 });
  const cut = await receiverFor(
    t,
    half(503, ({ socket }) => socket.destroySoon()),
  );
  assert.deepEqual(await tell(cut), { kind: 'status', status: 503 });
  const malformed = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write('HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n'));
  });
  await new Promise<void>((resolve) => malformed.listen(0, '127.0.0.1', resolve));
  t.after(() => void malformed.close());
  const { port } = malformed.address() as AddressInfo;
  assert.deepEqual(await tell({ ...halfway, url: `http://127.0.0.1:${port}` }), { kind: 'status', status: 202 });
});

// SEND-2
test('of an answer that does not end so much is read', async (t) => {
  let sent = 0;
  const receiver = await receiverFor(t, (_, response) => {
    const more = (): void => {
      sent += 16_384;
      if (!response.destroyed) response.write(Buffer.alloc(16_384), more);
    };
    more();
  });
  assert.deepEqual(await tell(receiver), { kind: 'status', status: 200 });
  assert.ok(sent < limits.callbackAnswerBytesMax + 16 * 1024 * 1024);
});

test('a receiver that goes away while it is called breaks it off; one that is gone is called nothing', async (t) => {
  const end = new AbortController();
  const receiver = await receiverFor(t, () => end.abort());
  assert.deepEqual(await send(request, target(receiver, { signals: [end.signal] }), undefined), { kind: 'none', reason: 'connection' });
  assert.deepEqual(await send(request, target(receiver, { signals: [end.signal] }), undefined), { kind: 'none', reason: 'connection' });
  assert.equal(receiver.arrivals.length, 1);
});

// SEND-1
test('the address decides when it connects, whatever the name says', async (t) => {
  const receiver = await receiverFor(t);
  const { port } = new URL(receiver.url);
  for (const host of ['localhost', '127.0.0.1']) {
    const url = `http://${host}:${port}`;
    assert.deepEqual(await send(request, { ...target(receiver), url }, undefined), { kind: 'status', status: 204 }, host);
    const within = { ...target(receiver), url, isAllowed: isPublicAddress };
    assert.deepEqual(await send(request, within, undefined), { kind: 'none', reason: 'address_refused' }, host);
  }
  for (const url of ['http://[::ffff:127.0.0.1]', 'http://10.0.0.1', 'http://8.8.8.8', 'http://0.0.0.0', 'http://[::]']) {
    assert.deepEqual(
      await send(request, { ...target(receiver), url: `${url}:${port}` }, undefined),
      { kind: 'none', reason: 'address_refused' },
      url,
    );
  }
  assert.equal(receiver.arrivals.length, 2);
});

test('addresses: what is public, and what only this machine has', () => {
  const inside = [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '100.100.100.200',
      '127.0.0.1',
      '127.255.255.254',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.0.0.192',
      '192.0.2.1',
      '192.168.1.1',
      '198.18.0.1',
      '198.51.100.7',
      '203.0.113.9',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '168.63.129.16',
      '192.88.99.1',
      '::',
      '::1',
      '::ffff:8.8.8.8',
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '64:ff9b::808:808',
      '64:ff9b:1::1',
    ],
    ...[
      '100::1',
      '2001::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '3fff::1',
      'fc00::1',
      'fd00:ec2::254',
      'fe80::1',
      'fe80::1%lo',
      'fec0::1',
      'ff02::1',
    ],
    ...['5f00::1', '4000::1', 'not an address', ''],
  ];
  for (const address of inside) assert.equal(isPublicAddress(address), false, address);
  for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e']) {
    assert.equal(isPublicAddress(address), true, address);
    assert.equal(isLoopbackAddress(address), false, address);
  }
  for (const address of ['127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1']) assert.equal(isLoopbackAddress(address), true, address);
  for (const address of ['::ffff:127.0.0.1', '0.0.0.0', '::', '128.0.0.1', 'localhost'])
    assert.equal(isLoopbackAddress(address), false, address);
  for (const host of [
    'localhost',
    'printer',
    'a.local',
    'b.internal',
    'x.home.arpa',
    '[::1]',
    '10.0.0.1',
    '169.254.169.254',
    'metadata.google.internal.',
  ])
    assert.equal(isPublicHost(host), false, host);
  for (const host of ['hooks.example.com', '8.8.8.8', '[2606:4700::1111]']) assert.equal(isPublicHost(host), true, host);
});
