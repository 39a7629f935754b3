// Sweeps: one after the other, whatever one of them meets, until they are stopped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sweeper } from '../../src/control/sweeper.js';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const settle = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await Promise.resolve();
};

test('never two at once, a failing one does not stop the next, and stopping waits for what runs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const seen: string[] = [];
  let go = () => {};
  const slow = (): Promise<void> => {
    seen.push('slow');
    return new Promise((resolve) => (go = resolve));
  };
  const failing = async (): Promise<void> => {
    seen.push('failing');
    throw new Error('not now');
  };
  const sweeper = new Sweeper({ everyMs: 1000 }, quiet, [failing, slow]);
  t.mock.timers.tick(1000);
  await settle();
  t.mock.timers.tick(3000);
  await settle();
  assert.deepEqual(seen, ['failing', 'slow']);
  go();
  await settle();
  t.mock.timers.tick(1000);
  await settle();
  assert.deepEqual(seen, ['failing', 'slow', 'failing', 'slow']);
  let stopped = false;
  const stopping = sweeper.stop().then(() => (stopped = true));
  await settle();
  assert.equal(stopped, false);
  go();
  await stopping;
  t.mock.timers.tick(5000);
  await settle();
  assert.equal(seen.length, 4);
});
