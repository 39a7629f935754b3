import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { RestartBudget } from '../../src/actors/restart-budget.js';

test('so many ends in a window are allowed, and the count restarts after one too many', () => {
  const budget = new RestartBudget({ max: 2, windowMs: 100, coolDownMs: 0 });
  deepEqual(
    [0, 50, 99, 100, 110, 300].map((nowMs) => budget.spend(nowMs)),
    [true, true, false, true, true, true],
  );
});

test('ends that lie further apart than the window never add up', () => {
  const budget = new RestartBudget({ max: 1, windowMs: 100, coolDownMs: 0 });
  deepEqual(
    [0, 100, 200, 299].map((nowMs) => budget.spend(nowMs)),
    [true, true, true, false],
  );
});
