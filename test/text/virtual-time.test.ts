import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock, virtualDuration, virtualOffset } from '../../src/text/virtual-time.js';

test('a length is reported in its two largest units', () => {
  const cases: [number, string][] = [
    [0, '0 s'],
    [350, '350 µs'],
    [1_500, '1 ms 500 µs'],
    [90_000_000, '1 min 30 s'],
    [2 * 86_400_000_000 + 5_000_000, '2 d 5 s'],
    [3 * 86_400_000_000 + 3_600_000_000 + 60_000_000, '3 d 1 h'],
    [-1_000_000, '-1 s'],
  ];
  for (const [us, text] of cases) assert.equal(virtualDuration(us), text);
});

test('a point is a date where it can be one, else the length since zero', () => {
  assert.equal(virtualClock(1_772_442_000_000_000), '2026-03-02 09:00:00');
  assert.equal(virtualClock(1_772_442_000_250_000), '2026-03-02 09:00:00.250');
  assert.equal(virtualClock(1_772_442_000_250_007), '2026-03-02 09:00:00.250007');
  assert.equal(virtualClock(60_000_000), '1 min');
  assert.equal(virtualClock(Number.MAX_SAFE_INTEGER), '2255-06-05 23:47:34.740991');
  assert.equal(virtualClock(-Number.MAX_SAFE_INTEGER), '1684-07-28 00:12:25.259009');
});

test('an offset is reported in full', () => {
  assert.equal(virtualOffset(0), '00:00:00');
  assert.equal(virtualOffset(90_000_000), '00:01:30');
  assert.equal(virtualOffset(2 * 86_400_000_000 + 10_800_250_000), '2 d 03:00:00.250');
  assert.equal(virtualOffset(7), '00:00:00.000007');
  assert.equal(virtualOffset(-1_000_000), '-00:00:01');
});
