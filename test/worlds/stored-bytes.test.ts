// What a world stores is counted and bounded: at the bound it refuses what would add to it, before anything is written, and continues with
// the rest.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ServiceError } from '../../src/contract/errors.js';
import type { Worlds } from '../../src/worlds/api.js';
import { openWorlds } from '../../src/worlds/worlds.js';
import { createMaker, type Maker } from './maker-kit.js';

const mib = 1024 * 1024;
const storedBytesMax = 8 * mib;
const directory = mkdtempSync(join(tmpdir(), 'drillyard-stored-'));
let worlds: Worlds;
let made = 0;
const open = (options = {}) =>
  openWorlds({ directory, layout: 'shared', durability: 'committed', hosts: 1, isolation: 'thread', ...options });
before(async () => {
  worlds = await open({ storedBytesMax });
});
after(async () => {
  await worlds.close();
  rmSync(directory, { recursive: true, force: true });
});
const maker = (): Promise<Maker> => createMaker(worlds, `world_${String(made++).padStart(12, '0')}`);
const stored = async ({ world }: Maker): Promise<number> => (await world.query({ kind: 'storage' })).bytes;
const large = (of: Maker, id: string) => of.make('large', { id, chars: mib - 8 });
async function refused(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => assert.fail('it was taken'),
    (thrown) => thrown,
  );
  assert.ok(error instanceof ServiceError && error.code === 'control.QUOTA_EXCEEDED', String(error));
  const { quota, max, used } = error.extra.details as { quota: string; max: number; used: number };
  assert.deepEqual([quota, max], ['sessionBytesMax', storedBytesMax]);
  assert.ok(used >= max);
}
/** Rows of a mebibyte until no more are taken. */
async function fill(world: Maker): Promise<number> {
  for (let rows = 0; ; rows++) {
    if ((await stored(world)) >= storedBytesMax) return rows;
    assert.equal((await large(world, `r${rows}`)).kind, 'ok');
  }
}

test('commits are counted, over incarnations, and the count is what they have added', async () => {
  const world = await maker();
  const empty = await stored(world);
  assert.ok(empty > 0 && empty < 10_000, `${empty}`);
  await large(world, 'a');
  // Once in the journal and once in its layer.
  const one = await stored(world);
  assert.ok(one - empty > 2 * mib && one - empty < 2 * mib + 2_000, `${one - empty}`);
  await world.world.passivate();
  assert.equal(await stored(world), one);
  await large(world, 'a');
  assert.ok((await stored(world)) - one > 2 * mib);
});

test('a full world refuses what would add to it, and nothing else', async () => {
  const world = await maker();
  await fill(world);
  const before = await world.world.query({ kind: 'position' });
  const bytes = await stored(world);
  await refused(large(world, 'more'));
  await refused(world.call('empty', {}));
  await refused(world.world.command({ kind: 'advance', targetUs: 1_000, maxEvents: 10 }));
  await refused(world.world.command({ kind: 'snapshot' }));
  await refused(world.world.fork({ worldId: `world_${String(made++).padStart(12, '0')}` }));
  assert.deepEqual(await world.world.query({ kind: 'position' }), before);
  assert.equal(await stored(world), bytes);
  await world.world.passivate();
  await refused(world.call('empty', {}));
  await world.world.command({ kind: 'verify', checkpointId: 'end', checkpointKind: 'final', result: {} } as never);
  await world.world.command({ kind: 'close' });
  await world.world.command({ kind: 'reset' });
  assert.ok((await stored(world)) < 10_000);
  assert.equal((await large(world, 'again')).kind, 'ok');
});

test('an advance stops before the next event, and what has fired stays', async () => {
  const world = await maker();
  for (let events = 0; events < 4; events++) await world.call('schedule', { event: 'heard', chars: 200_000 });
  // Each leaves a payload of 200 kB twice.
  for (let rows = 0; (await stored(world)) < storedBytesMax - 700_000; rows++)
    await world.make('large', { id: `r${rows}`, chars: 100_000 });
  // What is pending is reckoned a little high, so the next try may fire one more; none can fire all.
  for (let tries = 0, before = 4; tries < 3; tries++) {
    await refused(world.world.command({ kind: 'advance', targetUs: 1_000, maxEvents: 10, operationKey: 'one' }));
    const { total, advance } = await world.world.query({ kind: 'pending', limit: 10 });
    assert.ok(total > 0 && total <= before && (tries > 0 || total < 4), `${total} left of ${before}`);
    assert.equal(advance, undefined);
    before = total;
  }
});

test('what a snapshot keeps stays counted after a reset, and a fork begins with it', async () => {
  const world = await maker();
  await large(world, 'a');
  await world.world.command({ kind: 'snapshot' });
  const kept = await stored(world);
  await large(world, 'b');
  await world.world.command({ kind: 'reset' });
  const back = await stored(world);
  assert.ok(back >= kept - 2_000 && back < kept + 10_000, `${back} of ${kept}`);
  const { world: child } = await world.world.fork({ worldId: `world_${String(made++).padStart(12, '0')}` });
  assert.ok((await child.query({ kind: 'storage' })).bytes >= back);
});

test('without a bound a world stores what it wants', async () => {
  const local = await open({ directory: join(directory, 'local'), layout: 'run' });
  try {
    const world = await createMaker(local, 'run_000000000001');
    for (let rows = 0; rows < 6; rows++) assert.equal((await large(world, `r${rows}`)).kind, 'ok');
    const { bytes, bytesMax } = await world.world.query({ kind: 'storage' });
    assert.ok(bytes > storedBytesMax);
    assert.equal(bytesMax, undefined);
  } finally {
    await local.close();
  }
});
