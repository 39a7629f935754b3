// Runs of the past as a choice of what to run now: one again, or those of a command that did not pass.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { Repetition, RepetitionDifference } from '../../contract/run/repetition.js';
import type { RunResult, Verdict } from '../../contract/run/run.js';
import type { RunReport } from '../../contract/run/run-events.js';
import type { StoredInvocation } from '../../reports/invocations.js';
import type { RunDrillsOptions } from '../plan/options.js';
import { drillVerdict, trialVerdict } from '../plan/trials.js';

/** Options of `runDrills`. */
export type RepeatChoice = Required<Pick<RunDrillsOptions, 'drills' | 'only' | 'seed'>>;

/** The same drill, trial and seed. control.INVALID_REQUEST for a report that does not know the seed of its run. */
export function repeatChoice({ runId, invocation, result: { identity } }: RunReport): RepeatChoice {
  const { drillId, trial, trialCount } = identity;
  if (invocation !== undefined) return { drills: [drillId], only: [{ drillId, trials: [trial], trialCount }], seed: invocation.seed };
  const message = `The report of ${runId} does not know the seed of its run: an earlier version wrote it, or a hosted service.`;
  throw new ServiceError('control.INVALID_REQUEST', { message });
}

/**
 * Of each drill that did not pass the trials that did not, each by its last attempt, and those that never began; undefined where every
 * drill has passed, as its gate says.
 */
export function failedChoice({ seed, reports, notStarted }: StoredInvocation): RepeatChoice | undefined {
  const drills = new Map<string, RunReport[]>(notStarted.map(({ drillId }) => [drillId, []]));
  for (const report of reports) {
    const { drillId } = report.result.identity;
    drills.set(drillId, [...(drills.get(drillId) ?? []), report]);
  }
  const only = [...drills].flatMap(([drillId, played]) => {
    const never = notStarted.find((left) => left.drillId === drillId)?.trials ?? [];
    const failed = failedTrials(played, never);
    return failed === undefined ? [] : [{ drillId, ...failed }];
  });
  return only.length === 0 ? undefined : { drills: only.map(({ drillId }) => drillId), only, seed };
}

/** Of one drill; undefined where it has passed. */
function failedTrials(played: readonly RunReport[], never: readonly number[]): { trials: number[]; trialCount?: number } | undefined {
  const attempts = new Map<number, RunReport[]>(never.map((trial) => [trial, []]));
  for (const report of played) {
    const { trial } = report.result.identity;
    attempts.set(trial, [...(attempts.get(trial) ?? []), report]);
  }
  const verdicts = new Map([...attempts].map(([trial, tried]) => [trial, verdictOf(tried)]));
  const [first] = played;
  const trialCount = first?.result.identity.trialCount;
  // One without a report is undecided.
  const all = Array.from({ length: trialCount ?? 0 }, (_, index) => verdicts.get(index + 1) ?? 'inconclusive');
  if (first?.drill.require !== undefined && drillVerdict(all, first.drill.require) === 'passed') return undefined;
  const trials = [...verdicts].flatMap(([trial, verdict]) => (verdict === 'passed' ? [] : [trial])).sort((left, right) => left - right);
  return trials.length === 0 ? undefined : { trials, ...defined({ trialCount }) };
}

function verdictOf(tried: readonly RunReport[]): Verdict {
  const ordered = tried.toSorted((left, right) => left.result.identity.attempt - right.result.identity.attempt);
  return trialVerdict(ordered.map(({ result }) => result.verdict)).verdict;
}

/** A run beside the one that it repeats. */
export function repetitionOf(before: RunResult, after: RunResult): Repetition {
  const [was, is] = [before.identity, after.identity];
  const ofRunId = was.runId;
  if (before.trajectoryHash === after.trajectoryHash) return { ofRunId, same: true, differs: [] };
  const known: [RepetitionDifference, boolean][] = [
    ['seed', was.seed !== is.seed],
    ['setup', was.setupHash !== is.setupHash],
    ['target', was.targetId !== is.targetId],
    ['build', was.buildHash !== is.buildHash],
  ];
  const differs = known.flatMap(([name, isOther]) => (isOther ? [name] : []));
  return { ofRunId, same: false, differs: differs.length === 0 ? ['agent'] : differs };
}
