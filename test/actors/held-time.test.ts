// How long tool code holds a host, on a clock and an account that the test moves.
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { HeldTime } from '../../src/actors/held-time.js';
import { limits } from '../../src/contract/limits.js';
import type { ProcessorTime } from '../../src/processes/processor-wait.js';

function heldTime(time: { ranMs: number; waitedMs: number } | undefined) {
  const clock = { nowMs: 1000, reads: 0 };
  const read = (): ProcessorTime | undefined => {
    clock.reads++;
    return time === undefined ? undefined : { ...time };
  };
  const held = new HeldTime(read, () => clock.nowMs);
  const look = (isHeld: boolean, { ranMs = 0, sinceMs = 125 } = {}): number => {
    clock.nowMs += sinceMs;
    if (time !== undefined) time.ranMs += ranMs;
    return held.look(isHeld);
  };
  return { held, look, clock };
}

// HELD-TIME-1
test('a host that waits for a processor is not held, however long its step takes; one that runs is', () => {
  const starved = heldTime({ ranMs: 70, waitedMs: 0 });
  for (let looks = 0; looks < 200; looks++) starved.look(true, { ranMs: 0.5 });
  equal(starved.held.yields, false);
  const running = heldTime({ ranMs: 70, waitedMs: 0 });
  const counted: number[] = [];
  for (let looks = 0; looks < 6; looks++) counted.push(running.look(true, { ranMs: 125 }));
  deepEqual(counted, [0, 125, 125, 125, 125, 125]);
  equal(running.held.yields, true);
  // Threads of its own beside the one of the tool code make it no more than the time that has passed.
  equal(running.look(true, { ranMs: 400 }), 125);
});

// HELD-TIME-2
test('what runs until the look after the last one of a hold is counted; without a hold nothing is read', () => {
  const { look, clock } = heldTime({ ranMs: 0, waitedMs: 0 });
  look(true, { ranMs: 90 });
  equal(look(false, { ranMs: 60 }), 60);
  const { reads } = clock;
  equal(look(false, { ranMs: 60 }), 0);
  equal(clock.reads, reads);
});

test('without an account all of the time of a hold counts, up to a bound, and drains while there is none', () => {
  const { held, look } = heldTime(undefined);
  equal(look(true, { sinceMs: 100 * limits.heldWaitMsMax }), 100 * limits.heldWaitMsMax);
  equal(held.yields, true);
  look(false, { sinceMs: (limits.heldWaitMsMax - limits.heldFreeMs) / limits.heldShare - 1 });
  equal(held.yields, true);
  look(false, { sinceMs: 2 });
  equal(held.yields, false);
});
