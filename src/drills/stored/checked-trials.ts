// What attempts that were judged again come to together, by the rules of a run: a trial passes with its first attempt that does, and was
// flaky if another came before; a drill passes by its gate over trials. Its trials are all that were checked, of however many runs.
//   CHECKED-TRIALS-1. An attempt after the first belongs to the trial of the same inputs that the attempt before it ended last; without one
//     it is its own.
import { defined } from '../../contract/defined.js';
import type { Trials } from '../../contract/run/drill.js';
import type { RunIdentity, Verdict } from '../../contract/run/run.js';
import type { RunEvent } from '../../contract/run/run-events.js';
import { drillVerdict, firstAttemptStatistics, trialVerdict } from '../plan/trials.js';

export type CheckedDrill = Omit<Extract<RunEvent, { event: 'drill' }>, 'event'>;
export interface CheckedAttempt {
  identity: RunIdentity;
  startedAtMs: number;
  verdict: Verdict;
  /** The gate over trials of today. */
  require: Trials['require'];
}
interface Trial {
  /** In order of time; `number` is that of the attempt. */
  attempts: { number: number; verdict: Verdict }[];
}

/** By drill id. */
export function checkedDrills(attempts: readonly CheckedAttempt[]): CheckedDrill[] {
  const byDrill = new Map<string, CheckedAttempt[]>();
  for (const attempt of attempts) {
    const { drillId } = attempt.identity;
    const known = byDrill.get(drillId);
    if (known === undefined) byDrill.set(drillId, [attempt]);
    else known.push(attempt);
  }
  return [...byDrill.keys()].sort().map((drillId) => checkedDrill(drillId, byDrill.get(drillId)!));
}

function checkedDrill(drillId: string, attempts: readonly CheckedAttempt[]): CheckedDrill {
  const trials = trialsOf(attempts);
  const outcomes = trials.map(({ attempts: tried }) => {
    const first = tried.findIndex(({ verdict }) => verdict === 'passed');
    const { verdict } = trialVerdict((first < 0 ? tried : tried.slice(0, first + 1)).map((attempt) => attempt.verdict));
    // Of a trial whose first attempt was not checked, its passing says the same.
    return { verdict, flaky: verdict === 'passed' && tried[first]?.number !== 1 };
  });
  const verdicts = outcomes.map(({ verdict }) => verdict);
  const statistics = firstAttemptStatistics(trials.map(({ attempts: [first] }) => (first?.number === 1 ? first.verdict : undefined)));
  return {
    drillId,
    verdict: drillVerdict(verdicts, attempts[0]?.require),
    trialsPassed: verdicts.filter((verdict) => verdict === 'passed').length,
    trialCount: trials.length,
    ...(outcomes.some(({ flaky }) => flaky) ? { flaky: true as const } : {}),
    ...defined({ statistics }),
  };
}

function trialsOf(attempts: readonly CheckedAttempt[]): Trial[] {
  const trials: Trial[] = [];
  /** Those that wait for a further attempt, by inputs and its number. */
  const open = new Map<string, Trial>();
  for (const { identity, verdict } of attempts.toSorted((left, right) => left.startedAtMs - right.startedAtMs)) {
    const { targetId, buildHash, setupHash, seed, trial: number, attempt } = identity;
    const inputs = JSON.stringify([targetId, buildHash, setupHash, seed, number]);
    let trial = attempt === 1 ? undefined : open.get(`${attempt} ${inputs}`);
    if (trial === undefined) {
      trial = { attempts: [] };
      trials.push(trial);
    }
    trial.attempts.push({ number: attempt, verdict });
    open.delete(`${attempt} ${inputs}`);
    open.set(`${attempt + 1} ${inputs}`, trial);
  }
  return trials;
}
