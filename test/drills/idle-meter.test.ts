import assert from 'node:assert/strict';
import { availableParallelism, cpus } from 'node:os';
import { test } from 'node:test';
import { idleMeter } from '../../src/drills/idle-meter.js';

const lookMs = 50;

/** Yields what a meter says of a stretch in which the process had so much of the processors, waited for so much, and so much was free. */
function meterOf({ own, waited, free }: { own: number; waited: number | undefined; free: number }): boolean[] {
  let looks = 0;
  const processorsMs = () => looks * lookMs * availableParallelism();
  const isIdle = idleMeter({
    read: () => ({
      atMs: looks * lookMs,
      loopActiveMs: 0,
      usedMs: own * processorsMs(),
      machineIdleMs: free * looks * lookMs * cpus().length,
    }),
    waitedMs: () => (waited === undefined ? undefined : waited * processorsMs()),
  });
  return [1, 2, 3].map(() => {
    looks += 1;
    return isIdle();
  });
}
const always = (idle: boolean): boolean[] => [idle, idle, idle];

test('a process that waits for something else is idle, on a quiet machine and on a busy one', () => {
  assert.deepEqual(meterOf({ own: 0.02, waited: 0.01, free: 0.9 }), always(true));
  assert.deepEqual(meterOf({ own: 0.02, waited: 0.05, free: 0 }), always(true));
  assert.deepEqual(meterOf({ own: 0.5, waited: 0.02, free: 0.45 }), always(true));
});

test('a process that has the processors is not idle', () => {
  assert.deepEqual(meterOf({ own: 0.8, waited: 0, free: 0.2 }), always(false));
});

// IDLE-METER-1
test('a process that others keep from the processors is not idle', () => {
  assert.deepEqual(meterOf({ own: 0.15, waited: 0.9, free: 0 }), always(false));
});

test('where the system does not say who waits, what the process has of the processors decides', () => {
  assert.deepEqual(meterOf({ own: 0.15, waited: undefined, free: 0 }), always(true));
});
