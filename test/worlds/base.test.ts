import assert from 'node:assert/strict';
import test from 'node:test';
import type { StatePatch } from '../../src/contract/world/scenario.js';
import { decodeBase, prepareBase } from '../../src/worlds/state/base.js';
import fc from '../fast-check.js';
import { allRows, finish, never, newWorld, temporaryStore } from './storage-kit.js';

const slug = fc.constantFrom('a', 'b', 'desk', 'desk-2');
const patch: fc.Arbitrary<StatePatch> = fc.record({
  action: fc.constantFrom('upsert' as const, 'upsert' as const, 'delete' as const),
  packageId: slug,
  instanceId: fc.option(slug, { nil: undefined }),
  namespace: slug,
  rowId: fc.constantFrom('1', '2', '10', 'é', '𝒳', '\uffff'),
  value: fc.record({ n: fc.nat(), text: fc.string({ unit: 'grapheme' }) }, { noNullPrototype: true }),
}) as fc.Arbitrary<never>;

test('the base is the patches applied in order, spaces and rows sorted', () => {
  fc.assert(
    fc.property(fc.array(patch, { maxLength: 20 }), (patches) => {
      const model = new Map<string, Map<string, unknown>>();
      for (const { packageId, instanceId = packageId, namespace, rowId, ...rest } of patches) {
        const key = JSON.stringify([packageId, instanceId, namespace]);
        const rows = model.get(key) ?? new Map();
        if (rest.action === 'upsert') rows.set(rowId, rest.value);
        else rows.delete(rowId);
        model.set(key, rows);
      }
      const base = decodeBase(prepareBase(patches), (text) => JSON.parse(text));
      const compare = (a: unknown, b: unknown) => ((a as string) < (b as string) ? -1 : 1);
      const expected = [...model]
        .filter(([, rows]) => rows.size > 0)
        .map(([key, rows]) => [JSON.parse(key), [...rows].sort(([a], [b]) => compare(a, b))]);
      expected.sort(([a], [b]) => compare(a.join('\0'), b.join('\0')));
      const found = base.spaces.map((space) => [
        [space.packageId, space.instanceId, space.namespace],
        space.ids.map((id) => [id, space.value(id)]),
      ]);
      assert.deepEqual(found, expected);
    }),
  );
});

test('its digest is that of a world that holds nothing else', (context) => {
  const store = temporaryStore(context);
  fc.assert(
    fc.property(fc.array(patch, { maxLength: 20 }), (patches) => {
      const world = newWorld(store, patches);
      assert.equal(store.baseStateHash(world.programKey), finish(world.records.stateHash(never)));
      const other = newWorld(store);
      other.beginTurn();
      for (const [space, rows] of Object.entries(allRows(world.records))) {
        const [packageId, instanceId, namespace] = space.split('/') as [string, string, string];
        for (const [rowId, value] of Object.entries(rows)) {
          other.records.put(
            other.records.space(packageId, instanceId, namespace),
            rowId,
            value,
            world.records.text(world.records.space(packageId, instanceId, namespace), rowId) as string,
          );
        }
      }
      other.endTurn({ virtualTimeUs: 0, correlationOrdinal: 0 });
      assert.equal(finish(other.records.stateHash(never)), store.baseStateHash(world.programKey));
    }),
    { numRuns: 40 },
  );
});
