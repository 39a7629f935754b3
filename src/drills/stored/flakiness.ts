// Whether the runs of a drill contradict each other.
//   FLAKINESS-1. A drill is flaky where the same inputs gave more than one answer: a trial passed only when tried again, or verdicts of the
//     same build, setup, target and seed went to and fro. One change is none: the agent itself is no part of a build, and may have been
//     mended or broken.
import type { RunIdentity, Verdict } from '../../contract/run/run.js';

export interface JudgedAttempt {
  verdict: Verdict;
  attempt: number;
  /** Of `inputsOf`. */
  inputs: string;
}

export function inputsOf({
  buildHash,
  setupHash,
  targetId,
  seed,
}: Pick<RunIdentity, 'buildHash' | 'setupHash' | 'targetId' | 'seed'>): string {
  return JSON.stringify([buildHash, setupHash, targetId, seed]);
}

/** Trials that passed at a later attempt: those attempts. */
export function passedAtRetryOf<Run extends JudgedAttempt>(runs: readonly Run[]): Run[] {
  return runs.filter(({ verdict, attempt }) => verdict === 'passed' && attempt > 1);
}

/** By inputs, the runs whose verdict went to and fro. `runs`: in order of time. */
export function inconsistentOf<Run extends JudgedAttempt>(runs: readonly Run[]): Run[][] {
  const byInputs = new Map<string, Run[]>();
  for (const run of runs) {
    const same = byInputs.get(run.inputs);
    if (same === undefined) byInputs.set(run.inputs, [run]);
    else same.push(run);
  }
  return [...byInputs.values()].filter((same) => changesOf(same) > 1);
}

/** How often the verdict went from passed to failed or back. What was undecided says neither. */
function changesOf(runs: readonly JudgedAttempt[]): number {
  const decided = runs.filter(({ verdict }) => verdict !== 'inconclusive');
  return decided.filter(({ verdict }, index) => index > 0 && verdict !== decided[index - 1]!.verdict).length;
}
