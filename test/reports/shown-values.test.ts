// Durations and rates as people read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trialStatistics } from '../../src/drills/plan/statistics.js';
import { hostDuration, rateText } from '../../src/reports/shown-values.js';

test('a minute has sixty seconds, and no minute has a sixtieth', () => {
  assert.deepEqual([999, 1000, 59_949, 59_950, 119_900, 125_400].map(hostDuration), [
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '2 min 0 s',
    '2 min 5 s',
  ]);
});

test('what is not certain is never shown as 0 or 100', () => {
  const shown = (trials: number, passed: number) => rateText(trialStatistics({ trials, passed }));
  assert.equal(shown(10_000, 10_000), '100 % (95 % interval 99.9 to 100 %)');
  assert.equal(shown(10_000, 9_999), '99.9 % (95 % interval 99.9 to 99.9 %)');
  assert.equal(shown(10_000, 1), '0.1 % (95 % interval 0.1 to 0.1 %)');
  assert.equal(shown(4, 3), '75 % (95 % interval 19.4 to 99.4 %)');
  assert.equal(shown(2, 0), '0 % (95 % interval 0 to 84.2 %)');
});
