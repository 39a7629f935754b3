import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssertionResult, RunError, RunResult } from '../../src/contract/run/run.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { findingsOf, headline } from '../../src/reports/findings.js';
import { failingRun, passingRun } from './fixtures.js';

const assertion = (assertionId: string, status: AssertionResult['status'], gate = true): AssertionResult => ({
  schemaVersion: 1,
  assertionId,
  kind: 'state.value',
  status,
  gate,
  message: 'said',
  evidenceSequences: [],
});
const withResult = (result: Partial<RunResult>): RunReport => {
  const { report } = passingRun();
  return { ...report, result: { ...report.result, checkpoints: [], ...result } };
};

test('what decides comes first, and an invariant that fails at many checkpoints is one finding', () => {
  const found = findingsOf(failingRun().report.result);
  assert.deepEqual(
    found.map(({ assertion: { assertionId }, checkpointIds }) => [assertionId, checkpointIds]),
    [
      ['refunded-once', []],
      ['merchant-ledger', []],
      ['never-above-charge', ['after-refund', 'after-reply']],
      ['asked-first', []],
    ],
  );
  const mixed = findingsOf(
    withResult({ assertionResults: [assertion('a', 'failed', false), assertion('b', 'inconclusive'), assertion('c', 'invalid')] }).result,
  );
  assert.deepEqual(
    mixed.map((finding) => finding.assertion.assertionId),
    ['c', 'b', 'a'],
  );
});

test('the headline says what decided the verdict', () => {
  const failure = {
    schemaVersion: 1,
    code: 'framework.CANCELLED',
    source: 'framework',
    message: 'The run was cancelled.',
    retryable: false,
    issues: [],
    correlationId: '',
    details: {},
  } as RunError;
  const cases: [Partial<RunResult>, string][] = [
    [{ assertionResults: [assertion('a', 'passed')], verdict: 'passed' }, 'The one assertion holds'],
    [{ assertionResults: [assertion('a', 'passed'), assertion('b', 'passed')], verdict: 'passed' }, 'All 2 assertions hold'],
    [
      { assertionResults: [assertion('a', 'passed'), assertion('b', 'failed', false)], verdict: 'passed' },
      '1 of 2 assertions hold; none that did not is a gate',
    ],
    [{ assertionResults: [assertion('a', 'failed')], verdict: 'failed' }, 'a does not hold'],
    [
      { assertionResults: ['a', 'b', 'c', 'd', 'e'].map((id) => assertion(id, 'failed')), verdict: 'failed' },
      'a, b, c and 2 more do not hold',
    ],
    [{ assertionResults: [assertion('a', 'inconclusive')], verdict: 'inconclusive' }, 'a could not be decided'],
    [
      { assertionResults: [assertion('a', 'inconclusive')], verdict: 'inconclusive', status: 'cancelled', failure },
      'Cancelled: The run was cancelled.',
    ],
    [{ assertionResults: [assertion('a', 'failed')], verdict: 'failed', status: 'cancelled', failure }, 'a does not hold'],
    [{ assertionResults: [], verdict: 'inconclusive', status: 'runner_failed', failure }, 'Could not run: The run was cancelled.'],
  ];
  for (const [result, said] of cases) assert.equal(headline(withResult(result)), said);
});
