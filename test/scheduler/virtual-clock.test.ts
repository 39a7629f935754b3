import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../src/scheduler/virtual-clock.js';
import fc from '../fast-check.js';

// VIRTUAL-CLOCK-1
test('the clock follows the largest time it was moved to, and never goes back', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.array(fc.maxSafeInteger()), (startUs, times) => {
      const clock = new VirtualClock(startUs);
      let latest = startUs;
      for (const atUs of times) {
        assert.equal(clock.notBeforeNow(atUs), Math.max(latest, atUs));
        if (atUs < latest) assert.throws(() => clock.advanceTo(atUs), /never goes back/);
        else assert.equal(clock.advanceTo(atUs), atUs > latest);
        latest = Math.max(latest, atUs);
        assert.equal(clock.nowUs, latest);
      }
    }),
  );
});

test('virtual time is a safe integer', () => {
  for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    assert.throws(() => new VirtualClock(wrong), /invariant broken/);
    assert.throws(() => new VirtualClock(0).advanceTo(wrong), /invariant broken/);
  }
});
