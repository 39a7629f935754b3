import assert from 'node:assert/strict';
import test from 'node:test';
import { forkWorld } from '../../src/worlds/commands/fork.js';
import { headKey } from '../../src/worlds/kv/keys.js';
import { decodeHead } from '../../src/worlds/kv/world-head.js';
import type { WriteSet } from '../../src/worlds/kv/write-set.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { tuning } from '../../src/worlds/tuning.js';
import { allRows, commitNow, finish, never, newWorld, putRow, tag, temporaryStore, turn, upsert } from './storage-kit.js';

const tickets = (world: WorldState) => world.records.space('desk', 'desk', 'tickets');

// WORLD-STATE-2
test('every snapshot keeps its rows, however many follow, and a look-up never goes through many layers', (context) => {
  const store = temporaryStore(context);
  let world = newWorld(store, [upsert('base', { n: 0 }), upsert('gone', { n: 0 })]);
  const seen: ReturnType<typeof allRows>[] = [];
  for (let round = 0; round < 3 * tuning.layersMax; round++) {
    turn(world, round, () => {
      putRow(world, tickets(world), `row-${round % 5}`, { round });
      if (round === 4) world.records.delete(tickets(world), 'gone');
      if (round === 9) putRow(world, tickets(world), 'gone', { back: true });
    });
    world.takeSnapshot(`snap_${round}`, { round });
    seen.push(allRows(world.records));
    if (round % 4 === 3) commitNow(world, { round });
    const layers = decodeHead(store.store.get(headKey(world.worldId)) as Buffer).layers;
    assert.ok(layers.length <= tuning.layersMax + 1);
  }
  commitNow(world, {});
  world = store.loadWorld(world.worldId, 1) as WorldState;
  assert.equal(world.snapshotIds().length, seen.length);
  for (const round of [0, 20, 5, 23, 8, 9, 4]) {
    assert.deepEqual(world.reset(`snap_${round}`), { round });
    assert.deepEqual(allRows(world.records), seen[round]);
    turn(world, 99, () => putRow(world, tickets(world), 'after', { reset: round }));
    if (round % 2 === 0) commitNow(world, {});
  }
  world.reset();
  assert.deepEqual(allRows(world.records), { 'desk/desk/tickets': { base: { n: 0 }, gone: { n: 0 } } });
  assert.equal(world.journal.sequence, 1);
  assert.throws(() => world.reset('snap_unknown'), { code: 'control.NOT_FOUND' });
});

test('a snapshot, a reset and a fork write the same few keys whatever the world holds', (context) => {
  const store = temporaryStore(context);
  const sizes = [10, 5000].map((rows) => {
    const world = newWorld(store);
    turn(world, 1, () => {
      for (let row = 0; row < rows; row++) putRow(world, tickets(world), `row-${row}`, { row });
    });
    commitNow(world, {});
    const taken = (of: WorldState) => {
      const set = of.takeWriteSet({}) as WriteSet;
      assert.deepEqual(store.commit([set]), [undefined]);
      return set.keys.length;
    };
    world.takeSnapshot('snap_1', {});
    const keys = [taken(world)];
    const request = { worldId: `world_fork${rows}`, incarnation: 1, tag, parentMeta: {}, rules: { receiptOf: () => undefined } };
    turn(world, 1, () => putRow(world, tickets(world), 'row-1', { row: 0 }));
    const { child } = finish(forkWorld(world, store, request, never));
    keys.push(taken(world), taken(child));
    world.reset('snap_1');
    keys.push(taken(world));
    return keys;
  });
  assert.deepEqual(sizes[0], sizes[1]);
  assert.ok(Math.max(...(sizes[0] as number[])) < 6, String(sizes[0]));
});

test('the journal of a reset to a snapshot is the prefix it was taken at, then its own', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  const write = (count: number) => {
    for (let step = 0; step < count; step++) turn(world, step, () => putRow(world, tickets(world), 'a', { step }));
  };
  write(10);
  world.takeSnapshot('snap_1', {});
  const prefix = world.journal.lines(1, 1000).lines;
  write(10);
  commitNow(world, {});
  world.reset('snap_1');
  turn(world, 1, () => world.journal.draft({ kind: 'lifecycle', phase: 'world_reset', details: {} }));
  write(3);
  assert.ok(world.journal.lines(1, 1000).lines.startsWith(prefix));
  assert.equal(world.journal.sequence, 15);
  assert.equal(world.journal.transactions, 15);
  world.takeSnapshot('snap_2', {});
  commitNow(world, {});
  const lines = world.journal.lines(1, 1000).lines;
  const again = store.loadWorld(world.worldId, 1) as WorldState;
  assert.equal(again.journal.lines(1, 1000).lines, lines);
  // snap_2 lies on another journal than snap_1's, whose tail is gone; both can be gone back to.
  again.reset('snap_1');
  commitNow(again, {});
  again.reset('snap_2');
  commitNow(again, {});
  while (store.store.sweep());
  assert.equal(again.journal.lines(1, 1000).lines, lines);
});
