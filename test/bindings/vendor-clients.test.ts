// Vendors' own clients, unchanged, against routes that answer as their services do; on both servers.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Octokit } from '@octokit/rest';
import { ErrorCode, WebClient } from '@slack/web-api';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createHostedBindings } from '../../src/bindings/hosted-bindings.js';
import { newId } from '../../src/contract/ids.js';
import type { OperationEntry } from '../../src/contract/world/evidence.js';
import { startHttpServer } from '../../src/http/start-server.js';
import type { WorldRef } from '../../src/worlds/api.js';
import { engines } from '../http/fake-control.js';
import { vendorWorlds } from './vendor-kit.js';
import { evidence, json, position } from './wire-kit.js';

const { create, quiet } = await vendorWorlds();
const hourUs = 3_600_000_000;

for (const engine of engines) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());
  const access = async (world: WorldRef, actorId = 'agent') => {
    const { endpoints } = await bindings.open({ world, actorId, bindings: ['http'] });
    const { url, token } = endpoints.http ?? assert.fail('no http endpoint');
    const send = (path: string, { headers, ...options }: RequestInit = {}) =>
      fetch(url + path, { ...options, headers: { authorization: `Bearer ${token}`, ...(headers as object) } });
    return { url, token, send, octokit: new Octokit({ baseUrl: url, auth: token, log: quiet }) };
  };

  test(`${engine}: octokit finds contents and refs of any depth, and is answered 201, 200 or 207`, async () => {
    const { octokit, send } = await access(await create());
    const at = { owner: 'o', repo: 'r', path: 'a/b/c/d/e/f g.txt' };
    const put = async (content: string): Promise<number> =>
      (await octokit.repos.createOrUpdateFileContents({ ...at, message: 'm', content })).status;
    assert.deepEqual([await put('in part'), await put('hello'), await put('hello')], [207, 200, 200]);
    const other = { ...at, path: 'other.txt', message: 'm', content: 'new' };
    assert.equal((await octokit.repos.createOrUpdateFileContents(other)).status, 201);
    const { data } = await octokit.repos.getContent(at);
    assert.deepEqual(data, { type: 'file', path: at.path, content: 'hello' });
    assert.equal((await octokit.git.getRef({ owner: 'o', repo: 'r', ref: 'heads/feat/x/y' })).data.ref, 'refs/heads/feat/x/y');
    for (const path of ['heads/feat/x', 'heads%2Ffeat/x', 'heads%2Ffeat%2Fx'])
      assert.deepEqual(await (await send(`/repos/o/r/git/ref/${path}`)).json(), { ref: 'refs/heads/feat/x' }, path);
    await assert.rejects(octokit.repos.getContent({ ...at, path: 'a/b' }), { status: 404 });
    assert.deepEqual(await (await send('/api/accounts/AC1.json')).json(), { kind: 'ok', value: { sid: 'AC1' } });
    assert.equal((await send('/api/accounts/AC1:send', { method: 'POST' })).status, 204);
  });

  test(`${engine}: octokit walks the pages by the links of its own base URL; evidence knows no URL`, async () => {
    const world = await create();
    const { octokit, url } = await access(world);
    const issues = await octokit.paginate(octokit.issues.listForRepo, { owner: 'o', repo: 'r' });
    assert.deepEqual(
      issues.map(({ id, url: at }) => [id, at]),
      [1, 2, 3, 4, 5, 6].map((id) => [id, `${url}/issues/${id}`]),
    );
    const entries = (await evidence(world)).filter((entry): entry is OperationEntry => entry.kind === 'operation');
    assert.deepEqual(
      entries.map(({ invocation }) => invocation.arguments),
      [{ page: 1 }, { page: 2 }, { page: 3 }],
    );
    assert.ok(!JSON.stringify(entries).includes(new URL(url).host));
    // On another listener, with another address: the same.
    const other = createBindings({ engine });
    try {
      const again = await create();
      const { endpoints } = await other.open({ world: again, actorId: 'agent', bindings: ['http'] });
      const { url: baseUrl, token: auth } = endpoints.http ?? assert.fail();
      assert.notEqual(new URL(baseUrl).port, new URL(url).port);
      const elsewhere = new Octokit({ baseUrl, auth });
      assert.equal((await elsewhere.paginate(elsewhere.issues.listForRepo, { owner: 'o', repo: 'r' })).length, 6);
      const [one, two] = [await position(world), await position(again)];
      assert.deepEqual([two.evidenceHash, two.stateHash], [one.evidenceHash, one.stateHash]);
    } finally {
      await other.close();
    }
  });

  test(`${engine}: calls are counted by actor, in windows of virtual time, through forks and resets`, async () => {
    const world = await create();
    const { send } = await access(world);
    const { virtualTimeUs: startUs } = await position(world);
    const counted = async (ask = send) => {
      const { headers } = await ask('/repos/o/r/issues');
      return ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
    };
    const endOf = (us: number) => Math.floor((us + hourUs) / 1_000_000);
    assert.deepEqual(await counted(), [5, 4, endOf(startUs)]);
    await world.command({ kind: 'advance', targetUs: startUs + hourUs - 1, maxEvents: 1 });
    assert.deepEqual(await counted(), [5, 3, endOf(startUs)]);
    const atSequence = (await position(world)).evidenceSequence;
    assert.deepEqual(await counted((await access(world, 'other')).send), [5, 4, endOf(startUs + hourUs - 1)]);
    assert.deepEqual(await counted(), [5, 2, endOf(startUs)]);
    await world.passivate();
    const { world: fork } = await world.fork({ worldId: newId('world'), atSequence });
    assert.deepEqual(await counted((await access(fork)).send), [5, 2, endOf(startUs)]);
    assert.deepEqual(await counted(), [5, 1, endOf(startUs)]);
    await world.command({ kind: 'advance', targetUs: startUs + hourUs, maxEvents: 1 });
    assert.deepEqual(await counted(), [5, 4, endOf(startUs + hourUs)]);
    const { headers } = await send('/repos/o/r/issues');
    assert.equal(headers.get('x-time-us'), String(startUs + hourUs));
    await world.command({ kind: 'reset', packages: ['hub'] });
    assert.deepEqual(await counted(), [5, 4, endOf(startUs + hourUs)]);
  });

  test(`${engine}: the client of a service that answers errors with 200 rejects with the platform's error`, async () => {
    const { url, token } = await access(await create());
    const slack = new WebClient(token, { slackApiUrl: `${url}/api/`, retryConfig: { retries: 0 } });
    assert.deepEqual((await slack.conversations.history({ channel: 'C1' })).messages, [{ text: 'hello' }]);
    await assert.rejects(slack.conversations.history({ channel: 'C2' }), (error: { code?: string; data?: { error?: string } }) => {
      assert.deepEqual([error.code, error.data?.error], [ErrorCode.PlatformError, 'channel_not_found']);
      return true;
    });
  });

  test(`${engine}: a declined charge is there, its receipt too, and a status that is not declared is the tool's mistake`, async () => {
    const world = await create();
    const { send } = await access(world);
    const charge = async (body: object, headers = {}) => {
      const reply = await send('/charges', json(body, headers));
      return [reply.status, await reply.json()] as [number, { code?: string; error?: { message: string } }];
    };
    const key = { 'idempotency-key': 'k' };
    const declined = [402, { message: 'Declined.', code: 'CARD_DECLINED', committed: true }];
    assert.deepEqual(await charge({ amount: 100 }, key), declined);
    const row = async (namespace: string) => (await world.query({ kind: 'row', packageId: 'hub', namespace, rowId: 'ch_100' })).value;
    assert.deepEqual([await row('charges'), await row('audit')], [{ amount: 100, status: 'failed' }, { failed: true }]);
    const { stateHash } = await position(world);
    assert.deepEqual(await charge({ amount: 100 }, key), declined);
    assert.equal((await position(world)).stateHash, stateHash);
    // Declared for a success, for an error, and for neither of them.
    assert.equal((await charge({ amount: 1, status: 202 }))[0], 202);
    assert.equal((await charge({ amount: 101, status: 409 }))[0], 409);
    for (const wrong of [
      { amount: 1, status: 402 },
      { amount: 1, status: 200 },
      { amount: 101, status: 201 },
      { amount: 1, status: 99.5 },
    ]) {
      const [status, body] = await charge(wrong);
      assert.equal(status, 500, JSON.stringify(wrong));
      assert.match(JSON.stringify(body), /chose the status [\d.]+, which the route does not declare for (?:success|errors)/);
    }
    assert.match(JSON.stringify((await charge({ amount: 1, status: '201' }))[1]), /the status of encode is a number/);
  });

  test(`${engine}: a hosted service puts its public URL into replies`, async () => {
    const publicUrl = 'https://worlds.example';
    const hosted = createHostedBindings({ publicUrl, nowMs: Date.now, onFailure: ({ error }) => assert.fail(String(error)) });
    const server = await startHttpServer({ host: '127.0.0.1', port: 0, engine, handler: hosted.handler });
    try {
      const { endpoints } = await hosted.open({ world: await create(), actorId: 'agent', bindings: ['http'] });
      const { url, token } = endpoints.http ?? assert.fail();
      const headers = { authorization: `Bearer ${token}`, host: 'worlds.example', 'x-forwarded-proto': 'https' };
      const { request } = await import('node:http');
      const link = await new Promise((resolve, reject) => {
        const { pathname } = new URL(url);
        request({ port: server.port, path: `${pathname}/repos/o/r/issues`, headers }, (reply) => resolve(reply.resume().headers.link))
          .on('error', reject)
          .end();
      });
      assert.equal(link, `<${url}/repos/o/r/issues?page=2>; rel="next", <${url}/repos/o/r/issues?page=3>; rel="last"`);
    } finally {
      await hosted.close();
      await server.close();
    }
  });
}
