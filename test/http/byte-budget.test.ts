import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from '../../src/http/byte-budget.js';

const bounds = { ownerBytesMax: 10, totalBytesMax: 15, waitingMax: 3, waitMsMax: 60_000 };

// BYTE-BUDGET-1
test('bytes are released once, and what is over is resized no more', () => {
  const budget = new ByteBudget(bounds);
  const [first, second] = [budget.take('a', 6), budget.take('b', 4)];
  first.resize(8);
  assert.equal(budget.totalBytes, 12);
  first.release();
  first.release();
  first.resize(9);
  assert.equal(budget.totalBytes, 4);
  second.release();
  assert.equal(budget.totalBytes, 0);
});

// BYTE-BUDGET-2
test('those who wait are served in order, past one whose organization has too much under way', async () => {
  const budget = new ByteBudget(bounds);
  const [of, other] = [budget.take('a', 8), budget.take('b', 7)];
  const served: string[] = [];
  const waiting = ['a', 'b', 'b'].map(async (owner, index) => {
    const held = await budget.whenFree(owner, 3);
    served.push(`${owner}${index}`);
    return held;
  });
  assert.throws(() => budget.whenFree('c', 1), { code: 'control.UNAVAILABLE' });
  other.release();
  const [, second, third] = waiting;
  const held = await Promise.all([second, third]);
  assert.deepEqual(served, ['b1', 'b2']);
  assert.throws(() => budget.take('a', 3), { code: 'control.RATE_LIMITED' });
  of.release();
  await waiting[0];
  assert.deepEqual(served, ['b1', 'b2', 'a0']);
  for (const one of held) one?.release();
  (await waiting[0])?.release();
  assert.equal(budget.totalBytes, 0);
});
