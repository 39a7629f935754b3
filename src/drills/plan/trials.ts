// Verdicts above the single attempt: of a trial over its attempts, of a drill over its trials, of a run over its drills.
import type { Trials } from '../../contract/run/drill.js';
import type { Verdict } from '../../contract/run/run.js';
import type { TrialStatistics } from '../../contract/trial-statistics.js';
import { trialStatistics } from './statistics.js';

export interface TrialVerdict {
  verdict: Verdict;
  /** It passed, but not at first. */
  flaky: boolean;
}

/** The last attempt decides, as a trial ends with the first that passes; that others came before is shown, not hidden. */
export function trialVerdict(attempts: readonly Verdict[]): TrialVerdict {
  const verdict = attempts.at(-1) ?? 'inconclusive';
  return { verdict, flaky: verdict === 'passed' && attempts.length > 1 };
}

/**
 * The gate over trials: at least `passRate` of them passed, and pass^k is 1 (C(passed, k) = C(count, k): no k of them include one that did
 * not pass). Without `require` every one must pass. The verdict is inconclusive while inconclusive trials, or too few trials, leave it
 * open.
 */
export function drillVerdict(trials: readonly Verdict[], require: Trials['require'] = {}): Verdict {
  const passed = trials.filter((verdict) => verdict === 'passed').length;
  const possible = trials.filter((verdict) => verdict !== 'failed').length;
  if (!meets(possible, trials.length, require)) return 'failed';
  const enough = trials.length >= (require.passHatK ?? 0);
  return enough && meets(passed, trials.length, require) ? 'passed' : 'inconclusive';
}

function meets(passed: number, count: number, { passRate, passHatK }: NonNullable<Trials['require']>): boolean {
  if (passRate !== undefined && passed / count < passRate) return false;
  return passHatK === undefined && passRate !== undefined ? true : passed === count;
}

/**
 * Retries are made because the first attempt did not pass: they say nothing of the rate. `undefined` in the list: a trial that was not
 * started.
 */
export function firstAttemptStatistics(firstAttempts: readonly (Verdict | undefined)[]): TrialStatistics | undefined {
  const started = firstAttempts.filter((verdict) => verdict !== undefined);
  if (firstAttempts.length < 2 || started.length === 0) return undefined;
  return trialStatistics({ trials: started.length, passed: started.filter((verdict) => verdict === 'passed').length });
}

export function overallVerdict(verdicts: Iterable<Verdict>): Verdict {
  let overall: Verdict = 'passed';
  for (const verdict of verdicts) {
    if (verdict === 'failed') return 'failed';
    if (verdict === 'inconclusive') overall = 'inconclusive';
  }
  return overall;
}
