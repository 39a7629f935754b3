// What passes a recording proxy, and what is kept of it; and accesses behind such proxies, whatever their mounts are.
import assert from 'node:assert/strict';
import { createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { recordBindings } from '../../src/compat-kit/recorded-bindings.js';
import { type RecordedRequest, startRecordingProxy } from '../../src/compat-kit/recording-proxy.js';
import { ask, openMounts } from '../bindings/mounts-kit.js';

async function behindProxy(prefix: string, listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const recorded: RecordedRequest[] = [];
  const proxy = await startRecordingProxy({
    port,
    prefix,
    alsoCalled: ['http://127.0.0.1:9/base'],
    record: (exchange) => recorded.push(exchange),
  });
  after(async () => {
    await proxy.close();
    server.closeAllConnections();
    server.close();
  });
  return { port, recorded, url: `http://127.0.0.1:${proxy.port}` };
}

// RECORDING-PROXY-1
test('a request and its response pass whole, below the prefix, with the URLs of the proxy', async () => {
  const { port, recorded, url } = await behindProxy('/~notes', (incoming, outgoing) => {
    let text = '';
    incoming.on('data', (piece) => {
      text += piece;
    });
    incoming.on('end', () => {
      const own = `http://127.0.0.1:${port}/~notes`;
      outgoing.writeHead(201, 'Made', [
        ...['Content-Type', 'application/json', 'Link', `<${own}/next>; rel="next"`, 'X-Two', 'a', 'X-Two', 'b'],
      ]);
      const { method, url: target, headers } = incoming;
      outgoing.end(
        JSON.stringify({ method, target, text, key: headers['x-key'], host: headers.host, own, base: 'http://127.0.0.1:9/base/x' }),
      );
    });
  });
  const reply = await fetch(`${url}/v1/notes?a=%2F&a=b`, { method: 'PUT', body: 'grün', headers: { 'x-key': 'k' } });
  assert.deepEqual(
    [reply.status, reply.statusText, reply.headers.get('link'), reply.headers.get('x-two')],
    [201, 'Made', `<${url}/next>; rel="next"`, 'a, b'],
  );
  const body = await reply.text();
  assert.equal(Number(reply.headers.get('content-length') ?? body.length), body.length);
  assert.deepEqual(JSON.parse(body), {
    ...{ method: 'PUT', target: '/~notes/v1/notes?a=%2F&a=b', text: 'grün', key: 'k', host: new URL(url).host, own: url, base: `${url}/x` },
  });
  const [{ headers, ...exchange } = assert.fail(), ...others] = recorded;
  assert.deepEqual(others, []);
  assert.equal(headers['x-two'], 'a, b');
  assert.deepEqual(exchange, {
    ...{ port, host: new URL(url).host, method: 'PUT', target: '/~notes/v1/notes?a=%2F&a=b', requestBody: 'grün', status: 201, body },
  });
});

// RECORDING-PROXY-1
test('bytes pass as they are, a HEAD without a body, and what is cut is cut and not kept', async () => {
  const bytes = Buffer.from([0, 255, 254, 10, 13]);
  const { port, recorded, url } = await behindProxy('', (incoming, outgoing) => {
    if (incoming.url === '/cut') {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write('data: 1\n\n', () => setImmediate(() => outgoing.destroy()));
    } else if (incoming.url === '/gone') incoming.socket.destroy();
    else {
      const content = incoming.url === '/bytes' ? bytes : Buffer.from(`http://127.0.0.1:${port}/x`);
      const type = incoming.url === '/bytes' ? 'application/octet-stream' : 'text/plain';
      outgoing.writeHead(200, { 'content-type': type, 'content-length': content.length });
      outgoing.end(incoming.method === 'HEAD' ? undefined : content);
    }
  });
  assert.deepEqual(Buffer.from(await (await fetch(`${url}/bytes`)).arrayBuffer()), bytes);
  assert.equal(await (await fetch(`${url}/text`)).text(), `${url}/x`);
  const head = await new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
    request(`${url}/bytes`, { method: 'HEAD' }, (reply) => resolve([reply.resume().statusCode, reply.headers['content-length']]))
      .on('error', reject)
      .end();
  });
  assert.deepEqual(head, [200, String(bytes.length)]);
  const cut = await fetch(`${url}/cut`);
  assert.equal(cut.status, 200);
  await assert.rejects(cut.text());
  await assert.rejects(fetch(`${url}/gone`));
  assert.deepEqual(
    recorded.map(({ method, target }) => [method, target]),
    [
      ['GET', '/bytes'],
      ['GET', '/text'],
      ['HEAD', '/bytes'],
    ],
  );
});

for (const httpMounts of ['path', 'host', 'port'] as const)
  test(`an access with mounts of the kind ${httpMounts} works behind proxies as it does before them`, async () => {
    const recorded: [target: string, mount: string | undefined][] = [];
    const bindings = recordBindings(createBindings(), ({ target }, mount) => recorded.push([target, mount]));
    after(() => bindings.close());
    const { http, urlOf } = await openMounts(bindings, { httpMounts });
    const { token } = http;
    const asked = await ask(`${urlOf('pay')}/v1/customers/none`, { token });
    assert.equal(asked.status, 404);
    assert.equal((await ask(`${urlOf('desk')}/open/door`)).body.pathname, '/open/door');
    assert.ok(Array.isArray((await ask(`${http.url}/v1/tools`, { token })).body.tools));
    const address = /\/(~[0-9a-f]{32})$/.exec(http.url)?.[1];
    const below = (mount: string): string => (httpMounts === 'path' ? `/~${mount}` : '');
    const ofPort = (mount: string): string | undefined => (httpMounts === 'port' ? mount : undefined);
    assert.deepEqual(recorded, [
      [`${below('pay')}/v1/customers/none`, ofPort('pay')],
      [`/${address}${below('desk')}/open/door`, ofPort('desk')],
      [`/${address}/v1/tools`, undefined],
    ]);
  });

test('signed requests are valid behind a proxy', async () => {
  const statuses: number[] = [];
  const bindings = recordBindings(createBindings(), ({ status }) => statuses.push(status));
  after(() => bindings.close());
  const { http, urlOf } = await openMounts(bindings, { httpMounts: 'port' });
  const credentials = { accessKeyId: http.keyId ?? assert.fail(), secretAccessKey: http.token };
  const client = new S3Client({ endpoint: urlOf('vault'), region: 'eu-central-1', forcePathStyle: true, credentials });
  await client.send(new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'hello' }));
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }));
  assert.equal(await Body?.transformToString(), 'hello');
  assert.deepEqual(statuses, [200, 200]);
});
