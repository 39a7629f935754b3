// A service whose disk fills: a real one. It refuses new work, still answers, frees space when it is asked to, and takes new work again
// when there is some.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type DiskKind, smallDisk } from '../small-disk.js';
import { until } from '../until.js';
import { asAgent, clientOf, startedDirectory, startService } from './service.js';

const full = { code: 'control.STORAGE_FULL', status: 503, retryable: true };

async function fillsUp(context: TestContext, kind: DiskKind): Promise<void> {
  const disk = smallDisk(context, { kind, megabytes: 32 });
  if (disk === undefined) return;
  const dataDirectory = await startedDirectory(join(disk.path, 'hosted'));
  let service = await startService({ dataDirectory });
  const { projectId, environmentId, credential } = service.ready;
  let client = clientOf(service, credential!);
  const ended = async (operationId: string): Promise<unknown> => client.waitForOperation({ projectId, operationId });
  const make = async () => {
    const { session, operation } = await client.createSession({ path: { projectId, environmentId }, body: { seed: '42' } });
    await ended(operation.operationId);
    return session.sessionId;
  };
  const destroy = async (sessionId: string): Promise<void> => {
    const path = { projectId, sessionId };
    const { operation } = await client.destroySession({ path, body: { expectedLeaseGeneration: 1, confirm: sessionId } });
    await ended(operation.operationId);
    assert.equal((await client.getSession({ path })).session.state, 'destroyed');
  };
  const readiness = async (): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`${service.ready.baseUrl}/readyz`);
    return { status: reply.status, text: await reply.text() };
  };
  const [kept, ...ending] = [await make(), await make(), await make(), await make()];
  const path = { projectId, sessionId: kept };
  const { access } = await client.createSessionAccess({ path, body: { actorId: 'support-agent' } });
  const call = (body: string) =>
    asAgent(access.worldHttpUrl, access.credential, '/v1/operations/ticket-desk/comment.add', {
      arguments: { ticketId: 'TKT-1001', body },
    });
  const acknowledged = [];
  for (let index = 0; index < 20; index++) acknowledged.push((await call(`comment ${index} `.padEnd(2000, 'x'))).status);
  assert.deepEqual(new Set(acknowledged), new Set([200]));
  assert.equal((await readiness()).status, 200);

  disk.leave(0);
  // Every kind of change is refused in the one envelope, and reads continue.
  for (let again = 0; again < 3; again++) {
    await assert.rejects(client.createProject({ body: { name: `project ${again}` } }), full);
    await assert.rejects(client.createSession({ path: { projectId, environmentId }, body: { seed: '1' } }), full);
    const { status, body } = await call('x'.repeat(4000));
    assert.deepEqual([status, body.code], [503, 'control.STORAGE_FULL']);
    assert.doesNotMatch(JSON.stringify(body), /drillyard-disk/);
  }
  assert.equal((await client.getMe()).credential.role, 'manager');
  assert.equal((await client.getSession({ path })).session.state, 'ready');
  const notReady = await readiness();
  assert.equal(notReady.status, 503);
  assert.deepEqual((JSON.parse(notReady.text) as { details: object }).details, { reasons: ['disk_full'] });

  // What frees space works, without a byte left on the disk.
  for (const sessionId of ending.slice(0, 2)) await destroy(sessionId as string);

  // So does a start on it, once some space was kept again.
  disk.empty();
  await until(() => existsSync(join(dataDirectory, 'disk-reserve')));
  disk.leave(0);
  assert.equal((await service.stop()).code, 0);
  disk.leave(0);
  service = await startService({ dataDirectory });
  client = clientOf(service, credential!);
  assert.equal((await readiness()).status, 503);
  await assert.rejects(client.createProject({ body: { name: 'after the start' } }), full);
  disk.leave(0);
  assert.equal((await client.getSession({ path })).session.state, 'ready');

  // There is space again: no restart is needed.
  disk.empty();
  assert.equal((await readiness()).status, 200);
  await destroy(ending[2] as string);
  assert.equal((await client.createProject({ body: { name: 'with space' } })).project.name, 'with space');
  await make();
  const names = (await client.listProjects()).items.map(({ name }) => name).sort();
  assert.deepEqual(names, ['default', 'with space']);
  const rows = await client.listEvidence({ path, query: { limit: 200 } });
  assert.ok(rows.entries.length >= 20);
  assert.equal((await service.stop()).code, 0);
  // LMDB's own words for a write that found no space.
  assert.doesNotMatch(service.said().stderr, /Write error/);
}

// DISK-RESERVE-1, DISK-RESERVE-2, DISPATCH-3
test('a tmpfs that is full is a refusal that says so, never the end of the service', { timeout: 90_000 }, (context) =>
  fillsUp(context, 'tmpfs'),
);
// DISK-RESERVE-1, DISK-RESERVE-2, DISPATCH-3
test('an ext4 that is full is a refusal that says so, never the end of the service', { timeout: 90_000 }, (context) =>
  fillsUp(context, 'ext4'),
);
