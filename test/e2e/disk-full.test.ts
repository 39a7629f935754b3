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
    try {
      writeFileSync(ballast, Buffer.alloc(freeBytes() - bytes));
    } catch (error) {
      // The service took some of the room meanwhile: the disk is as full as it was to be.
      if (bytes > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
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

  /** The database may have room in what it holds already, and is refused only once that is used up: until then what it takes is kept. */
  const untilRefused = async (ask: (round: number) => Promise<'kept' | 'refused'>): Promise<void> => {
    for (let round = 0; round < 500; round++) {
      leave(0);
      if ((await ask(round)) === 'refused') return;
    }
    assert.fail('a full disk was never told');
  };
  const full = { code: 'control.STORAGE_FULL', status: 503, retryable: true };
  const outcomeOf = async (asked: Promise<unknown>): Promise<'kept' | 'refused'> => {
    const [settled] = await Promise.allSettled([asked]);
    if (settled.status === 'rejected') await assert.rejects(asked, full);
    return settled.status === 'rejected' ? 'refused' : 'kept';
  };
  const names = ['default'];
  for (let again = 0; again < 5; again++) {
    await untilRefused(async (round) => {
      const name = `${again}.${round} `.padEnd(100, 'x');
      const outcome = await outcomeOf(client.createProject({ body: { name } }));
      if (outcome === 'kept') names.push(name);
      return outcome;
    });
    await untilRefused(() => outcomeOf(create('1')));
  }
  await untilRefused(async () => {
    const { status, body } = await call();
    if (status === 200) return 'kept';
    assert.deepEqual([status, body.code], [503, 'control.STORAGE_FULL']);
    return 'refused';
  });
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
  assert.deepEqual(items.map(({ name }) => name).sort(), names.sort());
  assert.equal((await service.stop()).code, 0);
});
