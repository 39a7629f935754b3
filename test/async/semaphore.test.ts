import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from '../../src/async/semaphore.js';

test('so many at once, the others in order, and a failure gives its place back', async () => {
  const gate = new Semaphore(2);
  const order: number[] = [];
  let inside = 0;
  let most = 0;
  const results = await Promise.allSettled(
    [1, 2, 3, 4, 5, 6].map((index) =>
      gate.run(async () => {
        order.push(index);
        most = Math.max(most, ++inside);
        await new Promise(setImmediate);
        inside -= 1;
        if (index % 2 === 0) throw new Error('no');
        return index;
      }),
    ),
  );
  assert.equal(most, 2);
  assert.deepEqual(order, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    [true, false, true, false, true, false],
  );
});
