// Requests that AWS's own signer has signed, on both servers: the key finds the access, and only the right signature of the whole request
// opens a route.
import assert from 'node:assert/strict';
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { after, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { signatureOf } from '../../src/bindings/signed-request.js';
import type { JsonObject } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import { engines, evidence, openMounts } from './mounts-kit.js';

class Sha256 {
  #hash: Hash | Hmac;
  readonly #secret: string | Uint8Array | undefined;
  constructor(secret?: string | Uint8Array) {
    this.#secret = secret;
    this.#hash = this.#fresh();
  }
  #fresh(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset(): void {
    this.#hash = this.#fresh();
  }
}

for (const engine of engines) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());
  const open = async () => {
    const opened = await openMounts(bindings);
    const { keyId = assert.fail(), token } = opened.http;
    return { ...opened, credentials: { accessKeyId: keyId, secretAccessKey: token } };
  };
  const s3 = (endpoint: string, credentials: { accessKeyId: string; secretAccessKey: string }) =>
    new S3Client({
      endpoint,
      region: 'eu-central-1',
      credentials,
      forcePathStyle: true,
      maxAttempts: 1,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });

  test(`${engine}: client-s3 puts and gets as it would at its vendor, and evidence is the same each time`, async () => {
    const hashes: string[] = [];
    for (const port of [false, true]) {
      const { world, credentials, urlOf } = await openMounts(bindings, port ? { httpMounts: 'port' } : {}).then((opened) => {
        const { keyId = assert.fail(), token } = opened.http;
        return { ...opened, credentials: { accessKeyId: keyId, secretAccessKey: token } };
      });
      const client = s3(urlOf('vault'), credentials);
      const put = await client.send(new PutObjectCommand({ Bucket: 'b', Key: 'a file (1).txt', Body: 'héllo', ContentType: 'text/plain' }));
      assert.equal(put.ETag, '"1"');
      const got = await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'a file (1).txt' }));
      assert.equal(await got.Body?.transformToString(), 'héllo');
      await assert.rejects(client.send(new GetObjectCommand({ Bucket: 'b', Key: 'none' })), { name: 'NoSuchKey' });
      client.destroy();
      const text = JSON.stringify(await evidence(world));
      for (const secret of [credentials.secretAccessKey, credentials.accessKeyId, 'AWS4-HMAC']) assert.ok(!text.includes(secret));
      hashes.push((await world.query({ kind: 'position' })).evidenceHash);
    }
    assert.equal(hashes[0], hashes[1]);
  });

  test(`${engine}: another secret, another key, or a key at another place opens nothing`, async () => {
    const { credentials, urlOf, http, world } = await open();
    const other = await open();
    const wrong = [
      { ...credentials, secretAccessKey: other.credentials.secretAccessKey },
      { ...credentials, accessKeyId: 'AKIAIOSFODNN7EXAMPLE' },
      { ...credentials, secretAccessKey: credentials.accessKeyId },
    ];
    for (const given of wrong) {
      const client = s3(urlOf('vault'), given);
      await assert.rejects(
        client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' })),
        (error: { $metadata?: { httpStatusCode?: number } }) => {
          assert.equal(error.$metadata?.httpStatusCode, 401);
          return true;
        },
      );
      client.destroy();
    }
    for (const authorization of [`Bearer ${http.token}`, `Bearer ${http.keyId}`, `AWS4-HMAC-SHA256 Credential=${http.keyId}/1/2/3/4`])
      assert.equal((await fetch(`${urlOf('vault')}/b/k`, { headers: { authorization } })).status, 401, authorization);
    assert.equal((await fetch(`${http.url}/v1/tools`, { headers: { authorization: `Bearer ${http.keyId}` } })).status, 401);
    assert.equal((await evidence(world)).filter(({ kind }) => kind === 'operation').length, 0);
  });

  // WIRE-ROUTES-1
  test(`${engine}: a key id is no token of any other route, whatever a request says of a signature beside it`, async () => {
    const { credentials, urlOf, world } = await open();
    const { accessKeyId: keyId, secretAccessKey: token } = credentials;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const routes: { [kind: string]: (text: string) => { path: string; init: RequestInit & { headers: { [name: string]: string } } } } = {
      bearer: (text) => ({ path: `${urlOf('vault')}/me?`, init: { headers: { authorization: `Bearer ${text}` } } }),
      header: (text) => ({ path: `${urlOf('desk')}/key?`, init: { headers: { 'x-api-key': text } } }),
      query: (text) => ({ path: `${urlOf('desk')}/asked?access_token=${text}`, init: { headers: {} } }),
      cookie: (text) => ({ path: `${urlOf('desk')}/who?`, init: { headers: { cookie: `session=${text}` } } }),
      basic: (text) => ({
        path: `${urlOf('vault')}/oauth/token?`,
        init: {
          method: 'POST',
          body: 'grant_type=client_credentials',
          headers: { ...form, authorization: `Basic ${Buffer.from(`a:${text}`).toString('base64')}` },
        },
      }),
    };
    const named = (key: string) => `${key}/20260101/eu-central-1/s3/aws4_request`;
    const signature = '0'.repeat(64);
    const inQuery = (key: string) =>
      `&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${named(key)}&X-Amz-SignedHeaders=host&X-Amz-Signature=${signature}`;
    const inHeader = (key: string) => `AWS4-HMAC-SHA256 Credential=${named(key)}, SignedHeaders=host, Signature=${signature}`;
    for (const [kind, asked] of Object.entries(routes)) {
      const { path, init } = asked(keyId);
      assert.equal((await fetch(path, init)).status, 401, kind);
      assert.equal((await fetch(path + inQuery(keyId), init)).status, 401, `${kind} beside a signed query`);
      const signed = { authorization: inHeader(keyId), ...init.headers };
      assert.equal((await fetch(path, { ...init, headers: signed })).status, 401, `${kind} beside a signed header`);
    }
    // A token named as a key finds its access at another place, and is no key either.
    assert.equal((await fetch(`${urlOf('vault')}/b/k?${inQuery(token)}`, { headers: { authorization: `Bearer ${token}` } })).status, 401);
    assert.equal((await evidence(world)).filter(({ kind }) => kind === 'operation').length, 0);
    for (const [kind, asked] of Object.entries(routes)) {
      const { path, init } = asked(token);
      assert.equal((await fetch(path, init)).status, 200, `${kind} with the token`);
      assert.equal((await fetch(path + inQuery(keyId), init)).status, 200, `${kind} with the token, beside a signed query`);
    }
  });

  // SIGNED-REQUEST-1
  test(`${engine}: the signature is of method, path, query, headers and body, in a header or in the query`, async () => {
    const { credentials, urlOf, http } = await open();
    const base = new URL(urlOf('vault'));
    const signerOf = (service: string) =>
      new SignatureV4({
        service,
        region: 'eu-central-1',
        sha256: Sha256 as never,
        credentials,
        uriEscapePath: service !== 's3',
        applyChecksum: service === 's3',
      });
    const host = { host: base.host };
    const asked = (path: string, more: object = {}) => ({
      ...{
        method: 'GET',
        protocol: 'http:',
        hostname: base.hostname,
        port: Number(base.port),
        path: `${base.pathname}${path}`,
        query: {},
        headers: host,
      },
      ...more,
    });
    const send = async (
      path: string,
      { method, headers, body }: { method: string; headers: { [name: string]: string }; body?: string },
    ) => {
      const { host: _, ...others } = headers;
      const reply = await fetch(`${base.origin}${path}`, { method, headers: others, ...(body === undefined ? {} : { body }) });
      return [reply.status, await reply.text()] as const;
    };
    const table = { method: 'POST', body: '{"limit":3}', headers: { ...host, 'content-type': 'application/json' } };
    const tables = await signerOf('dynamodb').sign(asked('/tables', { ...table, query: { 'a b': 'c+d', Z: '', A: ['2', '1'] } }));
    const query = '?A=2&A=1&Z=&a%20b=c%2Bd';
    assert.deepEqual(
      await send(`${base.pathname}/tables${query}`, tables as never),
      [200, '{"asked":{"limit":3}}'],
      'no hash of the body in a header',
    );
    const changed: [string, object][] = [
      [`${base.pathname}/tables${query}&x=1`, {}],
      [`${base.pathname}/tables`, {}],
      [`/~${'vault'}/b/tables${query}`, { method: 'PUT' }],
      [`${base.pathname}/tables${query}`, { body: '{"limit":4}' }],
      [`${base.pathname}/tables${query}`, { headers: { ...tables.headers, 'content-type': 'application/x+json' } }],
    ];
    for (const [path, more] of changed)
      assert.equal((await send(path, { ...(tables as never as object), ...more } as never))[0], 401, path);
    const put = await signerOf('s3').sign(
      asked('/b/k', { method: 'PUT', body: 'one', headers: { ...host, 'content-type': 'text/plain' } }),
    );
    assert.equal(
      (await send(`${base.pathname}/b/k`, { ...(put as never as object), body: 'two' } as never))[0],
      401,
      'the body is not what the header says',
    );
    assert.equal((await send(`${base.pathname}/b/k`, put as never))[0], 200);
    const sha256 = 'x-amz-content-sha256';
    const putAs = (payload: string, body = 'one') =>
      signerOf('s3').sign(asked('/b/k', { method: 'PUT', body, headers: { ...host, 'content-type': 'text/plain', [sha256]: payload } }));
    const sendPut = async (given: unknown, more: { body?: string; headers?: object } = {}) => {
      const { body, headers } = given as { body: string; headers: { [name: string]: string } };
      return (await send(`${base.pathname}/b/k`, { method: 'PUT', body, ...more, headers: { ...headers, ...more.headers } }))[0];
    };
    const unhashed = await putAs('UNSIGNED-PAYLOAD', 'two');
    assert.equal(await sendPut(unhashed, { body: 'one' }), 200, 'any body where none was signed');
    assert.equal(await sendPut(put, { body: 'two', headers: { [sha256]: 'UNSIGNED-PAYLOAD' } }), 401, 'it was not signed so');
    const hash = createHash('sha256').update('one').digest('hex');
    assert.equal(await sendPut(unhashed, { headers: { [sha256]: hash } }), 401, 'nor the other way round');
    assert.equal(await sendPut(await putAs('unsigned')), 400, 'no other word stands for a hash');
    const capitals = await putAs(hash.toUpperCase());
    assert.deepEqual([await sendPut(capitals), await sendPut(capitals, { body: 'two' })], [200, 401]);
    const presigned = await signerOf('s3').presign(
      asked('/b/k', { headers: { ...host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }) as never,
      { expiresIn: 60 },
    );
    const search = new URLSearchParams(presigned.query as { [name: string]: string }).toString().replaceAll('+', '%20');
    assert.deepEqual(await send(`${base.pathname}/b/k?${search}`, { method: 'GET', headers: {} }), [200, 'one']);
    assert.equal((await send(`${base.pathname}/b/other?${search}`, { method: 'GET', headers: {} }))[0], 401);
    assert.equal(
      (
        await send(`${base.pathname}/b/k?${search.replace(/(?<=Signature=)./, (digit) => (digit === '0' ? '1' : '0'))}`, {
          method: 'GET',
          headers: {},
        })
      )[0],
      401,
    );
    assert.notEqual(http.keyId, http.token);
  });
}

