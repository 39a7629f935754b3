// The hosted endpoints as clients see them: what is refused before the control plane gets it, in which order, and how its answers are
// reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { endpointTable } from '../../src/contract/hosted/endpoint-table.js';
import type { EndpointId } from '../../src/contract/hosted/endpoints.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import { engines, fakeControl, ids, issuePaths, keyed, type Sent, send } from './fake-control.js';

const project = `/v1/projects/${ids.projectId}`;
const sessions = `${project}/environments/${ids.environmentId}/sessions`;
const seed = JSON.stringify({ seed: '42' });

for (const engine of engines) {
  test(`${engine}: path, query and body reach the control plane as values, with key and correlation id`, async () => {
    const fake = await fakeControl(engine);
    const created = await send(fake.url + sessions, { method: 'POST', headers: keyed, body: seed });
    assert.equal(created.status, 202);
    const { id, path, query, body, context } = fake.asked[0] ?? assert.fail();
    assert.deepEqual(
      { id, path: { ...(path as object) }, query, body },
      {
        id: 'createSession',
        path: { projectId: ids.projectId, environmentId: ids.environmentId },
        query: undefined,
        body: { seed: '42' },
      },
    );
    assert.equal(context.idempotencyKey, 'key-00000001');
    assert.equal(context.correlationId, created.headers.get('x-correlation-id'));
    assert.equal(context.caller.credentialId, 'cred_1');
    await send(`${fake.url}${project}/source-drafts/${ids.sourceDraftId}/revisions/7/datasets`);
    assert.equal((fake.asked[1] as { path?: { revision?: number } }).path?.revision, 7);
    await send(`${fake.url}${project}/sessions/${ids.sessionId}/state?packageId=desk&namespace=tickets&limit=5&afterRowId=a%2Bb+c`);
    assert.deepEqual({ ...(fake.asked[2]?.query as object) }, { packageId: 'desk', namespace: 'tickets', limit: 5, afterRowId: 'a+b c' });
  });

  test(`${engine}: the first answer has the status of its kind, a replay is 200 and says so`, async () => {
    const fake = await fakeControl(engine);
    const requests: [string, Sent, number][] = [
      [sessions, { method: 'POST', headers: keyed, body: seed }, 202],
      ['/v1/projects', { method: 'POST', headers: keyed, body: '{"name":"One"}' }, 201],
      [`/v1/projects/${ids.projectId}`, { method: 'PATCH', headers: keyed, body: '{"name":"One","expectedVersion":1}' }, 200],
    ];
    for (const [path, sent, status] of requests) {
      fake.replayed = false;
      const first = await send(fake.url + path, sent);
      assert.equal(first.status, status);
      assert.equal(first.headers.get('idempotent-replayed'), null);
      fake.replayed = true;
      const again = await send(fake.url + path, sent);
      assert.equal(again.status, 200);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
      assert.deepEqual(again.body, first.body);
      fake.replayed = false;
    }
    fake.isKnown = true;
    const known = await send(`${fake.url}/v1/projects`, { method: 'POST', headers: keyed, body: '{"name":"One"}' });
    assert.deepEqual([known.status, known.headers.get('idempotent-replayed')], [200, null], 'what was there already');
  });

  // ROUTER-1
  // TABLE-ROUTES-1
  test(`${engine}: the checks come in their order: each request breaks a rule and every later one`, async () => {
    const fake = await fakeControl(engine);
    const post = (headers: Sent['headers'], body: string): Sent => ({ method: 'POST', headers: { authorization: '', ...headers }, body });
    const bad = '/v1/projects/prj_X/environments/env_0123456789ab/sessions?x=1';
    const json = { 'content-type': 'application/json' };
    const good = { ...json, authorization: 'Bearer good' };
    const steps: [string, string, Sent][] = [
      ['control.ORIGIN_REJECTED', '/v1/nowhere', post({ origin: 'https://evil.example' }, '{')],
      ['control.ROUTE_NOT_FOUND', '/v1/nowhere', post({}, '{')],
      ['control.METHOD_NOT_ALLOWED', bad, { ...post({}, '{'), method: 'PUT' }],
      ['control.PAYLOAD_TOO_LARGE', bad, post({}, 'x'.repeat(1024 * 1024 + 1))],
      ['control.UNSUPPORTED_MEDIA_TYPE', bad, post({ 'content-type': 'text/plain' }, '{')],
      ['control.UNAUTHENTICATED', bad, post(json, '{')],
      ['control.RATE_LIMITED', bad, post({ ...json, authorization: 'Bearer hasty' }, '{')],
      ['control.INVALID_REQUEST', bad, post(good, '{')],
      ['control.IDEMPOTENCY_KEY_REQUIRED', sessions, post(good, '{')],
      ['control.IDEMPOTENCY_KEY_INVALID', sessions, post({ ...good, 'idempotency-key': 'short' }, '{')],
      ['control.INVALID_JSON', sessions, post({ ...good, ...keyed }, '{')],
      ['control.INVALID_REQUEST', sessions, post({ ...good, ...keyed }, '{}')],
    ];
    for (const [code, path, sent] of steps) {
      const reply = await send(fake.url + path, sent);
      assert.equal(reply.body.code, code, `${path} ${JSON.stringify(sent.headers)}`);
      assert.ok(validateErrorEnvelope(reply.body).ok);
      assert.equal(reply.body.correlationId, reply.headers.get('x-correlation-id'));
    }
    assert.deepEqual(issuePaths(await send(fake.url + sessions, post(good, '{'))), ['/headers/idempotency-key required']);
    assert.deepEqual(fake.asked, []);
  });

  test(`${engine}: a hasty caller is given the time to come back, without its body being read`, async () => {
    const fake = await fakeControl(engine);
    const reply = await send(fake.url + sessions, { method: 'POST', headers: { ...keyed, authorization: 'Bearer hasty' }, body: '{' });
    assert.equal(reply.status, 429);
    assert.equal(reply.body.retryAfterMs, 1200);
    assert.equal(reply.headers.get('retry-after'), '2');
  });

  test(`${engine}: path and query are reported broken place by broken place`, async () => {
    const fake = await fakeControl(engine);
    const cases: [string, string[]][] = [
      ['/v1/projects/prj_0123456789aB/sessions?limit=0', ['/path/projectId pattern', '/query/limit too_small']],
      [`${project}/sessions?limit=1.5`, ['/query/limit wrong_type']],
      [`${project}/sessions?limit=01`, ['/query/limit wrong_type']],
      [`${project}/sessions?limit=ten&cursor=`, ['/query/cursor too_short', '/query/limit wrong_type']],
      [`${project}/sessions?limit=5&limit=5`, ['/query/limit duplicate']],
      [
        `${project}/sessions?Limit=5&__proto__=1&a/b=2`,
        ['/query/Limit unknown_property', '/query/__proto__ unknown_property', '/query/a~1b unknown_property'],
      ],
      [`${project}/sessions?cursor=%zz`, ['/query/cursor format']],
      [`${project}/sessions?cursor=%ff`, ['/query/cursor format']],
      [`${project}/sessions?state=gone`, ['/query/state not_one_of']],
      ['/v1/me?verbose=1', ['/query/verbose unknown_property']],
      [`${project}/source-drafts/${ids.sourceDraftId}/revisions/0/source`, ['/path/revision too_small']],
      [`${project}/source-drafts/${ids.sourceDraftId}/revisions/2147483648/source`, ['/path/revision too_large']],
      [`${project}/source-drafts/${ids.sourceDraftId}/revisions/1e3/source`, ['/path/revision wrong_type']],
      [`${project}/sessions/${ids.sessionId}/state`, ['/query/namespace required', '/query/packageId required']],
    ];
    for (const [path, issues] of cases) {
      const reply = await send(fake.url + path);
      assert.equal(reply.status, 400, path);
      assert.equal(reply.body.code, 'control.INVALID_REQUEST');
      assert.deepEqual(issuePaths(reply), issues, path);
    }
    const many = Array.from({ length: 400 }, (_, index) => `q${index}=1`).join('&');
    assert.equal(issuePaths(await send(`${fake.url}/v1/me?${many}`)).length, 100);
    assert.deepEqual(fake.asked, []);
  });

  test(`${engine}: an id cannot carry a path, encoded or not`, async () => {
    const fake = await fakeControl(engine);
    for (const id of [
      '%2e%2e',
      '..%2f..',
      'prj_0123456789ab%00',
      'prj_0123456789ab%2fgrants',
      '%70rj_0123456789a%C3%A9',
      'prj_0123456789ab%0a',
    ]) {
      const reply = await send(`${fake.url}/v1/projects/${id}`);
      assert.ok(reply.status === 400 || reply.status === 404, `${id}: ${reply.status}`);
      assert.ok(validateErrorEnvelope(reply.body).ok);
    }
    assert.equal((await send(`${fake.url}/v1/projects/%70rj_0123456789ab`)).status, 200);
    assert.equal(fake.asked.length, 1);
  });

  test(`${engine}: bodies of changes without words may be empty, absent or {}, and nothing else`, async () => {
    const fake = await fakeControl(engine);
    const cancel = `${fake.url}${project}/operations/${ids.operationId}/cancel`;
    const key = { 'idempotency-key': 'key-00000001' };
    const json = { ...key, 'content-type': 'application/json' };
    const method = 'POST';
    assert.equal((await send(cancel, { method, headers: key })).status, 200);
    assert.equal((await send(cancel, { method, headers: json })).status, 200);
    assert.equal((await send(cancel, { method, headers: json, body: '{}' })).status, 200);
    assert.deepEqual(issuePaths(await send(cancel, { method, headers: json, body: '{"a":1}' })), ['/a unknown_property']);
    assert.deepEqual(issuePaths(await send(cancel, { method, headers: json, body: 'null' })), [' wrong_type']);
    assert.equal((await send(cancel, { method, headers: { ...key, 'content-type': 'text/plain' }, body: 'x' })).status, 415);
    assert.deepEqual(
      fake.asked.map(({ body }) => body),
      [{}, {}, {}],
    );
  });

  test(`${engine}: bytes go up as they are, with a limit of their own, and come down as an attachment`, async () => {
    const fake = await fakeControl(engine);
    const content = `${fake.url}${project}/runs/${ids.hostedRunId}/attachments/${ids.attachmentId}/content`;
    const bytes = new Uint8Array(3 * 1024 * 1024).map((_, index) => index % 251);
    const headers = { 'content-type': 'application/octet-stream', 'idempotency-key': 'key-00000001' };
    assert.equal((await send(content, { method: 'PUT', headers, body: bytes })).status, 200);
    assert.deepEqual(new Uint8Array(fake.asked[0]?.body as Uint8Array), bytes);
    assert.equal(
      (await send(content, { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' })).status,
      415,
    );
    assert.equal((await send(content, { method: 'PUT', headers, body: new Uint8Array(16 * 1024 * 1024 + 1) })).status, 413);

    fake.answer = () => new Uint8Array([31, 139, 0, 255]);
    const places: [string, string][] = [
      [`${project}/source-drafts/${ids.sourceDraftId}/revisions/1/source`, 'application/gzip'],
      [`${project}/evidence/${ids.evidenceBundleId}/artifacts?path=index.html`, 'application/octet-stream'],
    ];
    for (const [path, type] of places) {
      const reply = await fetch(fake.url + path, { headers: { authorization: 'Bearer good' } });
      assert.equal(reply.headers.get('content-type'), type);
      assert.equal(reply.headers.get('content-disposition'), 'attachment');
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.deepEqual(new Uint8Array(await reply.arrayBuffer()), new Uint8Array([31, 139, 0, 255]));
    }
  });

  test(`${engine}: headers that come twice and bodies in other encodings are refused`, async () => {
    const fake = await fakeControl(engine);
    const twice = async (name: string, values: string[]) => {
      const headers = new Headers({ ...keyed, authorization: 'Bearer good' });
      headers.delete(name);
      for (const value of values) headers.append(name, value);
      return (await (await fetch(fake.url + sessions, { method: 'POST', headers, body: seed })).json()) as { code: string };
    };
    assert.equal((await twice('authorization', ['Bearer good', 'Bearer good'])).code, 'control.UNAUTHENTICATED');
    assert.equal((await twice('idempotency-key', ['key-00000001', 'key-00000002'])).code, 'control.IDEMPOTENCY_KEY_INVALID');
    assert.equal((await twice('content-type', ['application/json', 'application/json'])).code, 'control.UNSUPPORTED_MEDIA_TYPE');
    assert.equal((await twice('content-encoding', ['gzip'])).code, 'control.UNSUPPORTED_MEDIA_TYPE');
    assert.deepEqual(fake.asked, []);
  });

  test(`${engine}: identity endpoints take a token of the identity provider, the others never do`, async () => {
    const fake = await fakeControl(engine);
    const organizations = `${fake.url}/v1/auth/cli/organizations`;
    assert.equal((await send(organizations, { headers: { authorization: 'Bearer identity' } })).status, 200);
    const wrong = [
      await send(organizations),
      await send(`${fake.url}/v1/me`, { headers: { authorization: 'Bearer identity' } }),
      await send(`${fake.url}/v1/me`, { headers: { authorization: '' } }),
    ];
    for (const reply of wrong) assert.equal(reply.status, 401);
    assert.equal(new Set(wrong.map(({ body }) => body.message)).size, 1);
  });

  test(`${engine}: while it drains, new work is refused, the connection ends, and health is still reported`, async () => {
    const fake = await fakeControl(engine, {
      open: [{ method: 'GET', path: '/healthz', auth: 'none', whileDraining: true, run: () => ({ status: 200, body: {} }) }],
    });
    fake.draining = true;
    const reply = await send(`${fake.url}/v1/me`);
    assert.equal(reply.status, 503);
    assert.equal(reply.body.code, 'control.UNAVAILABLE');
    assert.ok(Number(reply.body.retryAfterMs) > 0);
    assert.equal(reply.headers.get('connection')?.toLowerCase(), 'close');
    assert.equal((await send(`${fake.url}/healthz`)).status, 200);
    assert.deepEqual(fake.asked, []);
  });

  test(`${engine}: a bug in the control plane is reported as nothing but its correlation id`, async () => {
    const fake = await fakeControl(engine);
    fake.answer = () => {
      throw new TypeError('secret of /etc/passwd');
    };
    const reply = await send(`${fake.url}/v1/me`);
    assert.equal(reply.status, 500);
    assert.ok(!reply.text.includes('secret'));
    assert.equal(fake.failures[0]?.correlationId, reply.body.correlationId);
    fake.answer = () => {
      throw new ServiceError('world.RUN_OWNS_LEASE', { details: { hostedRunId: ids.hostedRunId } });
    };
    assert.deepEqual((await send(`${fake.url}/v1/me`)).body.details, { hostedRunId: ids.hostedRunId });
  });
}

test('every row of the endpoint table answers at its own place', async () => {
  const fake = await fakeControl(engines[0] ?? 'node:http');
  for (const id of Object.keys(endpointTable) as EndpointId[]) {
    const { method, path } = endpointTable[id];
    const values: { readonly [name: string]: string } = ids;
    const url = fake.url + path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x');
    const reply = await send(url, {
      method,
      headers: { authorization: 'Bearer nobody', 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    assert.ok(
      reply.status === 401 || (/^put(Attachment|DatasetUpload)Content$/.test(id) && reply.status === 415),
      `${id}: ${reply.status}`,
    );
  }
});
