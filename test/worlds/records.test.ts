import assert from 'node:assert/strict';
import test from 'node:test';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import type { JsonObject } from '../../src/contract/json.js';
import type { WorldState } from '../../src/worlds/state/world-state.js';
import fc from '../fast-check.js';
import { allRows, commitNow, finish, never, newWorld, putRow, temporaryStore, turn, upsert } from './storage-kit.js';

const tickets = (world: WorldState) => world.records.space('desk', 'desk', 'tickets');
const stateHash = (world: WorldState) => finish(world.records.stateHash(never));
const reload = (world: WorldState) => {
  commitNow(world, {});
  return storeOf(world).loadWorld(world.worldId, 1) as WorldState;
};
const stores = new WeakMap<WorldState, ReturnType<typeof temporaryStore>>();
const storeOf = (world: WorldState) => stores.get(world) as ReturnType<typeof temporaryStore>;

const rowId = fc.oneof(
  fc.constantFrom('a', 'b', 'row-1', 'row-10', 'row-2', '\uffff', '𝒳', 'é', '10', '__proto__'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
);
const change = fc.record({ rowId, value: fc.option(fc.nat({ max: 9 })), keep: fc.boolean(), commit: fc.boolean() });

// SPACE-1, SPACE-2, SPACE-3, RECORDS-1
test('reads, scans, counts and hashes are those of a sorted map, wherever a row lies: base, layer, memory', (context) => {
  const store = temporaryStore(context);
  fc.assert(
    fc.property(
      fc.uniqueArray(rowId, { maxLength: 6 }),
      fc.array(change, { maxLength: 25 }),
      fc.nat({ max: 4 }),
      rowId,
      (base, changes, limit, after) => {
        let world = newWorld(
          store,
          base.map((id) => upsert(id, { from: 'base', id })),
        );
        const model = new Map<string, JsonObject>(base.map((id) => [id, { from: 'base', id }]));
        changes.forEach(({ rowId: id, value, keep, commit }, step) => {
          const space = tickets(world);
          turn(world, step, () => {
            if (value === null) assert.equal(world.records.delete(space, id), model.has(id));
            else putRow(world, space, id, { value });
            if (!keep) world.rollbackEffects();
          });
          if (keep && value === null) model.delete(id);
          else if (keep && value !== null) model.set(id, { value });
          if (commit) {
            commitNow(world, {});
            world = store.loadWorld(world.worldId, 1) as WorldState;
          }
          if (step % 3 === 0) stateHash(world);
          const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, value]) => ({ rowId: id, value }));
          assert.deepEqual(world.records.scan(tickets(world), { limit: 1000 }), sorted);
          assert.deepEqual(
            world.records.scan(tickets(world), { afterRowId: after, limit }),
            sorted.filter(({ rowId: id }) => id > after).slice(0, limit),
          );
          assert.equal(world.records.count(tickets(world)), model.size);
          assert.deepEqual(world.records.get(tickets(world), id), model.get(id));
          assert.equal(world.records.text(tickets(world), id), model.has(id) ? canonicalJson(model.get(id) as JsonObject) : undefined);
        });
        const fresh = newWorld(
          store,
          [...model].map(([id, value]) => upsert(id, value)),
        );
        assert.equal(stateHash(world), stateHash(fresh));
      },
    ),
    { numRuns: 120, includeErrorInReport: true },
  );
});

test('more rows than are kept in memory', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store, [upsert('base', { n: 0 })]);
  stores.set(world, store);
  const pad = 'x'.repeat(1024 * 1024);
  for (let row = 0; row < 40; row++) {
    turn(world, row, () => putRow(world, tickets(world), `row-${String(row).padStart(2, '0')}`, { row, pad }));
    if (row % 5 === 4) commitNow(world, {});
    if (row === 20) stateHash(world);
  }
  turn(world, 0, () => world.records.delete(tickets(world), 'row-07'));
  commitNow(world, {});
  const ids = Array.from({ length: 40 }, (_, row) => `row-${String(row).padStart(2, '0')}`).filter((id) => id !== 'row-07');
  assert.deepEqual(
    world.records.scan(tickets(world), { limit: 100 }).map((row) => row.rowId),
    ['base', ...ids],
  );
  assert.equal(world.records.get(tickets(world), 'row-03')?.row, 3);
  assert.equal(stateHash(world), stateHash(reload(world)));
});

test('values are deeply frozen, and parsed the way the host says', (context) => {
  let parsed = 0;
  const store = temporaryStore(context, {
    parseRow: (text) => {
      parsed++;
      return Object.freeze(JSON.parse(text));
    },
  });
  const state = [upsert('a', { n: 1 })];
  const [first, second] = [newWorld(store, state), newWorld(store, state)];
  assert.equal(first.records.get(tickets(first), 'a'), second.records.get(tickets(second), 'a'), 'the base is shared');
  assert.equal(parsed, 1);
  const plain = newWorld(temporaryStore(context), [upsert('a', { deep: { list: [{}] } })]);
  const deep = (plain.records.get(tickets(plain), 'a') as { deep: { list: object[] } }).deep;
  assert.ok([deep, deep.list, deep.list[0]].every(Object.isFrozen));
});

test('a package goes back to the origin by entries, and by nothing where nothing differs', (context) => {
  const store = temporaryStore(context);
  const world = newWorld(store, [upsert('a', { n: 1 }), upsert('b', { n: 2 }), upsert('c', { n: 3 })]);
  const origin = allRows(world.records);
  const other = world.records.space('other', 'other', 'things');
  turn(world, 1, () => {
    putRow(world, tickets(world), 'a', { n: 9 });
    putRow(world, tickets(world), 'd', { n: 4 });
    world.records.delete(tickets(world), 'b');
    putRow(world, other, 'x', { n: 1 });
    putRow(world, world.records.space('desk', 'second', 'tickets'), 'y', { n: 1 });
  });
  commitNow(world, {});
  const before = world.journal.sequence;
  turn(world, 2, () => world.resetPackage('desk'));
  assert.deepEqual(allRows(world.records), { ...origin, 'other/other/things': { x: { n: 1 } } });
  const entries = world.journal
    .read(before + 1, 100)
    .map((entry) => (entry.kind === 'state_change' ? `${entry.change} ${entry.rowId}` : entry.kind));
  assert.deepEqual(entries, ['update a', 'insert b', 'delete d', 'delete y']);
  turn(world, 3, () => world.resetPackage('desk'));
  assert.equal(world.journal.sequence, before + 4);
});
