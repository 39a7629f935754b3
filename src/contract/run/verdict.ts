// The verdict rule, once: drills apply it, reports recompute it.
import type { AssertionResult, RunResult, Verdict } from './run.js';

/** Failed if any gate failed or was invalid, else inconclusive if any gate was, else passed. What is no gate never counts. */
export function runVerdict(results: Iterable<Pick<AssertionResult, 'gate' | 'status'>>): Verdict {
  let verdict: Verdict = 'passed';
  for (const { gate, status } of results) {
    if (!gate || status === 'passed') continue;
    if (status !== 'inconclusive') return 'failed';
    verdict = 'inconclusive';
  }
  return verdict;
}

/** Of a whole run: its own assertions and those of every checkpoint. A run that was not sealed proved nothing, so it never passes. */
export function resultVerdict(result: Pick<RunResult, 'status' | 'assertionResults' | 'checkpoints'>): Verdict {
  const verdict = runVerdict([...result.assertionResults, ...result.checkpoints.flatMap((checkpoint) => checkpoint.assertionResults)]);
  return verdict === 'passed' && result.status !== 'sealed' ? 'inconclusive' : verdict;
}
