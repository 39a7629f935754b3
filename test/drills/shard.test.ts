import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInShard, parseShard, shardText } from '../../src/drills/plan/shard.js';
import fc from '../fast-check.js';

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 40 });
const homeOf = (drillId: string, count: number): number[] =>
  Array.from({ length: count }, (_, index) => index + 1).filter((index) => isInShard(drillId, { index, count }));

// SHARD-1
test('every drill falls to exactly one shard of a count', () => {
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 20 }), (drills, count) => {
      for (const drill of drills) assert.equal(homeOf(drill, count).length, 1);
    }),
  );
});

// SHARD-2
test('one more shard takes drills from the others, and moves none between them', () => {
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 12 }), (drills, count) => {
      for (const drill of drills) {
        const [before, after] = [homeOf(drill, count)[0], homeOf(drill, count + 1)[0]];
        assert.ok(after === before || after === count + 1);
      }
    }),
  );
});

// SHARD-2
test('many drills are spread over all shards, and where one goes is the same in every version', () => {
  const drills = Array.from({ length: 400 }, (_, index) => `drill-${index}`);
  const sizes = [1, 2, 3, 4].map((index) => drills.filter((drill) => isInShard(drill, { index, count: 4 })).length);
  assert.ok(Math.min(...sizes) > 70 && Math.max(...sizes) < 130, sizes.join(' '));
  assert.deepEqual(
    ['refund', 'first-ticket', 'drill-0'].map((drill) => homeOf(drill, 4)[0]),
    [4, 2, 1],
  );
});

test('a shard is written i/n', () => {
  assert.deepEqual(parseShard('2/3'), { index: 2, count: 3 });
  assert.equal(shardText({ index: 2, count: 3 }), '2/3');
  for (const text of ['', '1', '0/2', '3/2', '1/0', '-1/2', '1.5/2', '1/2/3', ' 1/2', '1/1001', 'a/b'])
    assert.equal(parseShard(text), undefined, text);
});
