import assert from 'node:assert/strict';
import test from 'node:test';
import { keyKinds, rangeOfKind, sequenceOfKey } from '../../src/worlds/kv/keys.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { commitNow, newWorld, putRow, temporaryStore, turn } from './storage-kit.js';

const draftClock = (world: WorldState, at: number) => world.journal.draft({ kind: 'clock', fromUs: at, toUs: at + 1, reason: 'explicit' });
const chunksOf = (store: ReturnType<typeof temporaryStore>) => [...store.store.keys(rangeOfKind(keyKinds.chunk))].map(sequenceOfKey);

// JOURNAL-2
test('a chunk is what a commit adds, cut where it is full, and a turn is never cut', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  for (let step = 0; step < 6; step++) {
    turn(world, step, () => {
      for (let entry = 0; entry < 3000; entry++) draftClock(world, entry);
    });
  }
  commitNow(world, {});
  assert.deepEqual(chunksOf(store), [1, 2, 9002]);
  turn(world, 7, () => draftClock(world, 7));
  commitNow(world, {});
  assert.deepEqual(chunksOf(store), [1, 2, 9002, 18002]);
  const again = store.loadWorld(world.worldId, 1) as WorldState;
  for (const from of [1, 2, 3000, 9001, 9002, 18001, 18002]) {
    const [entry] = again.journal.read(from, 1);
    assert.equal(entry?.sequence, from);
    assert.deepEqual(again.journal.read(from, 5), world.journal.read(from, 5));
  }
  assert.equal(again.journal.read(8999, 10).length, 10);
  assert.equal(again.journal.transactions, 8);
});

test('pages end where the journal ends', (context) => {
  const { journal } = newWorld(temporaryStore(context));
  assert.equal(journal.read(1, 10).length, 1);
  assert.deepEqual(journal.read(2, 10), []);
  assert.deepEqual(journal.lines(5, 10), { lines: '', count: 0 });
  assert.equal(journal.lines(0, 10).count, 1);
});

// JOURNAL-3
test('entries are read the same before they are taken, while they are, and after', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  const space = world.records.space('desk', 'desk', 'tickets');
  for (let step = 0; step < 5; step++) turn(world, step, () => putRow(world, space, 'a', { step }));
  const before = world.journal.lines(1, 100);
  const set = world.takeWriteSet({});
  assert.deepEqual(world.journal.lines(1, 100), before);
  turn(world, 9, () => putRow(world, space, 'a', { step: 9 }));
  assert.equal(world.journal.lines(1, 100).lines.startsWith(before.lines), true);
  store.commit([set as never]);
  commitNow(world, {});
  assert.equal(world.journal.lines(1, 6).lines, before.lines);
});

// COUNTERS-1
test('a turn without entries is no transaction, and its side goes with the next that is one', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  world.beginTurn();
  world.endTurn({ virtualTimeUs: 1, correlationOrdinal: 1 }, { budget: 5 });
  assert.equal(world.journal.transactions, 1);
  commitNow(world, { saved: true });
  const again = store.loadWorld(world.worldId, 1) as WorldState;
  assert.deepEqual(again.meta, { saved: true });
  assert.equal(again.takeWriteSet({}), undefined);
  again.beginTurn();
  draftClock(again, 2);
  again.endTurn({ virtualTimeUs: 2, correlationOrdinal: 2 }, { other: 1 });
  const chunk = again.journal.chunkOf(2);
  assert.deepEqual(JSON.parse(chunk.text(chunk.turnCells[2] as number)), { budget: 5, other: 1 });
});

// JOURNAL-1
test('what a turn rolled back is in no chunk', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  turn(world, 1, () => {
    putRow(world, world.records.space('desk', 'desk', 'tickets'), 'row', { secret: 'mistake' });
    world.rollbackEffects();
    draftClock(world, 1);
  });
  commitNow(world, {});
  const stored = [...store.store.range(rangeOfKind(keyKinds.chunk))].map(({ value }) => value.toString('latin1')).join();
  assert.ok(stored.includes('explicit'));
  assert.ok(!stored.includes('mistake'));
});

test('a journal that was left and not yet stored is not taken for the present one', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  turn(world, 1, () => draftClock(world, 1));
  world.takeSnapshot('snap_1', {});
  world.reset();
  turn(world, 2, () => draftClock(world, 2));
  world.takeSnapshot('snap_2', {});
  assert.equal(world.journal.read(2, 1)[0]?.virtualTimeUs, 2);
  world.reset('snap_1');
  assert.equal(world.journal.read(2, 1)[0]?.virtualTimeUs, 1);
});
