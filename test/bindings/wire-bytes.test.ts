// Bodies with bytes over real sockets, on both servers: the clients of vendors, files in forms, codings, and what is refused.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { sha256Digest } from '../../src/contract/digest.js';
import type { JsonObject } from '../../src/contract/json.js';
import { limits } from '../../src/contract/limits.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { createDepot, manyEvents, randomBytes, s3At } from './bodies-kit.js';
import { evidence, openWireWorlds } from './wire-kit.js';

const worlds = await openWireWorlds('bytes');
after(() => worlds.close());
const large = randomBytes(10 * 1024 * 1024, 1);

for (const engine of loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const)) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());
  const open = async () => {
    const world = await createDepot(worlds);
    const access = await bindings.open({ world, actorId: 'agent', bindings: ['http'] });
    const { url, token } = access.endpoints.http ?? assert.fail();
    const post = async (path: string, body: NonNullable<RequestInit['body']>, headers: { [name: string]: string } = {}) => {
      const reply = await fetch(url + path, { method: 'POST', body, headers: { authorization: `Bearer ${token}`, ...headers } });
      return { status: reply.status, body: (await reply.json()) as JsonObject & { body: JsonObject; code?: string } };
    };
    return { world, url, token, post };
  };

  test(`${engine}: JSON of 512 levels gets to decode, and deeper is refused`, async () => {
    const { post } = await open();
    const nested = (levels: number) => post('/files', '['.repeat(levels) + ']'.repeat(levels), { 'content-type': 'application/json' });
    const refused = await nested(limits.wireJsonDepthMax + 1);
    assert.deepEqual([refused.status, /nested too deeply/.test(JSON.stringify(refused.body))], [400, true], JSON.stringify(refused.body));
    // This decode makes arguments of all of it, which may not be as deep.
    const seen = await nested(limits.wireJsonDepthMax);
    assert.deepEqual([seen.status, /is nested deeper than 80/.test(JSON.stringify(seen.body))], [400, true], JSON.stringify(seen.body));
  });

  test(`${engine}: the client of S3 puts and gets 10 MiB, at once and in parts; evidence has references`, async () => {
    const { world, url } = await open();
    const s3 = s3At(url);
    await s3.send(new PutObjectCommand({ Bucket: 'b', Key: 'one', Body: large, ContentType: 'x/y' }));
    const got = await s3.send(new GetObjectCommand({ Bucket: 'b', Key: 'one' }));
    assert.equal(got.ContentType, 'x/y');
    assert.ok(large.equals((await got.Body?.transformToByteArray()) ?? assert.fail()));
    const [entry] = (await evidence(world)).filter(({ kind }) => kind === 'operation');
    const reference = { digest: sha256Digest(large), length: large.length, contentType: 'x/y' };
    assert.deepEqual(entry?.kind === 'operation' && (entry.invocation.arguments as JsonObject).blob, reference);
    const place = { Bucket: 'b', Key: 'many' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(place));
    const half = 5 * 1024 * 1024;
    for (const [index, Body] of [large.subarray(half), large.subarray(0, half)].entries())
      await s3.send(new UploadPartCommand({ ...place, UploadId, PartNumber: index + 1, Body }));
    await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag: 'x' }] } }));
    const joined = await (await s3.send(new GetObjectCommand(place))).Body?.transformToByteArray();
    assert.equal(sha256Digest(joined ?? assert.fail()), sha256Digest(Buffer.concat([large.subarray(half), large.subarray(0, half)])));
    const part = await fetch(`${url}/b/one?from=3&length=4`);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), large.subarray(3, 7));
    const beyond = await fetch(`${url}/b/one?from=${large.length - 2}&length=40`);
    assert.deepEqual(Buffer.from(await beyond.arrayBuffer()), large.subarray(-2));
    await assert.rejects(s3.send(new GetObjectCommand({ Bucket: 'b', Key: 'none' })), { name: 'NO_KEY' });
    s3.destroy();
  });

  // WIRE-ROUTES-4
  test(`${engine}: bytes that clients do not read hold back the next reply, of events too, until one of them goes`, async () => {
    const { url, token } = await open();
    const s3 = s3At(url);
    await s3.send(new PutObjectCommand({ Bucket: 'b', Key: 'one', Body: large }));
    s3.destroy();
    const place = new URL(`${url}/b/one`);
    const readers = Array.from({ length: Math.floor(limits.ownerWireBytesMax / large.length) }, () =>
      connect({ host: place.hostname, port: Number(place.port) }),
    );
    for (const reader of readers) {
      reader.write(`GET ${place.pathname} HTTP/1.1\r\nhost: ${place.host}\r\n\r\n`);
      await new Promise<void>((resolve) => reader.once('data', () => resolve(void reader.pause())));
    }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const events = { method: 'POST', headers, body: JSON.stringify(manyEvents) };
    const came: string[] = [];
    const next = ([[place.href], [`${url}/chat/completions`, events]] as const).map(async ([target, init]) => {
      const reply = await fetch(target, init);
      came.push(target);
      return (await reply.arrayBuffer()).byteLength;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(came, []);
    readers[0]?.destroy();
    const [bytes, streamed = 0] = await Promise.all(next);
    assert.deepEqual([bytes, streamed > limits.encodedBodyBytesMax / 2], [large.length, true]);
    for (const reader of readers) reader.destroy();
  });

  test(`${engine}: files and fields of a form, parts that are related, and the other kinds of the route`, async () => {
    const { post } = await open();
    const form = new FormData();
    form.append('title', 'Grüße');
    form.append('file', new Blob([new Uint8Array([0, 255, 13, 10, 45, 45])], { type: 'image/png' }), 'ä "b".png');
    form.append('notes', new Blob(['text all the same'], { type: 'text/plain' }), 'n.txt');
    const { body } = await post('/files', form);
    const { kind, subtype, parts } = body.body as { kind: string; subtype: string; parts: JsonObject[] };
    assert.deepEqual([kind, subtype, parts.length], ['multipart', 'form-data', 3]);
    assert.deepEqual([parts[0]?.name, parts[0]?.text, parts[0]?.bytes], ['title', 'Grüße', undefined]);
    const digest = sha256Digest(Buffer.from([0, 255, 13, 10, 45, 45]));
    assert.deepEqual([parts[1]?.filename, parts[1]?.bytes], ['ä "b".png', { digest, length: 6, contentType: 'image/png' }]);
    assert.equal((parts[2]?.bytes as JsonObject).length, 17);
    const related = [
      '--x y',
      'Content-Type: application/json',
      '',
      '{"name":"n"}',
      '--x y',
      'content-type: text/plain',
      '',
      'abc',
      '--x y--',
      '',
    ].join('\r\n');
    const { body: both } = await post('/files', related, { 'content-type': 'multipart/related; boundary="x y"' });
    const [meta, media] = (both.body as { parts: JsonObject[] }).parts;
    assert.deepEqual([meta?.text, media?.bytes], ['{"name":"n"}', { digest: sha256Digest('abc'), length: 3, contentType: 'text/plain' }]);
    assert.deepEqual((await post('/files', '{"a":1}', { 'content-type': 'application/json' })).body.body, {
      kind: 'json',
      value: { a: 1 },
    });
    assert.deepEqual((await post('/files', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })).body.body, {
      kind: 'form',
      value: { a: ['1'] },
    });
    assert.equal((await post('/files', 'a', { 'content-type': 'text/plain' })).status, 415);
    assert.equal(((await post('/media', 'a', { 'content-type': 'text/plain' })).body.body as JsonObject).kind, 'text');
    assert.equal(((await post('/media', 'a', { 'content-type': 'image/png' })).body.body as JsonObject).kind, 'bytes');
  });

  // BODY-CODING-1, MULTIPART-1
  test(`${engine}: compressed bodies and aws-chunked ones are what they hold; more than the bound, or no such thing, is refused`, async () => {
    const { post, url } = await open();
    const json = { 'content-type': 'application/json' };
    const text = JSON.stringify({ a: 'b'.repeat(100) });
    for (const [coding, bytes] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
    ] as const)
      assert.deepEqual((await post('/plain', bytes, { ...json, 'content-encoding': coding })).body.body, {
        kind: 'json',
        value: JSON.parse(text),
      });
    const bomb = gzipSync(JSON.stringify('x'.repeat(limits.bodyBytesMax)));
    assert.equal((await post('/plain', bomb, { ...json, 'content-encoding': 'gzip' })).status, 413);
    assert.equal((await post('/plain', text, { ...json, 'content-encoding': 'gzip' })).status, 400);
    for (const coding of ['br', 'gzip, gzip'])
      assert.equal((await post('/plain', text, { ...json, 'content-encoding': coding })).status, 415);
    const kept = await post('/media', gzipSync('abc'), { 'content-type': 'x/y', 'content-encoding': 'gzip' });
    assert.equal((kept.body.body.value as JsonObject).digest, sha256Digest(gzipSync('abc')), 'bytes stay as they were sent');
    const chunked = { 'content-type': 'x/y', 'content-encoding': 'aws-chunked' };
    const signed = '3;chunk-signature=ab\r\nabc\r\n2\r\nde\r\n0\r\nx-amz-checksum-crc32: AAAA\r\n\r\n';
    const framed = await post('/media', signed, { ...chunked, 'x-amz-decoded-content-length': '5' });
    assert.deepEqual([(framed.body.body.value as JsonObject).digest, framed.body.trailer], [sha256Digest('abcde'), ['AAAA']]);
    for (const broken of ['3\r\nabcd\r\n0\r\n\r\n', 'ffffffff\r\nabc', '3\r\nabc\r\n', 'xyz\r\n', '0\r\n\r\nmore', ''])
      assert.equal((await post('/media', broken, chunked)).status, broken === '' ? 200 : 400, broken);
    assert.equal((await post('/media', signed, { ...chunked, 'x-amz-decoded-content-length': '6' })).status, 400);
    const over = await fetch(`${url}/b/k`, { method: 'PUT', body: new Uint8Array(limits.wireBodyBytesMax + 1) }).then(
      ({ status }) => status,
      () => 413,
    );
    assert.equal(over, 413);
    for (const [body, type] of [
      ['--x\r\n\r\nabc', 'multipart/form-data; boundary=x'],
      ['abc', 'multipart/form-data; boundary=x'],
      ['abc', 'multipart/form-data'],
    ] as const)
      assert.equal((await post('/files', body, { 'content-type': type })).status, 400, body);
    const many = `${'--x\r\ncontent-disposition: form-data; name=a\r\n\r\nb\r\n'.repeat(limits.multipartPartsMax + 1)}--x--\r\n`;
    assert.equal((await post('/files', many, { 'content-type': 'multipart/form-data; boundary=x' })).status, 400);
  });

  test(`${engine}: handlers read and make bytes; what fails keeps none`, async () => {
    const { post, world, url } = await open();
    const use = (how: JsonObject) => post('/use', JSON.stringify(how), { 'content-type': 'application/json' });
    const { body: made } = await use({ how: 'make', text: 'größer' });
    assert.deepEqual(made, { digest: sha256Digest('größer'), length: 8, contentType: 'text/plain' });
    assert.deepEqual((await use({ how: 'read', blob: made, range: { from: 1, length: 2 } })).body, { bytes: [114, 195], text: 'größer' });
    const { body: pair } = await use({ how: 'bytes' });
    assert.deepEqual(pair, { digest: sha256Digest(Buffer.from([0, 255, 128])), length: 3, contentType: 'x/y' });
    assert.deepEqual((await use({ how: 'read', blob: pair })).body.bytes, [0, 255, 128]);
    assert.equal((await use({ how: 'liar' })).body.length, 3);
    assert.equal((await use({ how: 'throw', text: 'gone' })).body.kind, 'tool_error');
    const gone = { digest: sha256Digest('gone'), length: 4, contentType: 'text/plain' };
    assert.equal((await use({ how: 'read', blob: gone })).body, null);
    assert.equal((await fetch(`${url}/b/refused`, { method: 'PUT', body: 'kept?' })).status, 507);
    const refused = { digest: sha256Digest('kept?'), length: 5, contentType: 'text/plain' };
    assert.equal((await use({ how: 'read', blob: refused })).body, null);
    assert.equal((await use({ how: 'read', blob: { digest: 'x' } })).body.kind, 'tool_error');
    const empty = await fetch(`${url}/b/empty`, { method: 'PUT' });
    assert.equal(empty.status, 200);
    assert.equal((await (await fetch(`${url}/b/empty`)).arrayBuffer()).byteLength, 0);
    assert.ok((await evidence(world)).length > 0);
  });
}
