import assert from 'node:assert/strict';
import test from 'node:test';
import { KvView } from '../../src/worlds/kv/view.js';
import { WriteSet } from '../../src/worlds/kv/write-set.js';
import fc from '../fast-check.js';
import { temporaryStore } from './storage-kit.js';

const key = fc.uint8Array({ minLength: 1, maxLength: 2 }).map((bytes) => Buffer.from([200, ...bytes.map((byte) => byte % 4)]));
const entry = fc.record({ key, value: fc.option(fc.nat({ max: 9 })) });

// WORLD-STATE-3
test('a view shows before the commit what the store shows after it', (context) => {
  const { store } = temporaryStore(context);
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), fc.array(entry, { maxLength: 8 }), key, key, (stored, gathered, start, end) => {
      const clear = [...store.keys({ start: Buffer.from([200]), end: Buffer.from([201]) })];
      const commit = (entries: { key: Buffer; value: number | null }[]) => {
        const set = new WriteSet(`world_${Math.abs(fc.hash(JSON.stringify(entries)))}`, undefined);
        for (const each of entries) each.value === null ? set.remove(each.key) : set.put(each.key, Buffer.from([each.value]));
        assert.deepEqual(store.commit([set]), [undefined]);
        return set;
      };
      commit([...clear.map((old) => ({ key: old, value: null })), ...stored]);
      const view = new KvView(store);
      const pending = new WriteSet('world_pending', undefined);
      for (const each of gathered) each.value === null ? pending.remove(each.key) : pending.put(each.key, Buffer.from([each.value]));
      view.show(pending, 0);
      const shown = { entries: [...view.range({ start, end })], keys: [...view.keys({ start, end })], one: view.get(start) };
      assert.deepEqual(new KvView(store, view).get(start), shown.one);
      commit(gathered);
      view.settled();
      assert.deepEqual(shown, { entries: [...store.range({ start, end })], keys: [...store.keys({ start, end })], one: store.get(start) });
      assert.deepEqual([...view.range({ start, end })], shown.entries);
    }),
    { numRuns: 80, includeErrorInReport: true },
  );
});