test('what the signer adds is not what decode sees', async (t) => {
  const bindings = createBindings();
  t.after(() => bindings.close());
  const { world, http, urlOf } = await openMounts(bindings);
  const credentials = { accessKeyId: http.keyId ?? assert.fail(), secretAccessKey: http.token };
  const client = new S3Client({ endpoint: urlOf('vault'), region: 'eu-central-1', credentials, forcePathStyle: true });
  await client.send(new PutObjectCommand({ Bucket: 'b', Key: 'k', Body: 'x', ContentType: 'text/plain' }));
  client.destroy();
  const [entry] = (await evidence(world)).filter(({ kind }) => kind === 'operation');
  const { headers, query } = (entry as unknown as { invocation: { arguments: { headers: JsonObject; query: JsonObject } } }).invocation
    .arguments;
  assert.deepEqual(
    Object.keys(headers).filter((name) => /^(?:authorization|x-amz-date|amz-sdk)/.test(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(query).filter((name) => name.startsWith('X-Amz')),
    [],
  );
});

test('a signature names each header once, and no more headers than a request may have', () => {
  const read = (names: readonly string[], query: boolean) => {
    const [credential, signature] = ['key/20260101/eu-central-1/s3/aws4_request', '0'.repeat(64)];
    const header = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    const search = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-SignedHeaders=${names.join('%3B')}&X-Amz-Signature=${signature}`;
    return signatureOf(query ? { headers: new Map(), query: search } : { headers: new Map([['authorization', header]]), query: '' });
  };
  const many = (count: number) => ['host', ...Array.from({ length: count - 1 }, (_, place) => `x-${place}`)];
  for (const query of [false, true]) {
    assert.deepEqual(read(['host', 'x-a'], query)?.headers, ['host', 'x-a']);
    for (const names of [
      ['host', 'x-a', 'x-a'],
      ['host', 'host'],
      ['host', ...Array.from({ length: 4096 }, () => 'a')],
    ])
      assert.equal(read(names, query), undefined, names.slice(0, 3).join());
    assert.equal(read(many(limits.headersMax), query)?.headers.length, limits.headersMax);
    assert.equal(read(many(limits.headersMax + 1), query), undefined);
  }
});
