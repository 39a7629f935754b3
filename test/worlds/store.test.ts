import assert from 'node:assert/strict';
import test from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import { forkWorld } from '../../src/worlds/commands/fork.js';
import { keyKinds } from '../../src/worlds/kv/keys.js';
import type { WriteSet } from '../../src/worlds/kv/write-set.js';
import { KvWriter } from '../../src/worlds/kv/writer.js';
import { WorldRepository } from '../../src/worlds/state/world-repository.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { allRows, commitNow, finish, never, newWorld, putRow, tag, temporaryFolder, temporaryStore, turn, upsert } from './storage-kit.js';

function put(world: WorldState, rowId: string, value: number): void {
  turn(world, value, () => putRow(world, world.records.space('desk', 'desk', 'tickets'), rowId, { value }));
}
const codeOf = (error: Error | undefined) => (error as ServiceError | undefined)?.code;

// WRITER-1
test('a group commits together, and a stale set is refused alone', (context) => {
  const store = temporaryStore(context);
  const [first, second] = [newWorld(store), newWorld(store)];
  put(first, 'a', 1);
  put(second, 'a', 2);
  const stale = first.takeWriteSet({});
  const later = store.loadWorld(first.worldId, 2) as WorldState;
  turn(later, 0, () => later.journal.draft({ kind: 'clock', fromUs: 0, toUs: 1, reason: 'wait' }));
  commitNow(later, {});
  const refusals = store.commit([stale as never, second.takeWriteSet({}) as never]);
  assert.deepEqual(refusals.map(codeOf), ['world.ACTOR_RESTARTED', undefined]);
  assert.equal(later.records.get(later.records.space('desk', 'desk', 'tickets'), 'a'), undefined);
  put(later, 'a', 3);
  commitNow(later, {});
  put(first, 'b', 4);
  assert.throws(() => commitNow(first, {}), { code: 'world.ACTOR_RESTARTED' });
  assert.equal(store.loadWorld(first.worldId, 1)?.incarnation, 3);
});

test('a world is created once', (context) => {
  const store = temporaryStore(context);
  const { worldId, programKey } = newWorld(store);
  const twin = store.createWorld({ worldId, incarnation: 9, programKey, tag });
  put(twin, 'a', 1);
  assert.throws(() => commitNow(twin, {}), { code: 'control.STATE_CONFLICT' });
  assert.equal(store.loadWorld('world_unknown00000', 1), undefined);
});

// WRITER-1
test('a full disk refuses every set of the commit, leaves what was, and the data file stays usable', (context) => {
  let full = false;
  const store = temporaryStore(context, {
    onCommit: () => {
      if (full) throw Object.assign(new Error('No space left on device'), { code: 28 });
    },
  });
  const [first, second] = [newWorld(store), newWorld(store)];
  put(first, 'a', 1);
  commitNow(first, {});
  put(first, 'a', 2);
  put(second, 'a', 3);
  full = true;
  const refusals = store.commit([first.takeWriteSet({}) as never, second.takeWriteSet({}) as never]);
  assert.deepEqual(refusals.map(codeOf), ['control.STORAGE_FULL', 'control.STORAGE_FULL']);
  full = false;
  const again = store.loadWorld(first.worldId, 2) as WorldState;
  assert.deepEqual(allRows(again.records), { 'desk/desk/tickets': { a: { value: 1 } } });
  put(again, 'a', 4);
  commitNow(again, {});
  assert.deepEqual(allRows((store.loadWorld(first.worldId, 3) as WorldState).records), { 'desk/desk/tickets': { a: { value: 4 } } });
});

// WRITER-2
test('another opening of the environment finds what was committed, at both durability levels', async (context) => {
  for (const durability of ['committed', 'flushed'] as const) {
    const directory = temporaryFolder(context);
    const store = WorldRepository.open({ directory, durability });
    const world = newWorld(store, [upsert('base', { value: 0 })]);
    put(world, 'a', 1);
    commitNow(world, { meta: 1 });
    put(world, 'b', 2);
    await store.flushed();
    await store.close();
    const next = WorldRepository.open({ directory, durability });
    context.after(() => next.close());
    const found = next.loadWorld(world.worldId, 2) as WorldState;
    assert.deepEqual(found.meta, { meta: 1 });
    assert.deepEqual(allRows(found.records), { 'desk/desk/tickets': { a: { value: 1 }, base: { value: 0 } } });
    assert.equal(next.hasWorld(world.worldId), true);
    assert.deepEqual(next.loadProgram(found.programKey)?.setup.state, [upsert('base', { value: 0 })]);
  }
});

