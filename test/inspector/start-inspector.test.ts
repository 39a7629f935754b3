// Who gets in: Host, Origin, token, method, size, media type; and what the shell is.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspectorRoutes } from '../../src/contract/inspector/routes.js';
import { startLocalInspector } from '../../src/index.js';
import { createRepository } from '../drills/repository.js';
import { assertRefused, onEachEngine, startTestInspector } from './inspector-kit.js';

const runId = 'run_01kjpf3q5d0c9h8r7s6t5v4w3x';
/** A path that fits every template. */
const pathOf = (template: string): string =>
  template
    .replace('{runId}', runId)
    .replace('{name}', runId.replace('run', 'inv'))
    .replace('{worldId}', runId.replace('run', 'world'))
    .replace('{requestId}', runId.replace('run', 'request'))
    .replace('{toolId}', 'notes')
    .replace('{fileId}', 'src_0123456789abcdef01234567')
    .replace('{attachmentId}', 'attachment-1')
    .replace('{sequence}', '1');

onEachEngine('every route, and the shell, asks for a loopback Host and Origin before anything else', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const { port } = new URL(inspector.baseUrl);
  for (const { method, path } of [...Object.values(inspectorRoutes), { method: 'GET', path: '/' }, { method: 'GET', path: '/nowhere' }]) {
    for (const headers of [
      { host: `rebound.example:${port}` },
      { host: 'localhost.example' },
      { host: `127.0.0.1:${port}`, origin: 'https://elsewhere.example' },
      { host: 'localhost', origin: 'null' },
    ]) {
      assertRefused(await inspector.ask(pathOf(path), { method, headers }), 403, 'control.ORIGIN_REJECTED');
    }
  }
  for (const headers of [
    { host: `localhost:${port}` },
    { host: `127.0.0.1:${port}`, origin: inspector.baseUrl },
    { host: `[::1]:${port}` },
  ]) {
    const answer = await inspector.ask('/api/v1/project', { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  }
  assertRefused(
    await inspector.ask('/api/v1/project', {
      method: 'OPTIONS',
      headers: { origin: inspector.baseUrl, 'access-control-request-method': 'GET' },
    }),
    405,
    'control.METHOD_NOT_ALLOWED',
  );
});

onEachEngine('every route asks for the token, and says the same whatever is wrong with it', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const { token } = inspector;
  const wrong = [
    undefined,
    '',
    'Bearer',
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer x${token.slice(1)}`,
    `Basic ${token}`,
    `Bearer ${token} ${token}`,
  ];
  const reported = new Set<string>();
  for (const { method, path } of Object.values(inspectorRoutes)) {
    for (const authorization of wrong) {
      const headers: { [name: string]: string } = authorization === undefined ? {} : { authorization };
      const answer = await inspector.askPlainly(pathOf(path), { method, headers });
      reported.add(assertRefused(answer, 401, 'control.UNAUTHENTICATED').message);
      assert.match(String(answer.headers['www-authenticate']), /^Bearer realm="drillyard"(, error="invalid_token")?$/);
    }
    // A token in the address is no token.
    assertRefused(await inspector.askPlainly(`${pathOf(path)}?token=${token}`, { method }), 401, 'control.UNAUTHENTICATED');
  }
  assert.equal(reported.size, 1);
});

onEachEngine('bodies are JSON objects of their route, and nothing else', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  for (const [id, { method, path }] of Object.entries(inspectorRoutes)) {
    if (method !== 'POST') continue;
    const at = pathOf(path);
    assertRefused(await inspector.ask(at, { method, body: '{' }), 400, 'control.INVALID_JSON');
    assertRefused(await inspector.ask(at, { method, body: '[]' }), 400, 'control.INVALID_REQUEST');
    const unknown = assertRefused(await inspector.post(at, { nobodyKnows: 1 }), 400, 'control.INVALID_REQUEST');
    assert.ok(
      unknown.issues?.some((issue) => issue.path === '/nobodyKnows'),
      `${id}: ${JSON.stringify(unknown.issues)}`,
    );
    assertRefused(
      await inspector.ask(at, { method, body: '{}', headers: { 'content-type': 'text/plain' } }),
      415,
      'control.UNSUPPORTED_MEDIA_TYPE',
    );
    assertRefused(await inspector.post(at, { text: 'x'.repeat(1024 * 1024) }), 413, 'control.PAYLOAD_TOO_LARGE');
  }
});

// REPORT-DIRECTORY-1, INSPECTOR-2
onEachEngine('queries are checked; what a route does not take is refused', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const run = `/api/v1/runs/${runId}`;
  const refused: { [path: string]: string } = {
    '/api/v1/project?x=1': '/query/x',
    '/api/v1/runs?limit=0': '/query/limit',
    '/api/v1/runs?limit=501': '/query/limit',
    '/api/v1/runs?limit=1.5': '/query/limit',
    '/api/v1/runs?limit=01': '/query/limit',
    '/api/v1/runs?limit=1&limit=2': '/query/limit',
    '/api/v1/runs?directory=/etc': '/query/directory',
    [`${run}/evidence?fromSequence=0`]: '/query/fromSequence',
    [`${run}/evidence?sequences=1,,2`]: '/query/sequences',
    [`${run}/evidence?sequences=1&fromSequence=2`]: '/query/fromSequence',
    [`${run}/evidence/search?kind=nothing`]: '/query/kind',
    [`${run}/evidence/search?q=`]: '/query/q',
    [`${run}/timeline?buckets=2001`]: '/query/buckets',
    [`${run}/timeline?from=5&to=4`]: '/query/to',
    [`${run}/timeline?axis=place`]: '/query/axis',
    [`${run}/state?packageId=notes`]: '/query/namespace',
    [`${run}/state?packageId=..&namespace=notes`]: '/query/packageId',
    [`${run}/state-namespaces?atSequence=-1`]: '/query/atSequence',
    '/api/v1/events?follow=../x': '/query/follow',
    '/api/v1/events?fromSequence=1': '/query/fromSequence',
    '/api/v1/runs/%2e%2e': '/path/runId',
    '/api/v1/runs/run_..%2f..%2fetc/report': '/path/runId',
    '/api/v1/runs/.service/report/attachments': '/path/runId',
    [`${run}/report/attachments/..%2freport.json`]: '/path/attachmentId',
    '/api/v1/tools/notes/implementation/..%2f..%2fpackage.json': '/path/fileId',
    '/api/v1/tools/notes/implementation/behavior.ts': '/path/fileId',
  };
  for (const [path, at] of Object.entries(refused)) {
    const { issues } = assertRefused(await inspector.ask(path), 400, 'control.INVALID_REQUEST');
    assert.deepEqual([...new Set(issues?.map((issue) => issue.path))], [at], path);
  }
  assertRefused(await inspector.ask('/api/v1/runs/%zz'), 400, 'control.INVALID_REQUEST');
  for (const path of ['/api/v1', '/api/v1/', '/api/v1/../v1/project', '/api/v1/runs/a/b/c', '/package.json', '/app.js.map', '//']) {
    assertRefused(await inspector.ask(path), 404, 'control.ROUTE_NOT_FOUND');
  }
  const wrongMethod = await inspector.ask('/api/v1/project', { method: 'DELETE' });
  assertRefused(wrongMethod, 405, 'control.METHOD_NOT_ALLOWED');
  assert.equal(wrongMethod.headers.allow, 'GET, HEAD');
});

onEachEngine('what is not there is not found', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const withBodies: { [id: string]: object } = {
    startRun: { drillId: 'nobody' },
    compareRuns: { left: runId, right: runId },
    openEditor: { drillId: 'nobody' },
    recordRun: { as: 'drill', id: 'it' },
    recordWorld: { as: 'drill', id: 'it' },
    callWorld: { actorId: 'writer', packageId: 'notes', operationId: 'note.get', arguments: {} },
    advanceWorld: { targetUs: 1 },
    setWorldFault: { packageId: 'notes', faultId: 'down', active: true },
  };
  const queries: { [id: string]: string } = {
    listState: '?packageId=notes&namespace=notes',
    listWorldState: '?packageId=notes&namespace=notes',
    listRowChanges: '?packageId=notes&namespace=notes&rowId=a',
    listWorldRowChanges: '?packageId=notes&namespace=notes&rowId=a',
    listWorldTools: '?actorId=writer',
  };
  const there = new Set([
    'getProject',
    'refresh',
    'listSource',
    'findSource',
    'listRuns',
    'listRunRequests',
    'listEvents',
    'listWorlds',
    'createWorld',
  ]);
  for (const [id, { method, path }] of Object.entries(inspectorRoutes)) {
    if (there.has(id)) continue;
    const answer = await inspector.ask(pathOf(path) + (queries[id] ?? ''), {
      method,
      ...(method === 'POST' ? { body: withBodies[id] ?? {} } : {}),
    });
    assertRefused(answer, 404, 'control.NOT_FOUND');
  }
  assertRefused(await inspector.ask(`/api/v1/events?follow=${runId}`), 404, 'control.NOT_FOUND');
  const start = await inspector.ask('/api/v1/worlds', { method: 'POST', body: { scenarioId: 'nowhere' } });
  assert.deepEqual(
    assertRefused(start, 400, 'control.INVALID_REQUEST').issues?.map(({ path }) => path),
    ['/scenarioId'],
  );
});

onEachEngine('the shell is public, and holds nothing but itself', async (t, engine) => {
  const inspector = await startTestInspector(t, { engine });
  const shell = await inspector.askPlainly('/');
  assert.equal(shell.status, 200);
  assert.match(String(shell.headers['content-type']), /^text\/html/);
  assert.match(String(shell.headers['content-security-policy']), /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(String(shell.headers['content-security-policy']), /unsafe/);
  assert.equal(shell.headers['x-content-type-options'], 'nosniff');
  assert.ok(!shell.text.includes(inspector.token));
  const named = [...shell.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path as string);
  assert.ok(named.length >= 2);
  for (const path of named) assert.equal((await inspector.askPlainly(path)).status, 200, path);
  assert.equal((await inspector.askPlainly('/?token=anything')).status, 200);
});

test('it listens on loopback only, by its own choice', async () => {
  for (const hostname of ['0.0.0.0', '::', '192.168.1.1', 'example.com', ''])
    await assert.rejects(startLocalInspector({ root: '.', hostname }), { code: 'control.INVALID_REQUEST' });
});

// START-INSPECTOR-1
test('closing leaves nothing: no port, no folder, no world; twice is once', async () => {
  const repository = createRepository();
  // Of this process alone: other tests start inspectors meanwhile.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'drillyard-left-'));
  const inspector = await startLocalInspector({ root: repository.root, hostname: 'localhost' });
  const headers = { authorization: `Bearer ${inspector.token}`, 'content-type': 'application/json' };
  const stream = await fetch(`${inspector.baseUrl}/api/v1/events`, { headers });
  const made = await fetch(`${inspector.baseUrl}/api/v1/worlds`, { method: 'POST', headers, body: '{}' });
  assert.equal(made.status, 201);
  await Promise.all([inspector.close(), inspector.close()]);
  await stream.text();
  await assert.rejects(fetch(inspector.baseUrl));
  assert.deepEqual(readdirSync(process.env.TMPDIR), []);
  rmSync(process.env.TMPDIR, { recursive: true });
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  assert.ok(!existsSync(`${repository.root}/.service`));
  repository.remove();
});

test('two inspectors of one repository have tokens of their own', async (t) => {
  const [one, other] = [await startTestInspector(t), await startTestInspector(t)];
  assert.notEqual(one.token, other.token);
  assert.match(one.token, /^insp_[A-Za-z0-9_-]{43}$/);
  assertRefused(
    await one.askPlainly('/api/v1/project', { headers: { authorization: `Bearer ${other.token}` } }),
    401,
    'control.UNAUTHENTICATED',
  );
});

test('the port of a repository is the same at every start, and another one while that is taken', async (t) => {
  const repository = createRepository();
  t.after(() => repository.remove());
  const start = () => startLocalInspector({ root: repository.root, port: 'repository' });
  const first = await start();
  const second = await start();
  t.after(() => second.close());
  assert.notEqual(second.baseUrl, first.baseUrl);
  await first.close();
  const again = await start();
  t.after(() => again.close());
  assert.equal(again.baseUrl, first.baseUrl);
});
