// What makes a drill flaky, and what does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import type { Verdict } from '../../src/contract/run/run.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { type DrillHistory, History } from '../../src/drills/stored/history.js';

interface Part {
  verdict: Verdict;
  attempt?: number;
  seed?: string;
  buildHash?: string;
  tookMs?: number;
}
/** One after another in time, asked to the history in another order. */
function historyOf(parts: readonly Part[]): DrillHistory {
  const history = new History();
  const reports = parts.map(({ verdict, attempt = 1, seed = '1', buildHash = 'b', tookMs = 10 }, index) => {
    const runId = `run_${String(index).padStart(12, '0')}`;
    const identity = { runId, drillId: 'it', targetId: 't', seed, trial: 1, attempt, buildHash, setupHash: 's' };
    const result = { identity, verdict, status: 'sealed', assertionResults: [], checkpoints: [], interactions: [] };
    return {
      runId,
      drill: { id: 'it', tags: [] },
      result,
      startedAtMs: index * 1000,
      finishedAtMs: index * 1000 + tookMs,
    } as unknown as RunReport;
  });
  for (const report of reports.reverse()) history.add(report);
  return history.drills()[0] ?? assert.fail('no drill');
}
const verdicts = (...list: Verdict[]): Part[] => list.map((verdict) => ({ verdict }));

// FLAKINESS-1
test('verdicts that go to and fro on the same inputs are flaky; one change is not', () => {
  assert.equal(historyOf(verdicts('failed', 'failed', 'passed', 'passed')).flaky, undefined);
  assert.equal(historyOf(verdicts('passed', 'inconclusive', 'passed')).flaky, undefined);
  const { flaky } = historyOf(verdicts('passed', 'failed', 'inconclusive', 'passed'));
  assert.deepEqual(
    flaky?.inconsistent.map(({ seed, runs }) => [seed, runs.map(({ verdict }) => verdict)]),
    [['1', ['passed', 'failed', 'inconclusive', 'passed']]],
  );
  const others: Part[] = [
    { verdict: 'passed' },
    { verdict: 'failed', seed: '2' },
    { verdict: 'passed', buildHash: 'c' },
    { verdict: 'failed', seed: '3' },
  ];
  assert.equal(historyOf(others).flaky, undefined);
});

// DRILLS-HISTORY-1, FLAKINESS-1
test('a pass at a retry is flaky; retries do not count in the rate', () => {
  const { flaky, statistics, runs, lastFailure } = historyOf([
    { verdict: 'failed' },
    { verdict: 'passed', attempt: 2 },
    { verdict: 'passed' },
  ]);
  assert.deepEqual(
    flaky?.passedAtRetry.map(({ runId }) => runId),
    ['run_000000000001'],
  );
  assert.deepEqual([statistics?.trials, statistics?.passed, runs], [2, 1, 3]);
  assert.equal(lastFailure?.runId, 'run_000000000000');
  assert.equal(historyOf([{ verdict: 'failed', attempt: 2 }]).statistics, undefined);
});

test('the newest runs are listed, oldest of them first; the median is of all', () => {
  const many = Array.from({ length: limits.historyRunsShown + 2 }, (_, index): Part => ({ verdict: 'passed', tookMs: index }));
  const { latest, medianDurationMs } = historyOf(many);
  assert.equal(latest.length, limits.historyRunsShown);
  assert.deepEqual([latest[0]?.runId, medianDurationMs], ['run_000000000002', (limits.historyRunsShown + 1) / 2]);
});
