// Worlds made and deleted at once, in one data file.
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { WorldRepository } from '../../src/worlds/state/world-repository.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import { tuning } from '../../src/worlds/tuning.js';
import { newWorld, programWith, putRow, tag, temporaryStore, turn } from './storage-kit.js';

interface Counted {
  store: WorldRepository;
  commits: { made: number };
}
function countedStore(context: TestContext): Counted {
  const commits = { made: 0 };
  const onCommit = (): void => {
    commits.made++;
  };
  return { store: temporaryStore(context, { onCommit }), commits };
}

function unstored(store: WorldRepository, worldId: string): WorldState {
  const world = store.createWorld({ worldId, incarnation: 1, programKey: store.putProgram(programWith([])), tag });
  turn(world, 0, () => world.journal.draft({ kind: 'lifecycle', phase: 'world_created', details: { made: true } }));
  return world;
}
function put(world: WorldState, rowId: string): void {
  turn(world, 1, () => putRow(world, world.records.space('desk', 'desk', 'tickets'), rowId, { value: 1 }));
}

test('many share few commits, each of which has a bounded number of them', async (context) => {
  const { store, commits } = countedStore(context);
  const count = 2 * tuning.sharedSetsMax + 1;
  const worlds = Array.from({ length: count }, (_, index) => unstored(store, `world_${String(index).padStart(12, '0')}`));
  commits.made = 0;
  await Promise.all(worlds.map((world) => store.commitMade(world, {})));
  assert.equal(commits.made, 3);
  assert.ok(worlds.every(({ worldId }) => store.hasWorld(worldId)));
  commits.made = 0;
  const deleted = await Promise.all(worlds.map(({ worldId }) => store.deleteWorld(worldId)));
  assert.equal(commits.made, 3);
  assert.deepEqual(deleted, Array(count).fill(true));
  assert.ok(worlds.every(({ worldId }) => !store.hasWorld(worldId)));
});

// SHARED-COMMIT-1
test('a deletion shares the commit of the actors, and nothing of the world itself is committed after it', async (context) => {
  const { store, commits } = countedStore(context);
  const [leaving, staying] = [newWorld(store), newWorld(store)];
  put(leaving, 'a');
  put(staying, 'a');
  const deletion = store.deleteWorld(leaving.worldId);
  commits.made = 0;
  const refusals = store.commit([leaving.takeWriteSet({}) as never, staying.takeWriteSet({}) as never]);
  assert.deepEqual(
    refusals.map((error) => (error as { code?: string } | undefined)?.code),
    ['world.ACTOR_RESTARTED', undefined],
  );
  assert.equal(await deletion, true);
  assert.equal(commits.made, 1);
  assert.deepEqual([store.hasWorld(leaving.worldId), store.hasWorld(staying.worldId)], [false, true]);
});

// SHARED-COMMIT-2
test('what is asked of one world is done in order: made twice, deleted twice', async (context) => {
  const { store } = countedStore(context);
  const worldId = 'world_0000000twice';
  const [first, second] = [unstored(store, worldId), unstored(store, worldId)];
  const asked = [
    store.commitMade(first, {}),
    store.commitMade(second, {}),
    store.deleteWorld(worldId),
    store.deleteWorld(worldId),
    store.deleteWorld('world_00000unknown'),
  ];
  const results = await Promise.allSettled(asked);
  const told = results.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as { code: string }).code));
  assert.deepEqual(told, [undefined, 'control.STATE_CONFLICT', true, false, false]);
});

test('a store that closes commits what waits, and one that is lost refuses it', async (context) => {
  const { store } = countedStore(context);
  const [one, other] = [newWorld(store), newWorld(store)];
  const refused = store.deleteWorld(one.worldId);
  store.lose();
  await assert.rejects(refused, { code: 'world.ACTOR_RESTARTED' });
  assert.equal(store.hasWorld(one.worldId), true);
  const deleted = store.deleteWorld(other.worldId);
  await store.close();
  assert.equal(await deleted, true);
});
