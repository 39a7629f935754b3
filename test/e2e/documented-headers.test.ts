// The headers that clients go by beside the body: each kind of reply has those that the served document declares for it, and no other.
// Replies to requests made wrong are held against it in fuzz.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startControlServer } from '../../src/control-server.js';
import { DocumentJudge, promisedHeaders } from '../http/openapi/judge.js';
import { servedDocument } from './requests.js';
import { startedDirectory, startInside, threads } from './service.js';
import { exchange, newKey, type Received, type Sent } from './wire.js';

const rate = ['RateLimit', 'RateLimit-Policy'];

test('replies have the headers that the document declares for them', async () => {
  const dataDirectory = await startedDirectory();
  const service = await startInside({ dataDirectory, flags: ['--rate-per-second', '1', '--rate-burst', '20'] });
  const { baseUrl, projectId, credential } = service.ready;
  const judge = new DocumentJudge((await servedDocument(baseUrl)) as never);
  const ask = async (method: string, target: string, sent: Partial<Sent> = {}): Promise<Received> => {
    const reply = await exchange(baseUrl, { method, target, ...sent });
    judge.assertAnswer({ method, path: target, status: reply.status, headers: reply.headers, text: reply.bytes.toString() });
    return reply;
  };
  const holder = { authorization: `Bearer ${credential}` };
  const operator = { authorization: `Bearer ${readFileSync(join(dataDirectory, 'operator.token'), 'utf8').trim()}` };
  const create = (headers: Sent['headers']): Partial<Sent> => ({
    headers: { ...holder, 'idempotency-key': newKey(), ...headers },
    body: '{}',
  });
  const json = { 'content-type': 'application/json' };
  const unknown = `${projectId.slice(0, -1)}${projectId.endsWith('0') ? '1' : '0'}`;
  const expected: [status: number, headers: string[], reply: Promise<Received>][] = [
    [200, rate, ask('GET', '/v1/me', { headers: holder })],
    [201, rate, ask('POST', '/v1/projects', { ...create(json), body: '{"name":"One"}' })],
    [400, rate, ask('POST', '/v1/projects', create({ ...json, 'idempotency-key': 'short' }))],
    [401, ['WWW-Authenticate'], ask('GET', '/v1/me')],
    [404, rate, ask('GET', `/v1/projects/${unknown}`, { headers: holder })],
    [404, [], ask('GET', '/v1/nowhere', { headers: holder })],
    [405, ['Allow'], ask('PUT', '/v1/me', { headers: holder })],
    [413, [], ask('POST', '/v1/projects', { ...create(json), body: `"${'x'.repeat(1024 * 1024)}"` })],
    [415, [], ask('POST', '/v1/projects', create({ 'content-type': 'text/plain' }))],
    [200, [], ask('GET', '/v1/operator/organizations', { headers: operator })],
    [401, ['WWW-Authenticate'], ask('GET', '/v1/operator/organizations')],
    [200, ['ETag'], ask('GET', '/v1/openapi.json')],
    [200, ['ETag'], ask('GET', '/docs')],
    [200, [], ask('GET', '/healthz')],
  ];
  for (const [status, headers, reply] of expected) {
    const { headers: had, ...received } = await reply;
    assert.deepEqual([received.status, promisedHeaders(had)], [status, headers], JSON.stringify(received.json));
  }
  let last: Received;
  do last = await ask('GET', '/v1/me', { headers: holder });
  while (last.status === 200);
  assert.deepEqual([last.status, promisedHeaders(last.headers)], [429, rate]);
  await service.stop();
});

test('the own paths of the service answer 304 and 429 as the document says', async () => {
  const dataDirectory = await startedDirectory();
  const strangerRate = { perSecond: 0.001, burst: 20 };
  const server = await startControlServer({ ...threads, port: 0, dataDirectory, strangerRate, log: { level: 'silent' } });
  const { baseUrl } = server;
  const document = (await servedDocument(baseUrl)) as { paths: { [path: string]: { get?: { tags: string[]; responses: object } } } };
  const judge = new DocumentJudge(document as never);
  const ask = async (target: string, headers: Sent['headers'] = {}): Promise<Received> => {
    const reply = await exchange(baseUrl, { method: 'GET', target, headers });
    judge.assertAnswer({ method: 'GET', path: target, status: reply.status, headers: reply.headers, text: reply.bytes.toString() });
    return reply;
  };
  const own = Object.keys(document.paths).filter((path) => document.paths[path]?.get?.tags[0] === 'service');
  const saysOf = (path: string, status: number): boolean => Object.hasOwn(document.paths[path]?.get?.responses ?? {}, status);
  for (const path of own) {
    const { headers } = await ask(path);
    const { status } = await ask(path, { 'if-none-match': String(headers.etag ?? '"another"') });
    assert.equal(status === 304, saysOf(path, 304), path);
  }
  const isCounted = (path: string): boolean => saysOf(path, 429);
  let status: number;
  do ({ status } = await ask('/docs'));
  while (status !== 429);
  for (const path of own) {
    const reply = await ask(path);
    assert.deepEqual([path, reply.status === 429, promisedHeaders(reply.headers)], [path, isCounted(path), isCounted(path) ? rate : []]);
  }
  await server.close();
});
