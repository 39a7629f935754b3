// Silence, on a clock that the test moves.
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { Heartbeat } from '../../src/actors/heartbeat.js';
import { limits } from '../../src/contract/limits.js';

const every = limits.hostHeartbeatMs;

function open() {
  const seen = { asks: 0 };
  const clock = { nowMs: 0 };
  const heartbeat = new Heartbeat(() => void seen.asks++, clock.nowMs);
  const look = (afterMs: number, { notCountedMs = 0, isAtRest = true } = {}): number => {
    clock.nowMs += afterMs;
    return heartbeat.look({ notCountedMs, isAtRest, nowMs: clock.nowMs });
  };
  return { seen, heartbeat, look, hear: () => heartbeat.heard(clock.nowMs) };
}

// HEARTBEAT-1
test('it is asked once nothing was heard for a while, once; silence is counted from then on, and ends with whatever is heard', () => {
  const { seen, heartbeat, look, hear } = open();
  hear();
  equal(look(every - 1), 0);
  equal(seen.asks, 0);
  equal(look(1), 0);
  equal(seen.asks, 1);
  ok(heartbeat.isMissing);
  equal(look(700), 700);
  equal(look(400), 1_100);
  equal(seen.asks, 1);
  hear();
  ok(!heartbeat.isMissing);
  equal(look(every - 1), 0);
  equal(seen.asks, 1);
});

// HEARTBEAT-1
test('while something runs there is no silence, and nothing is asked', () => {
  const { seen, look } = open();
  equal(look(10 * every, { isAtRest: false }), 0);
  equal(seen.asks, 0);
  look(0);
  equal(look(900), 900);
  equal(look(100, { isAtRest: false }), 0);
  equal(look(50), 50);
});

// HEARTBEAT-2
test('of a look that comes late only the rest is counted', () => {
  const { look } = open();
  look(every);
  equal(look(60_100, { notCountedMs: 60_000 }), 100);
  equal(look(100), 200);
});

test('one that was never heard may still start: it is not missing', () => {
  const { heartbeat, look } = open();
  look(every);
  look(10 * every);
  ok(!heartbeat.isMissing);
});
