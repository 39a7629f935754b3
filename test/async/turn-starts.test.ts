import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TurnStarts } from '../../src/async/turn-starts.js';

test('a few begin at once; of many the rest begins in order, after what the turn has deferred', async () => {
  const starts = new TurnStarts({ atOnceMax: 2 });
  const seen: string[] = [];
  const allStarted = new Promise<void>((resolve) => {
    for (const name of ['a', 'b', 'c', 'd']) starts.add(() => seen.push(name));
    starts.add(resolve);
  });
  assert.deepEqual(seen, ['a', 'b']);
  setImmediate(() => seen.push('a reply'));
  await allStarted;
  assert.deepEqual(seen, ['a', 'b', 'a reply', 'c', 'd']);
  await nextTurn();
  starts.add(() => seen.push('e'));
  assert.equal(seen.at(-1), 'e', 'of another turn');
});

test('none begins before one that came earlier and waits', async () => {
  const starts = new TurnStarts({ atOnceMax: 1 });
  const seen: number[] = [];
  const started = new Promise<void>((resolve) => {
    for (let n = 1; n <= 3; n++) starts.add(() => seen.push(n));
    setImmediate(() => starts.add(() => resolve(void seen.push(4))));
  });
  await started;
  assert.deepEqual(seen, [1, 2, 3, 4]);
});
