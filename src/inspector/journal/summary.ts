// A report document as one line of the list of runs, and its assertions in the order in which one looks at them.
import { defined } from '../../contract/defined.js';
import type { AssertionsReply } from '../../contract/inspector/journal.js';
import type { SavedRun } from '../../contract/inspector/runs.js';
import type { AssertionStatus, RunResult } from '../../contract/run/run.js';
import type { RunReport } from '../../contract/run/run-events.js';
import { headline, judgedOf, worstFirst } from '../../reports/findings.js';

export function summaryOf(report: RunReport): Omit<SavedRun, 'modifiedAtMs' | 'attachments'> {
  const { runId, drill, target, result, startedAtMs, finishedAtMs, invocation } = report;
  const { identity, status, verdict, evidenceRange, stateHash, evidenceHash, trajectoryHash } = result;
  const { seed, trial, trialCount, attempt, attemptLimit, scenarioId, buildHash, setupHash } = identity;
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
    ...defined({ invocation, scenarioId }),
    buildHash,
    setupHash,
    startedAtMs,
    finishedAtMs,
    startedAtVirtualUs: result.startedAtVirtualUs,
    finishedAtVirtualUs: result.finishedAtVirtualUs,
    entries: evidenceRange.toSequence,
    assertions: countsOf(result),
    stateHash,
    evidenceHash,
    trajectoryHash,
  };
}

/** Invariants count, each once. */
function countsOf(result: RunResult): SavedRun['assertions'] {
  const judged = judgedOf(result);
  const count = (wanted: AssertionStatus): number => judged.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), inconclusive: count('inconclusive'), invalid: count('invalid') };
}

export function orderedAssertions({ verdict, assertionResults, checkpoints }: RunResult): Omit<AssertionsReply, 'schemaVersion'> {
  return { verdict, assertions: worstFirst(assertionResults), checkpoints };
}
