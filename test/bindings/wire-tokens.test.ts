// Tokens that a tool mints by OAuth 2, on both servers: sealed on their way out, known again on their way in, and over by virtual time.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createBindings } from '../../src/bindings/create-bindings.js';
import { createHostedBindings, hostedPrefix } from '../../src/bindings/hosted-bindings.js';
import { keyIdOf } from '../../src/bindings/token-table.js';
import type { JsonObject } from '../../src/contract/json.js';
import { startHttpServer } from '../../src/http/start-server.js';
import { mintToken, readToken } from '../../src/tools/token-endpoint.js';
import { ask, createMounts, engines, evidence, openMounts } from './mounts-kit.js';

const hour = 3_600_000_000;
const basic = (token: string) => ({ authorization: `Basic ${btoa(`client:${token}`)}` });
async function grant(url: string, token: string, form: { [name: string]: string }): Promise<{ status: number; body: JsonObject }> {
  const reply = await fetch(`${url}/oauth/token`, { method: 'POST', headers: basic(token), body: new URLSearchParams(form) });
  return { status: reply.status, body: (await reply.json()) as JsonObject };
}

for (const engine of engines) {
  const bindings = createBindings({ engine });
  after(() => bindings.close());

  test(`${engine}: a token of client credentials opens what its scopes say, for a virtual hour`, async () => {
    const hashes: string[] = [];
    for (const httpMounts of ['path', 'port'] as const) {
      const { world, http, urlOf } = await openMounts(bindings, { httpMounts });
      const url = urlOf('vault');
      const { status, body } = await grant(url, http.token, { grant_type: 'client_credentials', scope: 'profile' });
      assert.deepEqual([status, body.token_type, body.expires_in, body.scope], [200, 'Bearer', 3600, 'profile']);
      const token = String(body.access_token);
      assert.match(token, /^ya29\./);
      assert.deepEqual(await ask(`${url}/me`, { token }), { status: 200, body: { scopes: ['profile'] } });
      assert.deepEqual(await ask(`${url}/me/mail`, { token }), {
        status: 403,
        body: { error: { code: 401, status: 'TOKEN_SCOPE_MISSING' } },
      });
      assert.deepEqual(
        await ask(`${url}/me/mail`, { token: http.token }),
        { status: 200, body: { scopes: null } },
        'the access itself has all',
      );
      const { virtualTimeUs } = await world.query({ kind: 'position' });
      await world.command({ kind: 'advance', targetUs: virtualTimeUs + hour - 1, maxEvents: 10 });
      assert.equal((await ask(`${url}/me`, { token })).status, 200);
      await world.command({ kind: 'advance', targetUs: virtualTimeUs + hour, maxEvents: 10 });
      assert.deepEqual(await ask(`${url}/me`, { token }), { status: 401, body: { error: { code: 401, status: 'TOKEN_EXPIRED' } } });
      const text = JSON.stringify(await evidence(world));
      assert.ok(text.includes('TOKEN_EXPIRED') && !text.includes(token) && !text.includes(http.token));
      hashes.push((await world.query({ kind: 'position' })).evidenceHash);
    }
    assert.equal(hashes[0], hashes[1], 'no seal and no address in the evidence');
  });

  test(`${engine}: a code becomes tokens, a refresh token others, and nothing that was made up does`, async () => {
    const { world, http, urlOf } = await openMounts(bindings);
    const other = await openMounts(bindings);
    const url = urlOf('vault');
    const redirect = 'http://127.0.0.1/back';
    const authorized = await fetch(
      `${url}/oauth/authorize?${new URLSearchParams({ redirect_uri: redirect, scope: 'profile mail.read' })}`,
      {
        headers: { authorization: `Bearer ${http.token}` },
        redirect: 'manual',
      },
    );
    const code = new URL(authorized.headers.get('location') ?? '').searchParams.get('code') ?? assert.fail();
    const exchange = (more: object) => grant(url, http.token, { grant_type: 'authorization_code', code, redirect_uri: redirect, ...more });
    const made = (await exchange({})).body;
    const refresh = String(made.refresh_token);
    assert.equal((await ask(`${url}/me/mail`, { token: String(made.access_token) })).status, 200);
    const again = (await grant(url, http.token, { grant_type: 'refresh_token', refresh_token: refresh })).body;
    assert.notEqual(again.access_token, made.access_token);
    assert.equal((await ask(`${url}/me/mail`, { token: String(again.access_token) })).status, 200);
    const [minted = ''] = code.split('~');
    assert.equal(readToken(minted)?.kind, 'code');
    const wide = mintToken(
      { packageId: 'vault', instanceId: 'vault', clock: { nowUs: () => 0 }, random: { nextU64: () => 7n } as never },
      { kind: 'refresh', scopes: ['profile', 'mail.read', 'admin'] },
    );
    const refused: object[] = [
      { code: minted },
      { code: `${minted}~${code.split('~')[1]}~${'A'.repeat(43)}` },
      { redirect_uri: 'http://127.0.0.1/other' },
      { grant_type: 'refresh_token', refresh_token: wide },
      { grant_type: 'refresh_token', refresh_token: String(made.access_token) },
    ];
    for (const more of refused) {
      const { status, body } = await exchange(more);
      assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(more));
    }
    assert.deepEqual((await exchange({ scope: 'admin' })).body.error, 'invalid_scope');
    assert.deepEqual((await exchange({ grant_type: 'password' })).body.error, 'unsupported_grant_type');
    assert.equal((await ask(`${url}/me`, { token: refresh })).status, 401, 'a refresh token opens nothing itself');
    for (const token of [wide, minted, `${wide}${refresh.slice(refresh.indexOf('~'))}`])
      assert.deepEqual([(await ask(`${url}/me`, { token })).body.code], ['control.UNAUTHENTICATED'], 'none of these has a seal of its own');
    assert.equal((await ask(`${http.url}/v1/tools`, { token: String(made.access_token) })).status, 401, 'of routes of the tool alone');
    assert.equal((await ask(`${url}/graphql`, { token: String(made.access_token) })).status, 404);
    const before = (await evidence(other.world)).length;
    assert.equal((await ask(`${other.urlOf('desk')}/graphql`, { token: String(made.access_token), method: 'POST', body: {} })).status, 401);
    assert.equal((await evidence(other.world)).length, before, 'it is no token of the other world');
    assert.ok(!JSON.stringify(await evidence(world)).includes('~'));
  });
}

