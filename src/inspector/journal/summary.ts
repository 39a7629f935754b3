// A report document as one line of the list of runs, and its assertions in the order in which one looks at them.
import { defined } from '../../contract/defined.js';
import type { AssertionsReply } from '../../contract/inspector/journal.js';
import type { SavedRun } from '../../contract/inspector/runs.js';
import type { AssertionResult, AssertionStatus, RunResult } from '../../contract/run/run.js';
import type { RunReport } from '../../contract/run/run-events.js';
import { headline } from '../../reports/findings.js';

export function summaryOf(report: RunReport): Omit<SavedRun, 'modifiedAtMs' | 'attachments'> {
  const { runId, drill, target, result, startedAtMs, finishedAtMs } = report;
  const { identity, status, verdict, evidenceRange, stateHash, evidenceHash, trajectoryHash } = result;
  const { seed, trial, trialCount, attempt, attemptLimit, scenarioId, buildHash } = identity;
  return {
    runId,
    drill,
    target,
    status,
    verdict,
    headline: headline(report),
    seed,
    trial,
    trialCount,
    attempt,
    attemptLimit,
    ...defined({ scenarioId }),
    buildHash,
    startedAtMs,
    finishedAtMs,
    startedAtVirtualUs: result.startedAtVirtualUs,
    finishedAtVirtualUs: result.finishedAtVirtualUs,
    entries: evidenceRange.toSequence,
    assertions: countsOf(result.assertionResults),
    stateHash,
    evidenceHash,
    trajectoryHash,
  };
}

function countsOf(results: readonly AssertionResult[]): SavedRun['assertions'] {
  const count = (wanted: AssertionStatus): number => results.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), inconclusive: count('inconclusive'), invalid: count('invalid') };
}

const rank: { [Status in AssertionStatus]: number } = { failed: 0, invalid: 1, inconclusive: 2, passed: 3 };

export function orderedAssertions({ verdict, assertionResults, checkpoints }: RunResult): Omit<AssertionsReply, 'schemaVersion'> {
  const assertions = [...assertionResults].sort(
    (left, right) => rank[left.status] - rank[right.status] || Number(right.gate) - Number(left.gate),
  );
  return { verdict, assertions, checkpoints };
}
