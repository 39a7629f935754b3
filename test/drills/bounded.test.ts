import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachBounded } from '../../src/drills/bounded.js';

const items = Array.from({ length: 20 }, (_, index) => index);
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('everything is done once, and in a lane one thing at a time', async () => {
  const done: number[] = [];
  const busy = new Set<number>();
  await forEachBounded(items, 3, async (item, lane) => {
    assert.ok(lane >= 0 && lane < 3 && !busy.has(lane));
    busy.add(lane);
    await turn();
    busy.delete(lane);
    done.push(item);
  });
  assert.deepEqual(
    done.sort((one, other) => one - other),
    items,
  );
});

test('after a failure nothing further starts, and it is told when what runs has ended', async () => {
  const started: number[] = [];
  let ended = 0;
  const work = async (item: number): Promise<void> => {
    started.push(item);
    if (item === 1) throw new Error('the second');
    await turn();
    ended++;
  };
  await assert.rejects(forEachBounded(items, 2, work), /the second/);
  assert.deepEqual([started, ended], [[0, 1], 1]);
});
