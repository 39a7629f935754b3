// The service inside another program: the door of the package, without a process around it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '../src/client/client.js';
import { ControlError } from '../src/client/control-error.js';
import { type ControlServer, type ControlServerOptions, startControlServer } from '../src/index.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-control-server-'));
const open = new Set<ControlServer>();
after(async () => {
  await Promise.all([...open].map((server) => server.close()));
  rmSync(scratch, { recursive: true, force: true });
});

async function start(options: ControlServerOptions = {}): Promise<ControlServer> {
  const dataDirectory = mkdtempSync(join(scratch, 'data-'));
  const server = await startControlServer({ dataDirectory, port: 0, workers: 1, log: { level: 'silent' }, ...options });
  open.add(server);
  return server;
}
const clientOf = ({ baseUrl, credential = '' }: ControlServer) => createClient({ baseUrl, credential, retries: 0 });

function refused(code: string, details: object = {}) {
  return (error: unknown) => {
    assert.ok(error instanceof ControlError, String(error));
    assert.equal(error.code, code);
    for (const [name, value] of Object.entries(details)) assert.deepEqual(error.envelope.details?.[name], value);
    return true;
  };
}

test('a credential is told until somebody says it was, and works in every life', async () => {
  const dataDirectory = mkdtempSync(join(scratch, 'told-'));
  const first = await start({ dataDirectory });
  await first.close();
  const second = await start({ dataDirectory });
  assert.ok(first.credential !== undefined);
  assert.equal(second.credential, first.credential);
  await second.credentialTold();
  await second.close();
  const third = await start({ dataDirectory });
  assert.equal(third.credential, undefined);
  const { organization } = await createClient({ baseUrl: third.baseUrl, credential: first.credential }).getMe();
  assert.equal(organization.organizationId, first.organizationId);
  await third.close();
});

test('two servers in one process are strangers; one folder serves one of them', async () => {
  const dataDirectory = mkdtempSync(join(scratch, 'shared-'));
  const one = await start({ dataDirectory });
  await assert.rejects(start({ dataDirectory }), { code: 'control.STATE_CONFLICT' });
  const other = await start();
  await assert.rejects(createClient({ baseUrl: other.baseUrl, credential: one.credential ?? '' }).getMe(), refused('control.UNAUTHENTICATED'));
  await Promise.all([one.close(), one.close(), other.close()]);
  await (await start({ dataDirectory })).close();
});

test('public address, quotas and rate are those of the options', async () => {
  const server = await start({ publicUrl: 'https://drills.example.com', quotas: { projectsMax: 2 }, rate: { perSecond: 1, burst: 60 } });
  const client = clientOf(server);
  const { projectId, environmentId } = server;
  const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } });
  await client.waitForOperation({ projectId, operationId: operation.operationId }, { pollMs: 2_000 });
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId: session.sessionId }, body: { actorId: 'auditor' } });
  assert.deepEqual([access.worldHttpUrl, access.worldMcpUrl], ['https://drills.example.com/world', 'https://drills.example.com/world/mcp']);
  await client.createProject({ body: { name: 'second' } });
  await assert.rejects(client.createProject({ body: { name: 'third' } }), refused('control.QUOTA_EXCEEDED', { quota: 'projectsMax', max: 2 }));
  const flood = Promise.all(Array.from({ length: 90 }, () => client.getMe()));
  await assert.rejects(flood, refused('control.RATE_LIMITED'));
  await server.close();
});

test('tool code in a process of its own', async () => {
  const server = await start({ isolation: 'process', durability: 'committed' });
  const client = clientOf(server);
  const { projectId, environmentId } = server;
  await client.withSession({ projectId, environmentId, seed: '1' }, async (session, path) => {
    assert.equal((await client.getSessionRuntime({ path })).position.virtualTimeUs, 1_772_442_000_000_000);
    assert.equal(session.state, 'ready');
  });
  await server.close();
});
