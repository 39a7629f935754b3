// Runs of the past as a choice of what to run now: one again, or those of a command that did not pass.
import { ServiceError } from '../../contract/errors.js';
import type { Repetition, RepetitionDifference } from '../../contract/run/repetition.js';
import type { RunResult } from '../../contract/run/run.js';
import type { RunReport } from '../../contract/run/run-events.js';
import type { StoredInvocation } from '../../reports/invocations.js';
import type { RunDrillsOptions } from '../plan/options.js';
import { trialVerdict } from '../plan/trials.js';

/** Options of `runDrills`. */
export type RepeatChoice = Required<Pick<RunDrillsOptions, 'drills' | 'only' | 'seed'>>;

/** The same drill, trial and seed. control.INVALID_REQUEST for a report that does not know the seed of its run. */
export function repeatChoice({ runId, invocation, result: { identity } }: RunReport): RepeatChoice {
  const { drillId, trial } = identity;
  if (invocation !== undefined) return { drills: [drillId], only: [{ drillId, trials: [trial] }], seed: invocation.seed };
  const message = `The report of ${runId} does not know the seed of its run: an earlier version wrote it, or a hosted service.`;
  throw new ServiceError('control.INVALID_REQUEST', { message });
}

/** The trials that did not pass, each by its last attempt, and those that never began; undefined where all have passed. */
export function failedChoice({ seed, reports, notStarted }: StoredInvocation): RepeatChoice | undefined {
  const attempts = new Map<string, RunReport[]>();
  for (const report of reports) {
    const { drillId, trial } = report.result.identity;
    const key = `${trial} ${drillId}`;
    attempts.set(key, [...(attempts.get(key) ?? []), report]);
  }
  const only = new Map<string, number[]>(notStarted.map(({ drillId, trials }) => [drillId, trials]));
  for (const tried of attempts.values()) {
    const { drillId, trial } = tried[0]!.result.identity;
    const ordered = tried.toSorted((left, right) => left.result.identity.attempt - right.result.identity.attempt);
    if (trialVerdict(ordered.map(({ result }) => result.verdict)).verdict === 'passed') continue;
    only.set(
      drillId,
      [...(only.get(drillId) ?? []), trial].sort((left, right) => left - right),
    );
  }
  if (only.size === 0) return undefined;
  return { drills: [...only.keys()], only: [...only].map(([drillId, trials]) => ({ drillId, trials })), seed };
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
