import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruMap } from '../../src/collections/lru-map.js';
import fc from '../fast-check.js';

test('what was used longest ago goes first, by reading or writing', () => {
  const gone: string[] = [];
  const map = new LruMap<string, number>({ entriesMax: 2, onEvicted: (key, value) => gone.push(`${key} ${value}`) });
  map.set('a', 1);
  map.set('b', 2);
  assert.equal(map.get('a'), 1);
  map.set('c', 3);
  assert.deepEqual([...map.keys()], ['a', 'c']);
  map.set('a', 4);
  map.set('d', 5);
  assert.deepEqual([...map.keys()], ['a', 'd']);
  assert.deepEqual(gone, ['b 2', 'c 3']);
});

test('a look leaves the order as it is, and what is deleted is not reported as evicted', () => {
  const gone: string[] = [];
  const map = new LruMap<string, number>({ entriesMax: 2, onEvicted: (key) => gone.push(key) });
  map.set('a', 1);
  map.set('b', 2);
  assert.equal(map.peek('a'), 1);
  map.set('c', 3);
  assert.deepEqual([...map.keys()], ['b', 'c']);
  assert.equal(map.delete('b'), true);
  assert.equal(map.delete('b'), false);
  map.clear();
  assert.deepEqual([...map.keys()], []);
  assert.deepEqual(gone, ['a']);
});

test('an entry is made once while it is kept, and not kept where its making throws', () => {
  const map = new LruMap<string, number>({ entriesMax: 1 });
  let made = 0;
  const make = (): number => ++made;
  assert.equal(map.getOrMake('a', make), 1);
  assert.equal(map.getOrMake('a', make), 1);
  assert.throws(() =>
    map.getOrMake('b', () => {
      throw new Error('no');
    }),
  );
  assert.deepEqual([...map.keys()], ['a']);
  assert.equal(map.getOrMake('b', make), 2);
  assert.equal(map.getOrMake('a', make), 3);
});

test('an entry heavier than the bound alone is not kept', () => {
  const map = new LruMap<string, number>({ entriesMax: 9, weightMax: 10 });
  map.set('a', 1, 4);
  map.set('b', 2, 11);
  assert.deepEqual([...map.keys()], []);
  map.set('c', 3, 10);
  assert.deepEqual([...map.keys()], ['c']);
});

test('any sequence of steps keeps to the bounds and to the order of a list', () => {
  const step = fc.record({ kind: fc.constantFrom('get', 'peek', 'set', 'delete'), key: fc.nat(6), weight: fc.nat(5) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const bounds = { entriesMax: 4, weightMax: 9 };
      const map = new LruMap<number, string>(bounds);
      let list: { key: number; value: string; weight: number }[] = [];
      const weightOf = (): number => list.reduce((sum, { weight }) => sum + weight, 0);
      for (const [index, { kind, key, weight }] of steps.entries()) {
        const known = list.find((entry) => entry.key === key);
        const others = list.filter((entry) => entry.key !== key);
        if (kind === 'get') {
          assert.equal(map.get(key), known?.value);
          if (known !== undefined) list = [...others, known];
        } else if (kind === 'peek') assert.equal(map.peek(key), known?.value);
        else if (kind === 'delete') {
          assert.equal(map.delete(key), known !== undefined);
          list = others;
        } else {
          map.set(key, `value ${index}`, weight);
          list = [...others, { key, value: `value ${index}`, weight }];
          while (list.length > bounds.entriesMax || weightOf() > bounds.weightMax) list.shift();
        }
        assert.deepEqual(
          [...map.keys()],
          list.map((entry) => entry.key),
        );
      }
    }),
  );
});
