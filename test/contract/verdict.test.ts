import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssertionResult, AssertionStatus } from '../../src/contract/run/run.js';
import { resultVerdict, runVerdict } from '../../src/contract/run/verdict.js';
import fc from '../fast-check.js';

const status = fc.constantFrom<AssertionStatus[]>('passed', 'failed', 'inconclusive', 'invalid');
const judged = fc.record({ gate: fc.boolean(), status });

test('a gate that failed or is invalid outweighs one that is inconclusive, and what is no gate never counts', () => {
  fc.assert(
    fc.property(fc.array(judged), (results) => {
      const gates = results.filter(({ gate }) => gate).map((result) => result.status);
      const expected = gates.some((one) => one === 'failed' || one === 'invalid')
        ? 'failed'
        : gates.includes('inconclusive')
          ? 'inconclusive'
          : 'passed';
      assert.equal(runVerdict(results), expected);
      assert.equal(runVerdict([...results].reverse()), expected);
    }),
  );
});

test('a run with nothing to check has passed', () => {
  assert.equal(runVerdict([]), 'passed');
});

const result = (status: AssertionStatus): AssertionResult => ({
  schemaVersion: 1,
  assertionId: 'one',
  kind: 'state.value',
  status,
  gate: true,
  message: 'said',
  evidenceSequences: [],
});
const checkpoint = (status: AssertionStatus) =>
  ({
    schemaVersion: 1,
    checkpointId: 'after',
    kind: 'after_interaction',
    virtualTimeUs: 0,
    verdict: 'passed',
    assertionResults: [result(status)],
  }) as const;

test('an invariant that failed at any checkpoint fails the run', () => {
  assert.equal(
    resultVerdict({ status: 'sealed', assertionResults: [result('passed')], checkpoints: [checkpoint('failed')] as never }),
    'failed',
  );
});

test('a run that was not sealed never passes, but can fail', () => {
  for (const status of ['cancelled', 'runner_failed'] as const) {
    assert.equal(resultVerdict({ status, assertionResults: [result('passed')], checkpoints: [] }), 'inconclusive');
    assert.equal(resultVerdict({ status, assertionResults: [result('failed')], checkpoints: [] }), 'failed');
  }
});
