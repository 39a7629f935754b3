// Every code of the table that the hosted API can answer with is provoked here from outside, or in the test that is named; and the checks
// are made in the order that is documented: each request of the ladder breaks one rule and every later one.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { ClientOptions } from '../../src/client/client.js';
import { createClient } from '../../src/client/client.js';
import { type ErrorCode, errorTable } from '../../src/contract/errors.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { projectEndpoints } from '../../src/control/organizations/project-endpoints.js';
import { controlRoutes } from '../../src/http/control-routes.js';
import { requireHost } from '../../src/http/guards.js';
import { createRouter } from '../../src/http/router.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { openControlKit } from '../control/control-kit.js';
import { startInside } from './service.js';
import { neverIds, startTenants } from './tenants.js';
import { type Body, exchange, newKey, type Received, type Sent } from './wire.js';

const tenants = await startTenants({ flags: ['--credentials-max', '4'] });
const { manager, client, ids, idle, service } = tenants;
const { baseUrl } = service.ready;
const project = `/v1/projects/${ids.projectId}`;
const never = neverIds(ids);
const viewer = (await client.createCredential({ body: { name: 'reads', role: 'viewer' } })).secret!;

const json = { 'content-type': 'application/json' };
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const get = (target: string, headers: Sent['headers'] = as(manager)): Promise<Received> =>
  exchange(baseUrl, { method: 'GET', target, headers });
