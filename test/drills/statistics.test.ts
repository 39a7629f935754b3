// The estimators against published numbers and against their definitions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clopperPearson, passAtK, passHatK, trialStatistics } from '../../src/drills/plan/statistics.js';
import { firstAttemptStatistics } from '../../src/drills/plan/trials.js';
import fc from '../fast-check.js';

const isNear = (actual: number, wanted: number, within = 5e-8): void =>
  assert.ok(Math.abs(actual - wanted) <= within, `${actual} is not ${wanted}`);

test('Clopper-Pearson gives the published intervals', () => {
  // The first is Mendel's peas, Conover (1971), as in the documentation of R's binom.test; the others are what binom.test prints.
  const published: [passed: number, trials: number, low: number, high: number][] = [
    [682, 925, 0.7076683, 0.7654066],
    [0, 10, 0, 0.3084971],
    [1, 10, 0.0025286, 0.4450161],
    [5, 10, 0.187086, 0.812914],
    [10, 10, 0.6915029, 1],
  ];
  for (const [passed, trials, low, high] of published) {
    const interval = clopperPearson({ trials, passed });
    isNear(interval.low, low);
    isNear(interval.high, high);
  }
});

test('the interval holds the true rate at least as often as it says', () => {
  const trials = 12;
  const intervals = Array.from({ length: trials + 1 }, (_, passed) => clopperPearson({ trials, passed }));
  const choose = (k: number): number =>
    Array.from({ length: k }, (_, i) => (trials - i) / (i + 1)).reduce((product, factor) => product * factor, 1);
  for (let rate = 0.01; rate < 1; rate += 0.01) {
    let covered = 0;
    for (const [passed, { low, high }] of intervals.entries()) {
      if (low <= rate && rate <= high) covered += choose(passed) * rate ** passed * (1 - rate) ** (trials - passed);
    }
    assert.ok(covered >= 0.95, `${covered} at ${rate}`);
  }
});

test('the interval of ten thousand trials is narrow, and of none passed it is what a formula says', () => {
  const { low, high } = clopperPearson({ trials: 10_000, passed: 9_900 });
  assert.ok(low > 0.9875 && low < 0.99 && high > 0.99 && high < 0.992);
  for (const trials of [1, 3, 20, 10_000]) isNear(clopperPearson({ trials, passed: 0 }).high, 1 - 0.025 ** (1 / trials), 1e-12);
});

const sample = fc
  .integer({ min: 1, max: 9 })
  .chain((trials) => fc.record({ trials: fc.constant(trials), passed: fc.nat(trials), k: fc.integer({ min: 1, max: trials }) }));

test('pass@k and pass^k are the shares of all choices of k trials', () => {
  fc.assert(
    fc.property(sample, ({ trials, passed, k }) => {
      let [choices, some, all] = [0, 0, 0];
      for (let mask = 0; mask < 2 ** trials; mask++) {
        const chosen = Array.from({ length: trials }, (_, index) => index).filter((index) => mask & (2 ** index));
        if (chosen.length !== k) continue;
        choices += 1;
        if (chosen.some((index) => index < passed)) some += 1;
        if (chosen.every((index) => index < passed)) all += 1;
      }
      isNear(passAtK({ trials, passed, k }), some / choices, 1e-12);
      isNear(passHatK({ trials, passed, k }), all / choices, 1e-12);
    }),
  );
});

test('pass@k as Codex (Chen et al. 2021) computes it', () => {
  // 1 - prod(1 - k / arange(n - c + 1, n + 1))
  const theirs = ({ trials, passed, k }: { trials: number; passed: number; k: number }): number => {
    let product = 1;
    for (let i = trials - passed + 1; i <= trials; i++) product *= 1 - k / i;
    return trials - passed < k ? 1 : 1 - product;
  };
  for (const passed of [0, 1, 13, 100, 199, 200])
    for (const k of [1, 10, 100]) isNear(passAtK({ trials: 200, passed, k }), theirs({ trials: 200, passed, k }), 1e-12);
});

test('what a drill tells of its trials: first attempts only, those that were started', () => {
  assert.deepEqual(trialStatistics({ trials: 4, passed: 3 }), {
    trials: 4,
    passed: 3,
    passRate: 0.75,
    interval: { low: 0.19412, high: 0.993691, level: 0.95, method: 'clopper_pearson' },
    atK: [
      { k: 1, passAtK: 0.75, passHatK: 0.75 },
      { k: 2, passAtK: 1, passHatK: 0.5 },
      { k: 4, passAtK: 1, passHatK: 0 },
    ],
  });
  assert.equal(firstAttemptStatistics(['passed']), undefined);
  assert.equal(firstAttemptStatistics([undefined, undefined]), undefined);
  const reported = firstAttemptStatistics(['passed', 'inconclusive', undefined]);
  assert.deepEqual([reported?.trials, reported?.passed], [2, 1]);
});
