// What the service reports about itself, and what it must not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { NotReadyReason } from '../../src/contract/hosted/readiness.js';
import { limits } from '../../src/contract/limits.js';
import type { ControlFigures } from '../../src/control/figures.js';
import { createMetrics } from '../../src/http/metrics/metrics.js';
import { mountAt } from '../../src/http/mount.js';
import { createRouter } from '../../src/http/router.js';
import { createServiceLog } from '../../src/http/service-log.js';
import { serviceRoutes } from '../../src/http/service-routes.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { engines, fakeControl, ids, send } from './fake-control.js';

const figures: ControlFigures = {
  isReady: true,
  hosts: [
    { slot: 0, worldsLive: 3, mailboxDepth: 5, residentBytes: 1, restarts: 0 },
    { slot: 1, worldsLive: 1, mailboxDepth: 0, residentBytes: 1, restarts: 0 },
  ],
  hostsReady: 0,
  worlds: 10,
  worldCommits: 77,
  catalogCommits: 12,
  operations: [],
  runsActive: 0,
  runsAwaitingAgent: 0,
  callbacks: { inFlight: 0, oldestSeconds: 0 },
  quarantinedBuilds: 0,
  disk: { freeBytes: 1, keptBytes: 1, reserveBytes: 1, folders: undefined },
};

const documentedStatuses: { readonly [path: string]: string[] } = {
  '/healthz': ['200', '403', '503'],
  '/readyz': ['200', '403', '503'],
  '/metrics': ['200', '401', '403', '429', '503'],
  '/v1/openapi.json': ['200', '304', '403', '429', '503'],
  '/docs': ['200', '304', '403', '429', '503'],
};