const post = (target: string, body: Body | string, headers: Sent['headers'] = {}): Promise<Received> => {
  const own = { ...as(manager), ...json, 'idempotency-key': newKey() };
  return exchange(baseUrl, {
    method: 'POST',
    target,
    headers: { ...own, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
};
const sessionPath = (sessionId: string | undefined): string => `${project}/sessions/${sessionId}`;
const lease = { expectedLeaseGeneration: 1 };
const advance = { ...lease, environmentId: ids.environmentId, buildHash: ids.buildHash, targetUs: 1, maxEvents: 1 };

/** Several at once, until one of them is refused so. */
async function among(code: ErrorCode, several: () => Promise<Received>[]): Promise<Received> {
  for (let tries = 0; tries < 20; tries++) {
    const found = (await Promise.all(several())).find((reply) => reply.json?.code === code);
    if (found !== undefined) return found;
  }
  return assert.fail(`${code} never came`);
}

const provocations: { readonly [Code in ErrorCode]?: () => Promise<Received> } = {
  'control.INVALID_JSON': () => post('/v1/projects', '{'),
  'control.INVALID_REQUEST': () => post('/v1/projects', {}),
  'control.IDEMPOTENCY_KEY_REQUIRED': () =>
    exchange(baseUrl, { method: 'POST', target: '/v1/projects', headers: { ...as(manager), ...json }, body: '{}' }),
  'control.IDEMPOTENCY_KEY_INVALID': () => post('/v1/projects', {}, { 'idempotency-key': 'short' }),
  'control.CURSOR_INVALID': () => get('/v1/projects?cursor=forged'),
  'control.UNAUTHENTICATED': () => get('/v1/me', {}),
  'control.FORBIDDEN': () => get('/v1/credentials', as(viewer)),
  'control.ORGANIZATION_SUSPENDED': async () => {
    const { organizationId, credential } = tenants.third;
    await createClient({ baseUrl, credential: tenants.operator }).suspendOrganization({
      path: { organizationId: organizationId as never },
      body: {},
    });
    return get('/v1/me', as(credential));
  },
  'control.ORIGIN_REJECTED': () => get('/v1/me', { ...as(manager), origin: 'https://evil.example' }),
  'control.NOT_FOUND': () => get(sessionPath(never.sessionId)),
  'control.ROUTE_NOT_FOUND': () => get('/v1/nothing'),
  'control.METHOD_NOT_ALLOWED': () => exchange(baseUrl, { method: 'PATCH', target: '/v1/me', headers: as(manager) }),
  'control.VERSION_CONFLICT': () => post(`${sessionPath(idle.sessionId)}/extend`, { ...lease, expectedVersion: 999, ttlMs: 3_600_000 }),
  'control.LEASE_CONFLICT': () => post(`${sessionPath(idle.sessionId)}/advance`, { ...advance, expectedLeaseGeneration: 999 }),
  'control.STATE_CONFLICT': () =>
    post(`${sessionPath(idle.sessionId)}/advance`, { ...advance, environmentId: tenants.second.environmentId }),
  'control.IDEMPOTENCY_IN_PROGRESS': () =>
    among('control.IDEMPOTENCY_IN_PROGRESS', () => {
      const key = { 'idempotency-key': newKey() };
      const files = Array.from({ length: 50 }, (_, index) => ({ path: `notes/${newKey()}-${index}.txt`, content: 'a note' }));
      return Array.from({ length: 4 }, () => post(`${project}/source-drafts`, { name: 'at once', files }, key));
    }),
  'control.PAYLOAD_TOO_LARGE': () => post('/v1/projects', ' '.repeat(1024 * 1024 + 1)),
  'control.UNSUPPORTED_MEDIA_TYPE': () => post('/v1/projects', '{}', { 'content-type': 'text/plain' }),
  'control.IDEMPOTENCY_KEY_REUSED': async () => {
    const key = { 'idempotency-key': newKey() };
    assert.equal((await post(`${project}/environments`, { name: 'one' }, key)).status, 201);
    return post(`${project}/environments`, { name: 'another' }, key);
  },
  'control.CONFIRMATION_MISMATCH': () =>
    exchange(baseUrl, {
      method: 'DELETE',
      target: sessionPath(idle.sessionId),
      headers: { ...as(manager), ...json, 'idempotency-key': newKey() },
      body: JSON.stringify({ ...lease, confirm: 'yes' }),
    }),
  'control.SOURCE_INVALID': async () => {
    const { session } = await client.createAuthoringSession({ path: { projectId: ids.projectId! }, body: { author: 'manual' } });
    const path = { projectId: ids.projectId!, authoringSessionId: session.authoringSessionId };
    const changes = [{ action: 'put' as const, path: 'drillyard.json', content: '{"schemaVersion": 7}' }];
    const { operation } = await client.createAuthoringTurn({ path, body: { expectedVersion: 1, prompt: 'break it', changes } });
    await client.waitForOperation({ ...path, operationId: operation.operationId });
    const { currentProposalId, version } = (await client.getAuthoringSession({ path })).session;
    return post(`${project}/authoring-sessions/${path.authoringSessionId}/proposals/${currentProposalId}/publish`, {
      expectedVersion: version,
    });
  },
  'control.QUOTA_EXCEEDED': async () => {
    await post('/v1/credentials', { name: 'the fourth', role: null });
    return post('/v1/credentials', { name: 'one too many', role: null });
  },
  'control.WORLD_BUSY': () =>
    among('control.WORLD_BUSY', () => Array.from({ length: 200 }, () => post(`${sessionPath(idle.sessionId)}/snapshots`, lease))),
  'world.NOT_READY': async () => {
    const { projectId, sessionId, environmentId } = tenants.second;
    const destroyed = await client.destroySession({ path: { projectId, sessionId }, body: { ...lease, confirm: sessionId } });
    await client.waitForOperation({ projectId, operationId: destroyed.operation.operationId });
    assert.ok(environmentId);
    return get(`/v1/projects/${projectId}/sessions/${sessionId}/runtime`);
  },
  'world.RUN_OWNS_LEASE': () => post(`${sessionPath(ids.sessionId)}/advance`, advance),
};

/** Where what it takes is not available from outside, or not at once. */
const elsewhere: { readonly [Code in ErrorCode]?: string } = {
  'cluster.FOREIGN_CLUSTER': 'test/cluster/postgres-log.test.ts',
  'cluster.FORMAT_UNSUPPORTED': 'test/cluster/log-conformance.ts',
  'cluster.LOG_WENT_BACK': 'test/cluster/node-homes.test.ts',
  'cluster.NODE_ADDRESS_IN_USE': 'test/cluster/members.test.ts',
  'cluster.NODE_NAME_IN_USE': 'test/cluster/members.test.ts',
  'cluster.NOT_A_CLUSTER': 'test/e2e/cluster-admin.test.ts',
  'cluster.UNSAFE_LOG': 'test/cluster/postgres-log.test.ts',
  'control.RATE_LIMITED': 'test/e2e/error-codes.test.ts',
  'control.STORAGE_FULL': 'test/e2e/error-codes.test.ts',
  'control.UNAVAILABLE': 'test/e2e/serve.test.ts',
  'control.INTERNAL': 'test/http/router.test.ts',
  'control.DATA_DAMAGED': 'test/files/database.test.ts',
  'control.ATTEMPTS_EXHAUSTED': 'test/control/operation-engine.test.ts',
  'world.BUILD_QUARANTINED': 'test/e2e/hostile-builds.test.ts',
  'world.HANDLER_TIMEOUT': 'test/control/session-degraded.test.ts',
  'world.ACTOR_RESTARTED': 'test/worlds/hostile.test.ts',
  'world.HANDLER_FAILED': 'test/worlds/worlds.test.ts',
};

test('every code of the table is provoked by some test', () => {
  assert.deepEqual([...Object.keys(provocations), ...Object.keys(elsewhere)].sort(), Object.keys(errorTable).sort());
  for (const [code, file] of Object.entries(elsewhere)) {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').replace(/const elsewhere[^;]+;/, '');
    assert.ok(text.includes(`'${code}'`), `${file} does not provoke ${code}`);
  }
});

test('every code of the table is one that the product refuses by', () => {
  const root = new URL('../../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const texts = files.filter((file) => file !== 'contract/errors.ts').map((file) => readFileSync(new URL(file, root), 'utf8'));
  for (const code of Object.keys(errorTable))
    assert.ok(
      texts.some((text) => text.includes(`'${code}'`)),
      `nothing refuses by ${code}`,
    );
});

for (const [code, provoke] of Object.entries(provocations)) {
  test(`${code} is answered with its own status, in the envelope`, async () => assertRefusal(await provoke(), code as ErrorCode));
}

/** A session that has ended is never ready again. */
const isOver = ({ json }: Received): boolean => json?.code === 'world.NOT_READY' && json?.retryAfterMs === undefined;

function assertRefusal(reply: Received, code: ErrorCode): void {
  const reported = JSON.stringify(reply.json);
  assert.equal(reply.json?.code, code, reported);
  assert.ok(validateErrorEnvelope(reply.json).ok, reported);
  const { status, retryable, source } = errorTable[code];
  assert.deepEqual([reply.status, reply.json?.retryable, reply.json?.source], [status, retryable && !isOver(reply), source]);
  assert.equal(reply.headers['x-correlation-id'], reply.json?.correlationId);
  const after = reply.json?.retryAfterMs as number | undefined;
  assert.equal(reply.headers['retry-after'], after === undefined ? undefined : String(Math.ceil(after / 1000)));
}

test('control.RATE_LIMITED: who asks too often is given the time to come back, and others are not held up', async () => {
  const hasty = await startInside({ flags: ['--rate-per-second', '1', '--rate-burst', '5'] });
  const options: Omit<ClientOptions, 'credential'> = { baseUrl: hasty.ready.baseUrl, retries: 0 };
  const first = createClient({ ...options, credential: hasty.ready.credential! });
  const { secret } = await first.createCredential({ body: { name: 'patient', role: 'viewer' } });
  const ask = (token: string): Promise<Received> => exchange(hasty.ready.baseUrl, { method: 'GET', target: '/v1/me', headers: as(token) });
  const replies: Received[] = [];
  for (let asked = 0; asked < 20; asked++) replies.push(await ask(hasty.ready.credential!));
  const refused = replies.find(({ status }) => status === 429);
  assert.ok(refused);
  assertRefusal(refused, 'control.RATE_LIMITED');
  assert.ok((refused.json?.retryAfterMs as number) <= 1000);
  assert.equal((await ask(secret!)).status, 200);
  await hasty.stop();
});

test('control.STORAGE_FULL: a change that cannot be kept is refused, and its key is free again', async () => {
  const kit = await openControlKit({ endpoints: projectEndpoints });
  const handler = createRouter({
    routes: controlRoutes(kit.plane),
    requireHost: requireHost({ publicUrl: 'http://127.0.0.1', hosts: 'any' }),
    authenticate: () => kit.caller,
    onFailure: ({ error }) => assert.fail(String(error)),
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler, closeGraceMs: 100 });
  after(async () => {
    await server.close();
    await kit.close();
  });
  const headers = { ...as('any'), ...json, 'idempotency-key': newKey() };
  const ask = (): Promise<Received> =>
    exchange(`http://127.0.0.1:${server.port}`, { method: 'POST', target: '/v1/projects', headers, body: '{"name":"one"}' });
  kit.disk.full = true;
  assertRefusal(await ask(), 'control.STORAGE_FULL');
  kit.disk.full = false;
  assert.equal((await ask()).status, 201);
});

test('the checks come in their order: each request breaks one rule and every later one', async () => {
  const used = newKey();
  assert.equal(
    (
      await post(
        `${sessionPath(idle.sessionId)}/extend`,
        { ...lease, expectedVersion: await versionOf(idle.sessionId), ttlMs: 3_600_000 },
        { 'idempotency-key': used },
      )
    ).status,
    200,
  );
  const nowhere = `/v1/projects/${ids.projectId}/sessions/ses_X/extend`;
  const unknown = `${sessionPath(never.sessionId)}/extend`;
  const owned = `${sessionPath(ids.sessionId)}/advance`;
  const stale = JSON.stringify({ expectedLeaseGeneration: 999, expectedVersion: 999, ttlMs: 1_000 });
  const text = { 'content-type': 'text/plain' };
  const evil = { origin: 'https://evil.example' };
  const keyed = () => ({ 'idempotency-key': newKey() });
  const tooLarge = ' '.repeat(1024 * 1024 + 1);
  const ladder: [ErrorCode, Sent][] = [
    ['control.ORIGIN_REJECTED', { method: 'POST', target: '/v1/nowhere', headers: { ...evil, ...text }, body: tooLarge }],
    ['control.ROUTE_NOT_FOUND', { method: 'POST', target: '/v1/nowhere', headers: text, body: tooLarge }],
    ['control.METHOD_NOT_ALLOWED', { method: 'PUT', target: nowhere, headers: text, body: tooLarge }],
    ['control.PAYLOAD_TOO_LARGE', { method: 'POST', target: nowhere, headers: text, body: tooLarge }],
    ['control.UNSUPPORTED_MEDIA_TYPE', { method: 'POST', target: nowhere, headers: text, body: '{' }],
    ['control.UNAUTHENTICATED', { method: 'POST', target: nowhere, headers: json, body: '{' }],
    ['control.INVALID_REQUEST', { method: 'POST', target: nowhere, headers: { ...json, ...as(viewer) }, body: '{' }],
    ['control.IDEMPOTENCY_KEY_REQUIRED', { method: 'POST', target: unknown, headers: { ...json, ...as(viewer) }, body: '{' }],
    [
      'control.IDEMPOTENCY_KEY_INVALID',
      { method: 'POST', target: unknown, headers: { ...json, ...as(viewer), 'idempotency-key': '?' }, body: '{' },
    ],
    ['control.FORBIDDEN', { method: 'POST', target: unknown, headers: { ...json, ...as(viewer), 'idempotency-key': used }, body: '{' }],
    ['control.INVALID_JSON', { method: 'POST', target: unknown, headers: { ...json, ...as(manager), 'idempotency-key': used }, body: '{' }],
    [
      'control.INVALID_REQUEST',
      { method: 'POST', target: unknown, headers: { ...json, ...as(manager), 'idempotency-key': used }, body: '{}' },
    ],
    [
      'control.IDEMPOTENCY_KEY_REUSED',
      { method: 'POST', target: unknown, headers: { ...json, ...as(manager), 'idempotency-key': used }, body: stale },
    ],
    ['control.NOT_FOUND', { method: 'POST', target: unknown, headers: { ...json, ...as(manager), ...keyed() }, body: stale }],
    [
      'control.LEASE_CONFLICT',
      {
        method: 'POST',
        target: owned,
        headers: { ...json, ...as(manager), ...keyed() },
        body: JSON.stringify({ ...advance, expectedLeaseGeneration: 999 }),
      },
    ],
    [
      'world.RUN_OWNS_LEASE',
      { method: 'POST', target: owned, headers: { ...json, ...as(manager), ...keyed() }, body: JSON.stringify(advance) },
    ],
  ];
  for (const [code, sent] of ladder) assertRefusal(await exchange(baseUrl, sent), code);
});

const versionOf = async (sessionId: string): Promise<number> =>
  (await client.getSession({ path: { projectId: ids.projectId!, sessionId } })).session.version;

test('and the service took all of it without a bug', async () => {
  await service.stop();
  assert.doesNotMatch(service.logged(), /a bug met/);
});