test('a hosted service opens an access again for its minted tokens and its keys', async () => {
  const world = await createMounts();
  const token = `dyw_${'k'.repeat(43)}`;
  let bindings = createHostedBindings({ publicUrl: 'http://127.0.0.1', nowMs: () => 0, onFailure: () => {} });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: (request) => bindings.handler(request) });
  const url = `http://127.0.0.1:${server.port}${hostedPrefix}/~vault`;
  try {
    const open = () => bindings.open({ world, actorId: 'agent', bindings: ['http'], token });
    const { http } = (await open()).endpoints;
    assert.equal(http?.mounts?.vault?.url, `http://127.0.0.1${hostedPrefix}/~vault`);
    assert.equal(http?.keyId, keyIdOf(token));
    await assert.rejects(bindings.open({ world, actorId: 'agent', bindings: ['http'], httpMounts: 'port' }), {
      code: 'control.INVALID_REQUEST',
    });
    const minted = String((await grant(url, token, { grant_type: 'client_credentials' })).body.access_token);
    const credential = `AWS4-HMAC-SHA256 Credential=${http?.keyId}/20260101/r/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
    for (const [authorization, status] of [
      [`Bearer ${minted}`, 200],
      [credential, 401],
    ] as const) {
      await bindings.close();
      bindings = createHostedBindings({ publicUrl: 'http://127.0.0.1', nowMs: () => 0, onFailure: () => {} });
      const asked: string[] = [];
      bindings.recall?.({
        tokenShape: /dyw_[\w-]{43}(?![\w-])/g,
        openByToken: (hash) => {
          asked.push(hash);
          return keyIdOf(token).endsWith(hash) ? open().then(() => {}) : undefined;
        },
        openByAddress: () => undefined,
      });
      const path = status === 200 ? '/me' : '/b/k';
      assert.equal((await fetch(url + path, { headers: { authorization } })).status, status);
      assert.equal(asked.length, 1);
    }
  } finally {
    await bindings.close();
    await server.close();
  }
});
