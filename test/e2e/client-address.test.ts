// The address of a client on its way through the service: into the log and the audit trail, with proxies that are trusted and without.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '../../src/client/client.js';
import { operatorTokenFile } from '../../src/control/catalog/settings.js';
import { loadUws } from '../../src/http/uws-binary.js';
import { type ControlServer, startControlServer } from '../../src/index.js';
import { startedDirectory } from './service.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-client-address-'));
const open: ControlServer[] = [];
after(async () => {
  await Promise.all(open.map((server) => server.close()));
  rmSync(scratch, { recursive: true, force: true });
});
const engines = loadUws() === undefined ? (['node:http'] as const) : (['node:http', 'uWebSockets.js'] as const);

interface Line {
  msg: string;
  route?: string;
  status?: number;
  clientAddress?: string;
  resource?: object;
}

for (const engine of engines) {
  test(`${engine}: log and audit trail name the client behind a trusted proxy, whatever it writes into the headers itself`, async () => {
    const lines: string[] = [];
    const dataDirectory = await startedDirectory();
    const server = await startControlServer({
      ...{ dataDirectory, port: 0, engine, workers: 1, isolation: 'thread', trustToolCode: true },
      trustedProxies: ['127.0.0.1', '10.0.0.0/8'],
      log: { level: 'info', destination: { write: (line: string) => void lines.push(line) } },
    });
    open.push(server);
    const { baseUrl, credential = '', organizationId, projectId } = server;
    /** As a proxy sends it on: what the client has written, and behind it whom the proxy saw. */
    const through = (client: string, token = credential) =>
      createClient({
        ...{ baseUrl, credential: token, retries: 0 },
        fetch: (url, init) =>
          fetch(url, { ...init, headers: { ...(init?.headers as object), 'x-forwarded-for': `6.6.6.6, ${client}, 10.0.0.3` } }),
      });
    const manager = through('203.0.113.7');
    await manager.updateProject({ path: { projectId }, body: { expectedVersion: 1, name: 'renamed' } });
    const { secret = '', credential: viewer } = await manager.createCredential({ body: { name: 'viewer', role: 'viewer' } });
    await assert.rejects(through('203.0.113.8', secret).createProject({ body: { name: 'x' } }), /control\.FORBIDDEN/);
    await manager.revokeCredential({ path: { credentialId: viewer.credentialId }, body: { confirm: viewer.credentialId } });
    await assert.rejects(through('2001:db8::9', secret).getMe(), /control\.UNAUTHENTICATED/);
    const operator = through('203.0.113.10', readFileSync(join(dataDirectory, operatorTokenFile), 'utf8').trim());
    await operator.updateOrganization({ path: { organizationId }, body: { quotas: { projectsMax: 7 } } });

    const eventsOf = async (outcome: 'accepted' | 'refused') =>
      (await manager.listAuditEvents({ query: { outcome } })).items.map(({ action, clientAddress }) => [action, clientAddress]).reverse();
    assert.deepEqual(await eventsOf('accepted'), [
      ['updateProject', '203.0.113.7'],
      ['createCredential', '203.0.113.7'],
      ['revokeCredential', '203.0.113.7'],
      ['updateOrganization', undefined],
    ]);
    assert.deepEqual(await eventsOf('refused'), [
      ['createProject', '203.0.113.8'],
      ['getMe', '2001:db8::9'],
    ]);
    const reported = lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => msg === 'request');
    const seen = reported.map(({ route, status, clientAddress, resource }) => [route, status, clientAddress, resource]);
    assert.deepEqual(seen.slice(0, 6), [
      ['updateProject', 200, '203.0.113.7', { projectId }],
      ['createCredential', 201, '203.0.113.7', undefined],
      ['createProject', 403, '203.0.113.8', undefined],
      ['revokeCredential', 200, '203.0.113.7', { credentialId: viewer.credentialId }],
      ['getMe', 401, '2001:db8::9', undefined],
      ['updateOrganization', 200, '203.0.113.10', { organizationId }],
    ]);
    // An agent's refusal too, and one with an address in its path, which is no address of a client.
    const world = (path: string) => fetch(`${baseUrl}/world${path}`, { headers: { 'x-forwarded-for': '203.0.113.11' } });
    assert.deepEqual([(await world('/v1/tools')).status, (await world('/~0123456789abcdef/v1/tools')).status], [401, 401]);
    const ofAgents = lines.map((line) => JSON.parse(line) as Line).filter(({ clientAddress }) => clientAddress === '203.0.113.11');
    assert.equal(ofAgents.length, 2);
    assert.ok(!lines.join('').includes('0123456789abcdef'));
    assert.ok(!lines.join('').includes('6.6.6.6'));
  });
}

test('a proxy that is none is said before anything is touched', async () => {
  const dataDirectory = join(scratch, 'never');
  await assert.rejects(startControlServer({ dataDirectory, port: 0, trustedProxies: ['proxy.example.com'] }), {
    code: 'control.INVALID_REQUEST',
  });
  assert.throws(() => readFileSync(dataDirectory), { code: 'ENOENT' });
});
