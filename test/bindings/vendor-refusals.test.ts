// Requests that become no call, worded by the package they were for, as the vendors' own clients understand them; on both servers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Octokit } from '@octokit/rest';
import { type CodedError, ErrorCode, WebClient } from '@slack/web-api';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createHostedBindings } from '../../src/bindings/hosted-bindings.js';
import { limits } from '../../src/contract/limits.js';
import { validateErrorEnvelope } from '../../src/contract/validate/validators.js';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { startHttpServer } from '../../src/http/start-server.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { engines } from '../http/fake-control.js';
import { vendorWorlds } from './vendor-kit.js';
import { evidence, json, position } from './wire-kit.js';

const { create, quiet } = await vendorWorlds();
type Refusal = Extract<EvidenceEntry, { kind: 'refused_request' }>;
const refusals = async (world: WorldRef): Promise<Refusal[]> =>
  (await evidence(world)).filter((entry): entry is Refusal => entry.kind === 'refused_request');

for (const engine of engines) {
  const local = async (context: { after(done: () => Promise<void>): void }) => {
    const world = await create();
    const bindings = createBindings({ engine });
    context.after(() => bindings.close());
    const access = await bindings.open({ world, actorId: 'agent', bindings: ['http'] });
    const { url, token } = access.endpoints.http ?? assert.fail();
    const send = async (path: string, { headers, ...options }: RequestInit = {}) => {
      const reply = await fetch(url + path, { ...options, headers: { authorization: `Bearer ${token}`, ...(headers as object) } });
      return { status: reply.status, headers: reply.headers, body: (await reply.json()) as { [name: string]: unknown } };
    };
    return { world, bindings, access, url, token, send };
  };

  test(`${engine}: clients with a wrong key see their vendor's refusal`, async (context) => {
    const { url, world } = await local(context);
    const octokit = new Octokit({ baseUrl: url, auth: 'wrong', log: quiet });
    await assert.rejects(octokit.repos.getContent({ owner: 'o', repo: 'r', path: 'a/b' }), { status: 401, message: /Bad credentials/ });
    const slack = new WebClient('wrong', { slackApiUrl: `${url}/api/`, retryConfig: { retries: 0 } });
    const errorOf = (error: CodedError & { data?: { error?: string } }) => [error.code, error.data?.error];
    const refused = async (asked: Promise<unknown>) =>
      errorOf(
        await asked.then(
          () => assert.fail('not refused'),
          (error) => error,
        ),
      );
    assert.deepEqual(await refused(slack.conversations.history({ channel: 'C1' })), [ErrorCode.PlatformError, 'invalid_auth']);
    const [entry, ...others] = await refusals(world);
    assert.deepEqual(others, []);
    const { packageId, actorId, refusal, method, pathname, routeId, status } = entry ?? assert.fail();
    assert.deepEqual(
      { packageId, actorId, refusal, method, pathname, routeId, status },
      {
        ...{ packageId: 'hub', actorId: undefined, refusal: 'unauthenticated', method: 'GET', status: 401 },
        ...{ pathname: '/repos/o/r/contents/a%2Fb', routeId: 'repos.get-content' },
      },
    );
  });

  // WIRE-REFUSALS-1
  test(`${engine}: each refusal is worded by the package it was for, and is evidence where that is wanted`, async (context) => {
    const { url, token, send, world, access } = await local(context);
    const asked: [path: string, options: RequestInit, status: number, kind: string | null, words: unknown][] = [
      ['/repos/o/r/nothing/there', {}, 404, 'not_found', 'Not Found'],
      ['/repos/o/r/issues', { method: 'DELETE' }, 404, 'method_not_allowed', 'Problems parsing JSON'],
      ['/charges', { method: 'POST' }, 422, 'not_decoded', 'Validation Failed'],
      [
        '/charges',
        { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
        400,
        'malformed',
        'Problems parsing JSON',
      ],
      ['/charges', json({ amount: 'x'.repeat(limits.bodyBytesMax) }), 413, 'too_large', 'Problems parsing JSON'],
      ['/repos/o/r/issues?page=%ff', {}, 400, 'malformed', 'Problems parsing JSON'],
      ['/repos/o%ff/r/issues', {}, 400, 'malformed', 'Problems parsing JSON'],
      [
        '/repos/o/r/contents/f',
        { method: 'PUT', body: '{}', headers: { 'content-type': 'text/csv' } },
        415,
        'unsupported_media_type',
        'Problems parsing JSON',
      ],
      [`/repos/${token}/x`, {}, 404, 'not_found', 'Not Found'],
      ['/api/unknown.method', {}, 200, null, undefined],
    ];
    for (const [path, options, status, kind, words] of asked) {
      const reply = await send(path, options);
      assert.deepEqual([reply.status, reply.headers.get('x-refused'), reply.body.message], [status, kind, words], path);
      if (kind !== null) assert.equal(reply.body.documentation_url, `${url}/docs`);
      else assert.deepEqual(reply.body, { ok: false, error: 'unknown_method' });
      if (kind === 'method_not_allowed') assert.equal(reply.headers.get('allow'), 'GET, HEAD');
      if (kind === 'not_decoded') assert.deepEqual([reply.body.code, reply.body.routeId], ['NO_BODY', 'charges.create']);
    }
    const entries = await refusals(world);
    assert.deepEqual(
      entries.map(({ refusal, status, actorId }) => [refusal, status, actorId]),
      asked.filter(([, , , kind]) => kind !== null).map(([, , status, kind]) => [kind, status, 'agent']),
    );
    assert.ok(!JSON.stringify(entries).includes(token));
    assert.equal(entries.at(-1)?.pathname, '/repos/[redacted]/x');
    assert.equal(access.unanswered()?.requests.length, 10 - 1);
    // What nobody words is in the envelope, and so is what has no words at all.
    for (const [path, options, status] of [
      ['/nowhere', {}, 404],
      ['/api/conversations.history', {}, 405],
      ['/charges', { method: 'POST', body: '{}', headers: { 'content-type': 'text/csv' } }, 500],
    ] as [string, RequestInit, number][]) {
      const reply = await send(path, options);
      assert.equal(reply.status, status, path);
      assert.ok(validateErrorEnvelope(reply.body).ok, path);
    }
    // A world that is closed refuses as it did.
    await world.command({ kind: 'close' });
    const closed = await send('/repos/o/r/nothing');
    assert.deepEqual([closed.status, validateErrorEnvelope(closed.body).ok], [404, true]);
  });

  test(`${engine}: a package is given what was wrong alone, and where`, async (context) => {
    const { send } = await local(context);
    const saidOf = async (path: string, options: RequestInit = {}) => {
      const { said, reason, issues } = (await send(path, options)).body;
      return { said, reason, issues };
    };
    assert.deepEqual(await saidOf('/charges', { method: 'POST' }), {
      said: "The request does not fit route 'charges.create': A charge has an amount.",
      reason: 'A charge has an amount.',
      issues: undefined,
    });
    assert.deepEqual(await saidOf('/repos/o/r/issues?page=abc'), {
      said: "The request does not fit route 'issues.list': JsonRefusal: /arguments/page is NaN; JSON numbers are finite",
      reason: '/page is NaN; JSON numbers are finite',
      issues: [{ path: '/page', code: 'not_json', message: 'is NaN; JSON numbers are finite' }],
    });
    const { reason, issues } = await saidOf('/charges', json(JSON.parse('['.repeat(600) + ']'.repeat(600))));
    assert.equal(reason, 'The body is nested too deeply.');
    assert.equal((issues as { code: string }[])[0]?.code, 'not_json');
  });

  // WIRE-REFUSALS-2
  test(`${engine}: what no route has says so in a header, worded or not, and nothing else does`, async (context) => {
    const { send } = await local(context);
    const marked = async (path: string, options: RequestInit = {}) => {
      const { status, headers } = await send(path, options);
      return [status, headers.get('x-drillyard-unsupported')];
    };
    assert.deepEqual(await marked('/repos/o/r/nothing/there'), [404, '1']);
    assert.deepEqual(await marked('/repos/o/r/issues', { method: 'DELETE' }), [404, '1']);
    assert.deepEqual(await marked('/api/unknown.method'), [200, '1']);
    // In the envelope.
    assert.deepEqual(await marked('/nowhere'), [404, '1']);
    assert.deepEqual(await marked('/~hub/nowhere'), [404, '1']);
    assert.deepEqual(await marked('/api/conversations.history'), [405, '1']);
    // What is there, and what is refused for another reason.
    assert.deepEqual(await marked('/repos/o/r/issues'), [200, null]);
    assert.deepEqual(await marked('/repos/o/r/issues?page=%ff'), [400, null]);
    assert.deepEqual(await marked('/charges', { method: 'POST' }), [422, null]);
    assert.deepEqual(await marked('/repos/o/r/issues', { headers: { authorization: 'Bearer wrong' } }), [401, null]);
  });

  test(`${engine}: refusals are the same entries in every run, and no call counts them`, async (context) => {
    const runs = [await local(context), await local(context)];
    for (const { send } of runs) {
      for (const path of ['/repos/none', '/charges', '/repos/o/r/none']) await send(path);
      assert.equal((await send('/repos/o/r/issues')).headers.get('x-ratelimit-remaining'), '4');
    }
    const [one, two] = await Promise.all(runs.map(({ world }) => position(world)));
    assert.deepEqual([one?.evidenceHash, one?.stateHash], [two?.evidenceHash, two?.stateHash]);
    const { world } = runs[0] ?? assert.fail();
    assert.equal((await refusals(world)).length, 3);
    assert.equal((await world.query({ kind: 'budgets' })).toolCalls.attempted, 1);
  });

  // WIRE-REFUSALS-3
  test(`${engine}: where several worlds have the same routes, a wrong key is worded as in any of them, and is evidence in none`, async (context) => {
    const bindings = createBindings({ engine });
    context.after(() => bindings.close());
    const worlds = [await create(), await create()];
    const open = async (world: WorldRef | undefined, httpMounts?: 'port') =>
      bindings.open({ world: world ?? assert.fail(), actorId: 'agent', bindings: ['http'], ...(httpMounts ? { httpMounts } : {}) });
    const accesses = [await open(worlds[0]), await open(worlds[1], 'port')];
    const { url } = accesses[0]?.endpoints.http ?? assert.fail();
    const { mounts = {} } = accesses[1]?.endpoints.http ?? assert.fail();
    const ask = async (base: string, path: string, key: string) => {
      const reply = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } });
      return [reply.status, reply.headers.get('x-refused'), ((await reply.json()) as { documentation_url?: string }).documentation_url];
    };
    assert.deepEqual(await ask(url, '/repos/o/r/issues', 'wrong'), [401, 'unauthenticated', `${url}/docs`]);
    assert.deepEqual(await ask(url, '/repos/o/r/none', 'wrong'), [404, 'not_found', `${url}/docs`]);
    const port = mounts.hub?.url ?? assert.fail();
    assert.deepEqual((await ask(port, '/repos/o/r/issues', 'wrong')).slice(0, 2), [401, 'unauthenticated']);
    for (const world of worlds) assert.deepEqual(await refusals(world), []);
    for (const access of accesses) assert.equal(access.unanswered(), undefined);
    // Of its own access a world has the entry.
    const { token } = accesses[0]?.endpoints.http ?? assert.fail();
    assert.deepEqual((await ask(url, '/repos/o/r/none', token)).slice(0, 2), [404, 'not_found']);
    assert.deepEqual(await Promise.all(worlds.map(async (world) => (await refusals(world)).length)), [1, 0]);
  });

  test(`${engine}: where strangers share a listener, only who is known is answered in a package's words`, async (context) => {
    const hosted = createHostedBindings({
      publicUrl: 'http://127.0.0.1',
      nowMs: Date.now,
      onFailure: ({ error }) => assert.fail(String(error)),
    });
    const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler: hosted.handler });
    context.after(() => server.close());
    context.after(() => hosted.close());
    const world = await create();
    const { endpoints } = await hosted.open({ world, actorId: 'agent', bindings: ['http'] });
    const { token } = endpoints.http ?? assert.fail();
    const ask = async (path: string, key: string) => {
      const { request } = await import('node:http');
      return await new Promise<[number | undefined, unknown]>((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}`, host: '127.0.0.1' };
        request({ port: server.port, path: `/world${path}`, headers }, (reply) =>
          resolve([reply.resume().statusCode, reply.headers['x-refused']]),
        )
          .on('error', reject)
          .end();
      });
    };
    assert.deepEqual(await ask('/repos/o/r/none', token), [404, 'not_found']);
    assert.deepEqual(await ask('/repos/o/r/none', 'wrong'), [401, undefined]);
    assert.deepEqual(await ask('/repos/o/r/issues', 'wrong'), [401, undefined]);
    assert.equal((await refusals(world)).length, 1);
  });
}
