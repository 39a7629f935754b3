// What trials say about a drill: pass rate with its interval, pass@k and pass^k. Pure arithmetic; docs/statistics.md says why these.
import type { TrialStatistics } from '../../contract/trial-statistics.js';

export interface Interval {
  low: number;
  high: number;
}
export function trialStatistics({ trials, passed }: { trials: number; passed: number }): TrialStatistics {
  const { low, high } = clopperPearson({ trials, passed });
  return {
    trials,
    passed,
    passRate: rounded(passed / trials),
    interval: { low: rounded(low), high: rounded(high), level: 0.95, method: 'clopper_pearson' },
    atK: ksFor(trials).map((k) => ({
      k,
      passAtK: rounded(passAtK({ trials, passed, k })),
      passHatK: rounded(passHatK({ trials, passed, k })),
    })),
  };
}

/** Of an even count the middle of the two in the middle; of none 0. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

interface Sample {
  trials: number;
  passed: number;
}

/** The unbiased estimate that at least one of k trials passes: 1 - C(trials - passed, k) / C(trials, k), for k <= trials. */
export function passAtK({ trials, passed, k }: Sample & { k: number }): number {
  return 1 - chosenShare({ of: trials, among: trials - passed, k });
}

/** The unbiased estimate that all of k trials pass: C(passed, k) / C(trials, k), for k <= trials. */
export function passHatK({ trials, passed, k }: Sample & { k: number }): number {
  return chosenShare({ of: trials, among: passed, k });
}

/** C(among, k) / C(of, k), factor by factor: neither is ever written out. */
function chosenShare({ of, among, k }: { of: number; among: number; k: number }): number {
  let share = 1;
  for (let taken = 0; taken < k; taken++) share *= Math.max(among - taken, 0) / (of - taken);
  return share;
}

/**
 * The exact interval: `low` is the rate at which `passed` or more come up with probability alpha/2, `high` the one at which `passed` or
 * fewer do.
 * `level` between 0 and 1.
 */
export function clopperPearson({ trials, passed }: Sample, level = 0.95): Interval {
  const tail = (1 - level) / 2;
  const low = passed === 0 ? 0 : bisect((rate) => 1 - atMost(passed - 1, trials, rate) > tail);
  const high = passed === trials ? 1 : bisect((rate) => atMost(passed, trials, rate) < tail);
  return { low, high };
}

/** The rate from which on `isAbove` holds: it does not at 0, and does at 1. */
function bisect(isAbove: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** P(X <= count) for X binomial. Each term follows from the one before, by logarithms so that none of 10,000 trials is lost as 0. */
function atMost(count: number, trials: number, rate: number): number {
  let term = trials * Math.log1p(-rate);
  let sum = Math.exp(term);
  const odds = Math.log(rate) - Math.log1p(-rate);
  for (let passes = 1; passes <= count; passes++) {
    term += Math.log((trials - passes + 1) / passes) + odds;
    sum += Math.exp(term);
  }
  return Math.min(sum, 1);
}

function ksFor(trials: number): number[] {
  const ks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter((k) => k < trials);
  return trials === 0 ? [] : [...ks, trials];
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
