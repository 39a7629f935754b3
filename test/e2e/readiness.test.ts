// `/readyz` of a real service whose disk stands still, or whose disk breaks: it says why it takes no work, and takes it again.
import assert from 'node:assert/strict';
import { mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { smallDisk } from '../small-disk.js';
import { until } from '../until.js';
import { clientOf, type Service, startedDirectory, startService } from './service.js';

async function reasonsOf({ ready }: Service): Promise<readonly string[]> {
  const reply = await fetch(`${ready.baseUrl}/readyz`);
  const body = (await reply.json()) as { details?: { reasons: string[] } };
  assert.equal(reply.status, body.details === undefined ? 200 : 503);
  return body.details?.reasons ?? [];
}

// HEALTH-2
test('a disk that is too slow is a lag that is said, and over when it is fast again', { timeout: 60_000 }, async (t) => {
  const disk = smallDisk(t, { kind: 'ext4', megabytes: 32 });
  if (disk === undefined) return;
  const service = await startService({ dataDirectory: await startedDirectory(join(disk.path, 'hosted')) });
  const slow = slowDisk(t, { path: disk.path, pid: service.child.pid! });
  if (slow === undefined) return;
  const client = clientOf(service, service.ready.credential!);
  assert.deepEqual(await reasonsOf(service), []);
  slow.limit(4096);
  const creating = client.createProject({ body: { name: 'slow' } });
  await until(async () => (await reasonsOf(service)).includes('commit_lag'));
  assert.equal((await client.getMe()).credential.role, 'manager');
  slow.limit(0);
  assert.equal((await creating).project.name, 'slow');
  assert.deepEqual(await reasonsOf(service), []);
  assert.equal((await service.stop()).code, 0);
});

/** Lets a process write so many bytes a second to a disk; 0: as many as it can. Undefined: no control group of version 1 does that here. */
function slowDisk(t: TestContext, { path, pid }: { path: string; pid: number }): { limit(bytesPerSecond: number): void } | undefined {
  const group = `/sys/fs/cgroup/blkio/drillyard-test-${pid}`;
  try {
    mkdirSync(group);
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    t.skip(`no control group bounds what is written here: ${(error as Error).message}`);
    return undefined;
  }
  const { dev } = statSync(path);
  const limit = (bytesPerSecond: number): void =>
    writeFileSync(join(group, 'blkio.throttle.write_bps_device'), `${dev >> 8}:${dev & 0xff} ${bytesPerSecond}`);
  t.after(() => {
    limit(0);
    rmdirSync(group);
  });
  return { limit };
}

// HEALTH-2
test('a disk that takes no writes is a catalog that refuses, and reads are answered', { timeout: 60_000 }, async (t) => {
  // Behind the disk there is less than it says, as behind a thin volume: its writes fail with an input or output error.
  const behind = smallDisk(t, { kind: 'tmpfs', megabytes: 64 });
  if (behind === undefined) return;
  await t.test('on a thin volume', async (inner) => {
    const disk = smallDisk(inner, { kind: 'ext4', megabytes: 256, folder: behind.path });
    if (disk === undefined) return;
    const service = await startService({ dataDirectory: await startedDirectory(join(disk.path, 'hosted')) });
    const client = clientOf(service, service.ready.credential!);
    assert.deepEqual(await reasonsOf(service), []);
    behind.leave(0);
    const isRefused = (name: string) =>
      client.createProject({ body: { name } }).then(
        () => false,
        () => true,
      );
    for (let made = 0; !(await isRefused(`project ${made}`)); made++);
    await until(async () => (await reasonsOf(service)).includes('catalog_refuses'));
    assert.equal((await client.getMe()).credential.role, 'manager');
    await service.stop('SIGKILL');
  });
});