test('deleted worlds leave nothing behind but programs, and what a fork shares stays until the fork goes', async (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store, [upsert('base', { value: 0 })]);
  const ref = world.queue.ref({ packageId: 'desk', instanceId: 'desk', eventId: 'tick' });
  for (let round = 0; round < 12; round++) {
    for (let row = 0; row < 40; row++) put(world, `row-${row}`, round);
    turn(world, round, () => {
      world.queue.schedule({ atUs: round + 1, ref, payloadText: '{}' });
      world.receipts.put('desk', `key-${round}`, { argumentsHash: '', sequence: 1, result: null });
    });
    if (round % 5 === 4) turn(world, round, () => world.queue.cancel(round));
    world.takeSnapshot(`snap_${round}`, {});
  }
  const request = { incarnation: 1, tag, parentMeta: {}, rules: { receiptOf: () => undefined } };
  const { child } = finish(forkWorld(world, store, { ...request, worldId: 'world_child0000000' }, never));
  assert.deepEqual(store.commit([child.takeWriteSet({}) as WriteSet, world.takeWriteSet({}) as WriteSet]), [undefined, undefined]);
  const { child: past } = finish(forkWorld(world, store, { ...request, worldId: 'world_past00000000', atSequence: 300 }, never));
  commitNow(past, {});
  const rows = allRows(child.records);
  world.reset();
  put(world, 'c', 1);
  commitNow(world, {});
  world.reset('snap_3');
  put(world, 'd', 1);
  commitNow(world, {});
  await store.deleteWorld(world.worldId);
  while (store.store.sweep());
  const orphan = store.loadWorld('world_child0000000', 2) as WorldState;
  assert.deepEqual(allRows(orphan.records), rows);
  assert.equal(orphan.queue.size, 10);
  assert.equal(orphan.receipts.get('desk', 'key-11')?.sequence, 1);
  assert.deepEqual(await Promise.all(['world_child0000000', 'world_past00000000'].map((id) => store.deleteWorld(id))), [true, true]);
  while (store.store.sweep());
  assert.deepEqual(keyKindsIn(store.store), [keyKinds.counter, keyKinds.program, keyKinds.base]);
  assert.equal(await store.deleteWorld(world.worldId), false);
});

test('worlds that are deleted in one commit leave no more behind than in a commit each', async (context) => {
  const store = temporaryStore(context);
  const worlds = Array.from({ length: 40 }, () => newWorld(store));
  for (const world of worlds) {
    for (let row = 0; row < 20; row++) put(world, `row-${row}`, row);
    commitNow(world, {});
  }
  await Promise.all(worlds.map(({ worldId }) => store.deleteWorld(worldId)));
  assert.deepEqual(keyKindsIn(store.store), [keyKinds.counter, keyKinds.program, keyKinds.base]);
});

function keyKindsIn(store: KvWriter): number[] {
  return [...new Set([...store.keys({ start: Buffer.from([0]), end: Buffer.from([255]) })].map((key) => key[0] as number))];
}

// WORLD-1
test('a fork that shares what its parent has not stored is refused without it, and goes with it in any order', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  const fork = (worldId: string) => {
    const request = { worldId, incarnation: 1, tag, parentMeta: {}, rules: { receiptOf: () => undefined } };
    return finish(forkWorld(world, store, request, never)).child.takeWriteSet({}) as WriteSet;
  };
  put(world, 'a', 1);
  const [early, timely] = [fork('world_early0000000'), fork('world_timely000000')];
  assert.deepEqual(store.commit([early]).map(codeOf), ['world.ACTOR_RESTARTED']);
  assert.deepEqual(store.commit([timely, world.takeWriteSet({}) as WriteSet]), [undefined, undefined]);
  assert.deepEqual(allRows((store.loadWorld('world_timely000000', 2) as WorldState).records), {
    'desk/desk/tickets': { a: { value: 1 } },
  });
  const [orphan, stale] = [fork('world_orphan000000'), world.takeWriteSet({}) as WriteSet];
  const other = store.loadWorld(world.worldId, 5) as WorldState;
  put(other, 'b', 1);
  commitNow(other, {});
  assert.deepEqual(store.commit([orphan, stale]).map(codeOf), ['world.ACTOR_RESTARTED', 'world.ACTOR_RESTARTED']);
  assert.equal(store.hasWorld('world_orphan000000'), false);
});

test('ids of layers and journals are never given twice, not even to two openers of one data file', (context) => {
  const directory = temporaryFolder(context);
  const first = KvWriter.open({ directory, durability: 'committed' });
  const second = KvWriter.open({ directory, durability: 'committed' });
  context.after(() => Promise.all([first.close(), second.close()]));
  const ids = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? second : first).allocateId());
  assert.equal(new Set(ids).size, 300);
});

test('nor after one was refused by a full disk', async (context) => {
  let full = false;
  const onCommit = (): void => {
    if (full) throw Object.assign(new Error('No space left on device'), { code: 28 });
  };
  const writer = KvWriter.open({ directory: temporaryFolder(context), durability: 'committed', onCommit });
  context.after(() => writer.close());
  full = true;
  for (let tries = 0; tries < 3; tries++) assert.throws(() => writer.allocateId());
  full = false;
  const ids = Array.from({ length: 1_000 }, () => {
    const id = writer.allocateId();
    writer.commit([]);
    return id;
  });
  assert.equal(new Set(ids).size, 1_000);
});
