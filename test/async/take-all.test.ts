import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeAll } from '../../src/async/take-all.js';

test('each step is taken after the one before has ended, whatever became of it; the first failure is said', async () => {
  const taken: number[] = [];
  const step = (number: number, message?: string) => async (): Promise<void> => {
    taken.push(number);
    await new Promise(setImmediate);
    taken.push(-number);
    if (message !== undefined) throw new Error(message);
  };
  const thrower = (): never => {
    throw new Error('at once');
  };
  await assert.rejects(takeAll([step(1), step(2, 'first'), thrower, step(3, 'second'), step(4)]), /first/);
  assert.deepEqual(taken, [1, -1, 2, -2, 3, -3, 4, -4]);
  await takeAll([step(5)]);
});
