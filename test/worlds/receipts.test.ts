import assert from 'node:assert/strict';
import test from 'node:test';
import { keyKinds, rangeOfKind } from '../../src/worlds/kv/keys.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { commitNow, newWorld, temporaryStore, turn } from './storage-kit.js';

const receipt = (sequence: number) => ({ argumentsHash: 'sha256:1', sequence, result: { answer: sequence } });

test('a receipt is found in its turn, after its commit and in later incarnations; a rolled back one never', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  turn(world, 1, () => {
    world.receipts.put('desk', 'lost', receipt(1));
    world.rollbackEffects();
    world.receipts.put('desk', 'kept', receipt(2));
    assert.deepEqual(world.receipts.get('desk', 'kept'), receipt(2));
  });
  assert.equal(world.receipts.get('desk', 'lost'), undefined);
  commitNow(world, {});
  const again = store.loadWorld(world.worldId, 1) as WorldState;
  assert.deepEqual(again.receipts.get('desk', 'kept'), receipt(2));
  assert.equal(again.receipts.get('desk', 'lost'), undefined);
  assert.equal(again.receipts.get('other', 'kept'), undefined);
});

test('many more receipts than the cache holds', (context) => {
  const world = newWorld(temporaryStore(context));
  for (let round = 0; round < 10; round++) {
    turn(world, round, () => {
      for (let key = 0; key < 100; key++) world.receipts.put('desk', `key-${round * 100 + key}`, receipt(round * 100 + key));
    });
    commitNow(world, {});
  }
  for (let key = 0; key < 1000; key++) assert.deepEqual(world.receipts.get('desk', `key-${key}`), receipt(key));
});

test('the receipts of a package are deleted, in lower layers too, and no others', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  turn(world, 1, () => {
    world.receipts.put('desk', 'a', receipt(1));
    world.receipts.put('desk-2', 'a', receipt(2));
  });
  world.takeSnapshot('snap_1', {});
  turn(world, 2, () => world.receipts.put('desk', 'b', receipt(3)));
  commitNow(world, {});
  turn(world, 3, () => world.receipts.replacePackage('desk', []));
  const gone = (of: WorldState) => [of.receipts.get('desk', 'a'), of.receipts.get('desk', 'b'), of.receipts.get('desk-2', 'a')?.sequence];
  assert.deepEqual(gone(world), [undefined, undefined, 2]);
  commitNow(world, {});
  assert.deepEqual(gone(store.loadWorld(world.worldId, 1) as WorldState), [undefined, undefined, 2]);
  const again = store.loadWorld(world.worldId, 1) as WorldState;
  again.reset('snap_1');
  assert.equal(again.receipts.get('desk', 'a')?.sequence, 1);
});

test('a world without receipts has no keys of them', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  turn(world, 1, () => world.receipts.replacePackage('desk', []));
  commitNow(world, {});
  assert.deepEqual([...store.store.keys(rangeOfKind(keyKinds.receipt))], []);
});
