// A service whose disk fills: a real one, a tmpfs. It refuses what it cannot keep, goes on answering, and is itself again when there is room.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { asAgent, clientOf, startService } from './service.js';

test('a full disk is a refusal that says so, never the end of the service', { timeout: 60_000 }, async (context) => {
  const disk = mkdtempSync(join(tmpdir(), 'drillyard-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk]);
  context.after(() => {
    if (mounted.status === 0) execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  if (mounted.status !== 0) return context.skip('needs the right to mount a tmpfs (root)');
  const ballast = join(disk, 'ballast');
  const freeBytes = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;
  const leave = (bytes: number): void => {
    rmSync(ballast, { force: true });
    writeFileSync(ballast, Buffer.alloc(freeBytes() - bytes));
  };

  const dataDirectory = join(disk, 'hosted');
  const service = await startService({ dataDirectory });
  const { projectId, environmentId, credential } = service.ready;
  const client = clientOf(service, credential!);
  const create = (seed: string) => client.createSession({ path: { projectId, environmentId }, body: { seed } });
  const make = async () => {
    const { session, operation } = await create('42');
    await client.waitForOperation({ projectId, operationId: operation.operationId });
    return session.sessionId;
  };
  const [kept, ending] = [await make(), await make()];
  const { access } = await client.createSessionAccess({ path: { projectId, sessionId: kept }, body: { actorId: 'support-agent' } });
  const call = () =>
    asAgent(access.worldHttpUrl, access.credential, '/v1/operations/ticket-desk/comment.add', {
      arguments: { ticketId: 'TKT-1001', body: 'x'.repeat(4000) },
    });

  leave(0);
  const full = { code: 'control.STORAGE_FULL', status: 503, retryable: true };
  for (let again = 0; again < 5; again++) {
    await assert.rejects(client.createProject({ body: { name: 'x'.repeat(100) } }), full);
    await assert.rejects(create('1'), full);
  }
  const refused = await call();
  assert.deepEqual([refused.status, refused.body.code], [503, 'control.STORAGE_FULL']);
  assert.equal((await client.getMe()).credential.role, 'manager');

  // Room for the catalog's word of it at least: what is decided is carried out, now or as soon as it can be.
  leave(512 * 1024);
  const path = { projectId, sessionId: ending };
  const { operation } = await client.destroySession({ path, body: { expectedLeaseGeneration: 1, confirm: ending } });
  rmSync(ballast);
  await client.waitForOperation({ projectId, operationId: operation.operationId });
  assert.equal((await client.getSession({ path })).session.state, 'destroyed');
  assert.equal((await call()).status, 200);
  const { items } = await client.listProjects();
  assert.deepEqual(
    items.map(({ name }) => name),
    ['default'],
  );
  assert.equal((await service.stop()).code, 0);
});
