// Where a service is reached, and what it tells to whom: worlds at an origin of their own, figures for the operator, names that are not its
// own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '../../src/client/client.js';
import { operatorTokenFile } from '../../src/control/catalog/settings.js';
import { type ControlServer, startControlServer } from '../../src/control-server.js';
import type { ControlServerOptions } from '../../src/control-server-options.js';
import { engines } from '../http/fake-control.js';
import { asAgent, startedDirectory } from './service.js';

const open = new Set<ControlServer>();
after(async () => {
  for (const server of open) await server.close();
});
async function start(options: ControlServerOptions): Promise<ControlServer> {
  const server = await startControlServer({
    port: 0,
    dataDirectory: options.dataDirectory ?? (await startedDirectory()),
    workers: 1,
    isolation: 'thread',
    trustToolCode: true,
    log: { level: 'silent' },
    ...options,
  });
  open.add(server);
  return server;
}

interface Got {
  status: number;
  code: string | undefined;
  body: { [name: string]: unknown };
}
function get(base: string, path: string, headers: { [name: string]: string } = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(base + path, { headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      reply.on('end', () => {
        const isJson = reply.headers['content-type']?.startsWith('application/json') === true;
        const body = isJson ? (JSON.parse(text) as Got['body']) : {};
        resolve({ status: reply.statusCode ?? 0, code: body.code as string | undefined, body });
      });
    });
    sent.on('error', reject).end();
  });
}
const rejected = [403, 'control.ORIGIN_REJECTED'];
const said = ({ status, code }: Got): unknown[] => [status, code];

async function accessOf({ baseUrl, credential = '', projectId, environmentId }: ControlServer) {
  const client = createClient({ baseUrl, credential, retries: 0 });
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  return (await client.createSessionAccess({ path: { projectId, sessionId: session.sessionId }, body: { actorId: 'support-agent' } }))
    .access;
}

for (const engine of engines) {
  test(`${engine}: worlds at a port of their own are refused at the control API's, and the control API at theirs`, async () => {
    const server = await start({ engine, worldUrl: 'http://127.0.0.1:0' });
    const { baseUrl, worldUrl } = server;
    assert.notEqual(new URL(worldUrl).port, new URL(baseUrl).port);
    const access = await accessOf(server);
    assert.equal(access.worldHttpUrl, `${worldUrl}/world`);
    assert.equal((await asAgent(access.worldHttpUrl, access.credential, '/v1/tools')).status, 200);
    const authorization = `Bearer ${access.credential}`;
    assert.deepEqual(said(await get(baseUrl, '/world/v1/tools', { authorization })), rejected);
    for (const path of ['/v1/me', '/v1/openapi.json', '/docs', '/metrics', '/readyz', '/'])
      assert.deepEqual(said(await get(worldUrl, path)), rejected, path);
    assert.equal((await get(baseUrl, '/readyz')).status, 200);
  });

  test(`${engine}: worlds at a host name of their own are distinguished by the Host header`, async () => {
    const server = await start({ engine, publicUrl: 'https://drills.example.com', worldUrl: 'https://worlds.example.com' });
    const { baseUrl } = server;
    const access = await accessOf(server);
    assert.equal(access.worldHttpUrl, 'https://worlds.example.com/world');
    const authorization = `Bearer ${access.credential}`;
    for (const host of ['worlds.example.com', 'WORLDS.example.com:443']) {
      assert.equal((await get(baseUrl, '/world/v1/tools', { host, authorization })).status, 200, host);
      assert.deepEqual(said(await get(baseUrl, '/v1/openapi.json', { host })), rejected, host);
    }
    for (const host of ['drills.example.com', '127.0.0.1', 'worlds.example.com:8443']) {
      assert.deepEqual(said(await get(baseUrl, '/world/v1/tools', { host, authorization })), rejected, host);
    }
    assert.equal((await get(baseUrl, '/v1/openapi.json', { host: 'drills.example.com' })).status, 200);
    assert.ok(!server.warnings.some(({ code }) => code === 'worlds_share_origin'));
  });

  test(`${engine}: a service that others may reach says what is not safe, and its figures are the operator's`, async () => {
    const dataDirectory = await startedDirectory();
    const server = await start({ engine, publicUrl: 'https://drills.example.com', dataDirectory });
    const operatorToken = readFileSync(join(dataDirectory, operatorTokenFile), 'utf8').trim();
    const host = 'drills.example.com';
    const codes = server.warnings.map(({ code }) => code);
    assert.ok(codes.includes('worlds_share_origin'));
    assert.equal(codes.includes('uws_registry_build'), engine === 'uWebSockets.js');
    for (const { message } of server.warnings) assert.match(message, /--world-url|--server node/);
    const { body } = await get(server.baseUrl, '/readyz', { host });
    assert.deepEqual(body, { status: 'ready', toolCode: server.toolCode, warnings: server.warnings });
    for (const authorization of ['', 'Bearer wrong', `Bearer ${server.credential}`])
      for (const asked of [host, '127.0.0.1'])
        assert.deepEqual(said(await get(server.baseUrl, '/metrics', { host: asked, authorization })), [401, 'control.UNAUTHENTICATED']);
    assert.equal((await get(server.baseUrl, '/metrics', { host, authorization: `Bearer ${operatorToken}` })).status, 200);
  });

  test(`${engine}: a service of this machine has nothing to say, and a page that made its own name point to it gets nothing`, async () => {
    const server = await start({ engine });
    assert.deepEqual(server.warnings, []);
    assert.deepEqual((await get(server.baseUrl, '/readyz')).body, { status: 'ready', toolCode: server.toolCode });
    for (const path of ['/metrics', '/v1/openapi.json', '/docs', '/world/v1/tools', '/v1/me'])
      assert.deepEqual(said(await get(server.baseUrl, path, { host: 'rebound.example:8787' })), rejected, path);
    for (const host of ['localhost:8787', '127.0.0.1', '[::1]:1'])
      assert.equal((await get(server.baseUrl, '/metrics', { host })).status, 200, host);
  });
}
