import assert from 'node:assert/strict';
import test from 'node:test';
import { keyKinds, rangeOfKind } from '../../src/worlds/kv/keys.js';
import { programKeyOf } from '../../src/worlds/state/world-repository.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { commitNow, newWorld, programWith, tag, temporaryStore, turn, upsert } from './storage-kit.js';

test('a program and its rows are stored once an environment, whatever number of worlds', (context) => {
  const store = temporaryStore(context);
  const program = programWith([upsert('a', { n: 1 })]);
  const programKey = programKeyOf(program.buildHash, program.setupHash);
  assert.equal(store.loadProgram(programKey), undefined);
  for (let world = 0; world < 3; world++) newWorld(store, program.setup.state);
  assert.equal([...store.store.keys(rangeOfKind(keyKinds.base))].length, 1);
  assert.equal([...store.store.keys(rangeOfKind(keyKinds.row))].length, 0);
  assert.deepEqual(store.loadProgram(programKey), program);
});

test('an incarnation is above every earlier one, whatever number it is given', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store);
  let incarnation = world.incarnation;
  for (const asked of [0, 1, 50, 7]) {
    const loaded = store.loadWorld(world.worldId, asked) as WorldState;
    assert.ok(loaded.incarnation > incarnation && loaded.incarnation >= asked);
    turn(loaded, 1, () => loaded.journal.draft({ kind: 'clock', fromUs: 0, toUs: 1, reason: 'wait' }));
    commitNow(loaded, {});
    incarnation = loaded.incarnation;
  }
});

test('loading writes nothing', (context) => {
  let commits = 0;
  const store = temporaryStore(context, { onCommit: () => commits++ });
  const world = newWorld(store);
  const before = commits;
  const loaded = store.loadWorld(world.worldId, 1) as WorldState;
  assert.equal(loaded.takeWriteSet({}), undefined);
  loaded.idle();
  loaded.passivate();
  assert.equal(commits, before);
  assert.equal(store.tagOf(world.worldId), tag);
  assert.equal(store.tagOf('world_unknown'), undefined);
});

// WORLD-STATE-3
test('what a command writes, it writes in the commit', (context) => {
  let commits = 0;
  const store = temporaryStore(context, { onCommit: () => commits++ });
  const world = newWorld(store, [upsert('a', { n: 1 })]);
  const before = commits;
  turn(world, 1, () => world.journal.draft({ kind: 'lifecycle', phase: 'snapshot_created', details: {} }));
  world.takeSnapshot('snap_1', {});
  world.freeze({});
  world.reset();
  world.reset('snap_1');
  turn(world, 1, () => world.resetPackage('desk'));
  assert.equal(commits, before);
  commitNow(world, {});
  assert.equal(commits, before + 1);
});
