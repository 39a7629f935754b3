// Whether a service can take work: each reason by name, from a real catalog whose flushes fail or hang, and gone when the cause is.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import { limits } from '../../src/contract/limits.js';
import { Catalog } from '../../src/control/catalog/catalog.js';
import { defineTable } from '../../src/control/catalog/tables.js';
import { Health, type HealthParts } from '../../src/control/health.js';

const table = defineTable<{ id: string }>({ name: 'thing', idOf: ({ id }) => id, indexes: {} });

function ground(context: TestContext, parts: Partial<HealthParts> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'drillyard-health-'));
  const disk = { fails: undefined as Error | undefined, isShort: false };
  const catalog = new Catalog({
    directory,
    onCommit: () => {
      if (disk.fails !== undefined) throw disk.fails;
    },
  });
  const clock = { ms: 0 };
  const loop = { lagMs: 0, stop: () => {} };
  const refusal = () => (disk.isShort ? new ServiceError('control.STORAGE_FULL') : undefined);
  const health = new Health({ catalog, disk: { refusal }, loop, elapsedMs: () => clock.ms, ...parts });
  context.after(async () => {
    disk.fails = undefined;
    await catalog.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { catalog, disk, clock, loop, health };
}

test('a probe finds a catalog that takes no writes, though nobody writes, and finds it ready again when it does', async (context) => {
  const { catalog, disk, clock, health } = ground(context);
  assert.deepEqual(await health.reasons(), []);
  disk.fails = Object.assign(new Error('the device is gone'), { code: 'EIO_NOT' });
  assert.deepEqual(await health.reasons(), [], 'it was tried a moment ago');
  clock.ms += limits.healthProbeMs;
  assert.deepEqual(await health.reasons(), ['catalog_refuses']);
  await assert.rejects(catalog.change((tx) => tx.put(table, { id: 'one' })));
  disk.fails = undefined;
  clock.ms += limits.healthProbeAgainMs;
  assert.deepEqual(await health.reasons(), []);
  disk.fails = Object.assign(new Error('full'), { code: 'ENOSPC' });
  clock.ms += limits.healthProbeMs;
  assert.deepEqual(await health.reasons(), ['disk_full']);
});

// HEALTH-2, HEALTH-3
test('many probes cause few writes, and none on a full disk', async (context) => {
  const { catalog, disk, clock, health } = ground(context);
  for (let asked = 0; asked < 50; asked++) await health.reasons();
  assert.equal(catalog.commits, 1);
  disk.isShort = true;
  clock.ms += limits.healthProbeMs;
  assert.deepEqual(await health.reasons(), ['disk_full']);
  assert.equal(catalog.commits, 1);
});

test('a commit that hangs, hosts that do not start, a slow event loop: each by its name', async (context) => {
  const state = { refuses: undefined, lagMs: 0 };
  const { clock, loop, health } = ground(context, { catalog: { change: async () => undefined as never, health: state } });
  state.lagMs = limits.commitLagMsMax;
  assert.deepEqual(await health.reasons(), ['commit_lag']);
  state.lagMs = 0;
  health.hostsStarted({ failed: true });
  assert.deepEqual(await health.reasons(), ['hosts_cannot_start']);
  health.hostsStarted({ failed: false });
  assert.deepEqual(await health.reasons(), []);
  health.hostsStarted({ failed: true });
  clock.ms += limits.hostsTroubledMs;
  assert.deepEqual(await health.reasons(), [], 'nobody has asked for hosts since');
  loop.lagMs = limits.eventLoopLagMsMax + 1;
  assert.deepEqual(await health.reasons(), ['event_loop_lag']);
});