for (const engine of engines) {
  test(`${engine}: health, readiness, figures, document and page are open to anybody`, async () => {
    const troubles: NotReadyReason[] = [];
    const metrics = createMetrics(async () => figures);
    metrics.serverStarted(engine);
    const fake = await fakeControl(engine, { open: serviceRoutes({ troubles: async () => troubles, metrics }), observers: [metrics] });
    const get = (path: string) => send(fake.url + path, { headers: { authorization: '' } });
    assert.deepEqual((await get('/healthz')).body, { status: 'ok' });
    assert.deepEqual((await get('/readyz')).body, { status: 'ready' });
    troubles.push('commit_lag', 'hosts_cannot_start');
    const notReady = await get('/readyz');
    assert.deepEqual([notReady.status, notReady.body.code], [503, 'control.UNAVAILABLE']);
    assert.deepEqual(notReady.body.details, { reasons: ['commit_lag', 'hosts_cannot_start'] });
    assert.match(String(notReady.body.message), /commits of the catalog take too long; hosts of worlds cannot start/);
    const document = (await get('/v1/openapi.json')).body as unknown as {
      openapi: string;
      paths: { [path: string]: { get: { responses: object } } };
    };
    assert.equal(document.openapi, '3.1.0');
    for (const path of Object.keys(documentedStatuses)) {
      const foreign = await send(fake.url + path, { headers: { authorization: '', origin: 'https://evil.example' } });
      const statuses = Object.keys(document.paths[path]?.get.responses ?? {});
      assert.deepEqual([foreign.status, statuses], [403, documentedStatuses[path]]);
    }
    const page = await get('/docs');
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.equal(page.headers.get('content-disposition'), 'inline');

    await send(`${fake.url}/v1/projects/${ids.projectId}?nonsense=1`);
    const { text, headers } = await get('/metrics');
    assert.match(headers.get('content-type') ?? '', /^text\/plain/);
    const value = (line: string): number | undefined => {
      const found = text.split('\n').find((one) => one.startsWith(`${line} `));
      return found === undefined ? undefined : Number(found.slice(line.length + 1));
    };
    assert.equal(value('drillyard_mailbox_depth{host="0"}'), 5);
    assert.equal(value('drillyard_worlds_live{host="1"}'), 1);
    assert.equal(value('drillyard_worlds_passivated'), 6);
    assert.equal(value('drillyard_commits_total{store="worlds"}'), 77);
    assert.equal(value('drillyard_commits_total{store="catalog"}'), 12);
    assert.equal(value('drillyard_http_request_duration_seconds_count{route="getProject",status="400"}'), 1);
    assert.equal(value('drillyard_http_requests_in_flight'), 1);
    assert.equal(value(`drillyard_http_server{engine="${engine}"}`), 1);
    assert.ok((value('nodejs_eventloop_lag_seconds') ?? -1) >= 0);
    // A second scrape tells totals, not sums of totals.
    assert.match((await get('/metrics')).text, /drillyard_commits_total\{store="worlds"\} 77/);
  });

  test(`${engine}: the log has a line for each request, with its correlation id and nothing secret`, async () => {
    const lines: string[] = [];
    const log = createServiceLog({ destination: { write: (line: string) => void lines.push(line) } });
    const fake = await fakeControl(engine, { observers: [log.access], onFailure: log.failure });
    fake.answer = ({ id }) => {
      if (id === 'listProjects') throw new Error('a bug');
      if (id === 'getMe') throw new ServiceError('control.WORLD_BUSY', { message: 'private' });
      return { secret: 'dyc_answer' };
    };
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'key-00000001' };
    const created = await send(`${fake.url}/v1/credentials`, { method: 'POST', headers, body: '{"name":"private","role":null}' });
    await send(`${fake.url}/v1/me`);
    await send(`${fake.url}/v1/projects?cursor=private`);
    await send(`${fake.url}/v1/private`, { headers: { authorization: 'Bearer private' } });
    log.info('reported', { credential: 'private', nested: { token: 'private' } });
    const reported = lines.map((line) => JSON.parse(line) as { [name: string]: unknown });
    const { level, time, ms, ...first } = reported[0] ?? {};
    assert.deepEqual([typeof level, typeof time, typeof ms], ['number', 'number', 'number']);
    assert.deepEqual(first, {
      correlationId: created.headers.get('x-correlation-id'),
      method: 'POST',
      route: 'createCredential',
      status: 201,
      credentialId: 'cred_1',
      clientAddress: '127.0.0.1',
      msg: 'request',
    });
    assert.deepEqual(
      reported.filter(({ msg }) => msg === 'request').map(({ route, status }) => [route, status]),
      [
        ['createCredential', 201],
        ['getMe', 503],
        ['listProjects', 500],
        [undefined, 404],
      ],
    );
    const failure = reported.find(({ msg }) => msg !== 'request');
    assert.match(JSON.stringify(failure?.err), /a bug/);
    assert.equal(failure?.correlationId, reported.find(({ status }) => status === 500)?.correlationId);
    const all = lines.join('');
    for (const secret of ['"private"', 'cursor', 'good', 'dyc_answer', 'key-00000001']) assert.ok(!all.includes(secret), secret);
  });

  test(`${engine}: a line names the resources of its path by their ids, of a caller who is known, and nothing else of the path`, async () => {
    const lines: string[] = [];
    const log = createServiceLog({ destination: { write: (line: string) => void lines.push(line) } });
    const fake = await fakeControl(engine, { observers: [log.access] });
    const token = `dyc_${'aB3_'.repeat(10)}xyz`;
    await send(`${fake.url}/v1/projects/${ids.projectId}/sessions/${ids.sessionId}`);
    await send(`${fake.url}/v1/projects/${ids.projectId}/sessions/${token}`);
    await send(`${fake.url}/v1/projects/${ids.projectId}`, { headers: { authorization: 'Bearer bad' } });
    const { projectId, sessionId } = ids;
    const seen = lines.map((line) => JSON.parse(line) as { status: number; resource?: object });
    assert.deepEqual(
      seen.map(({ status, resource }) => [status, resource]),
      [
        [200, { projectId, sessionId }],
        [400, { projectId }],
        [401, undefined],
      ],
    );
    assert.ok(!lines.join('').includes(token));
  });

  test(`${engine}: refusals to strangers are sampled, probes that are well are no lines, and at debug all is`, async () => {
    const clock = { nowMs: 0 };
    const logOf = (level: 'info' | 'debug') => {
      const lines: string[] = [];
      const log = createServiceLog({ level, nowMs: () => clock.nowMs, destination: { write: (line: string) => void lines.push(line) } });
      const reported = () => lines.map((line) => JSON.parse(line) as { msg: string; route?: string; leftOut?: number });
      return { log, reported, requests: () => reported().filter(({ msg }) => msg === 'request').length };
    };
    const [info, debug] = [logOf('info'), logOf('debug')];
    const metrics = createMetrics(async () => figures);
    const open = serviceRoutes({ troubles: async () => [], metrics });
    const fake = await fakeControl(engine, { open, observers: [info.log.access, debug.log.access] });
    const bad = () => send(`${fake.url}/v1/me`, { headers: { authorization: 'Bearer bad' } });
    const more = limits.strangerLinesMax + 5;
    for (let n = 0; n < more; n++) await bad();
    await send(`${fake.url}/healthz`);
    await send(`${fake.url}/v1/me`);
    assert.deepEqual([info.requests(), debug.requests()], [limits.strangerLinesMax + 1, more + 2]);
    clock.nowMs = limits.strangerLinesWindowMs;
    await bad();
    assert.deepEqual(info.reported().at(-2)?.leftOut, 5);
    assert.equal(info.requests(), limits.strangerLinesMax + 2);
    // An agent that is known has a line for each refusal, though no credential of the control API names it.
    const known = {
      correlationId: 'corr_1',
      method: 'POST',
      route: 'call',
      seconds: 0,
      code: undefined,
      caller: undefined,
      address: '',
      path: undefined,
    };
    for (let n = 0; n < more; n++) info.log.agentAccess.answered({ ...known, isOfStranger: false, status: 409 });
    info.log.agentAccess.answered({ ...known, isOfStranger: false, status: 200 });
    assert.equal(info.requests(), limits.strangerLinesMax + 2 + more);
  });

  test(`${engine}: what is mounted below a prefix has its own callers, and keeps its paths`, async () => {
    const routerOf = (token: string, prefix?: string) =>
      createRouter<string>({
        ...(prefix === undefined ? {} : { prefix }),
        routes: [
          {
            method: 'GET',
            path: '/v1/tools',
            auth: 'bearer',
            run: ({ caller, request }) => ({ status: 200, body: [caller, request.path] }),
          },
        ],
        requireHost: () => {},
        authenticate: (given) => {
          if (given !== token) throw new ServiceError('control.UNAUTHENTICATED');
          return token;
        },
        onFailure: () => {},
      });
    const handler = mountAt('/world', routerOf('world', '/world'), routerOf('control'));
    const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler });
    try {
      const get = (path: string, token: string) =>
        send(`http://127.0.0.1:${server.port}${path}`, { headers: { authorization: `Bearer ${token}` } });
      assert.deepEqual((await get('/world/v1/tools', 'world')).body, ['world', '/world/v1/tools']);
      assert.deepEqual((await get('/v1/tools', 'control')).body, ['control', '/v1/tools']);
      assert.equal((await get('/world/v1/tools', 'control')).status, 401);
      assert.equal((await get('/v1/tools', 'world')).status, 401);
      for (const path of ['/world', '/worlds/v1/tools', '/world/world/v1/tools', '/world%2fv1/tools'])
        assert.equal((await get(path, 'world')).status, 404, path);
    } finally {
      await server.close();
    }
  });
}
