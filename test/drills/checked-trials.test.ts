// What attempts that were judged again come to together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunIdentity, Verdict } from '../../src/contract/run/run.js';
import { type CheckedAttempt, type CheckedDrill, checkedDrills } from '../../src/drills/stored/checked-trials.js';

interface Part {
  verdict: Verdict;
  trial?: number;
  attempt?: number;
  drillId?: string;
}
/** One after another in time. */
function drillsOf(parts: readonly Part[], require: CheckedAttempt['require'] = undefined): CheckedDrill[] {
  return checkedDrills(
    parts.map(({ verdict, trial = 1, attempt = 1, drillId = 'it' }, startedAtMs) => {
      const identity = { drillId, targetId: 't', buildHash: 'b', setupHash: 's', seed: `${trial}`, trial, attempt } as RunIdentity;
      return { identity, startedAtMs, verdict, require };
    }),
  );
}

test('a trial passes with the attempt that does, and is flaky if others came before', () => {
  const [mended] = drillsOf([{ verdict: 'failed' }, { verdict: 'inconclusive', attempt: 2 }, { verdict: 'passed', attempt: 3 }]);
  assert.deepEqual(mended, { drillId: 'it', verdict: 'passed', trialsPassed: 1, trialCount: 1, flaky: true });
  const [lost] = drillsOf([{ verdict: 'failed' }, { verdict: 'failed', attempt: 2 }]);
  assert.deepEqual(lost, { drillId: 'it', verdict: 'failed', trialsPassed: 0, trialCount: 1 });
  // With the assertions of today it would not have been tried again.
  const [unneeded] = drillsOf([{ verdict: 'passed' }, { verdict: 'failed', attempt: 2 }]);
  assert.deepEqual(unneeded, { drillId: 'it', verdict: 'passed', trialsPassed: 1, trialCount: 1 });
});

// CHECKED-TRIALS-1
test('attempts belong to the trial before them, whatever runs between; a retry alone is a trial that was not tried at first', () => {
  const [twice] = drillsOf([
    { verdict: 'failed', trial: 1 },
    { verdict: 'failed', trial: 2 },
    { verdict: 'passed', trial: 2, attempt: 2 },
    { verdict: 'passed', trial: 1, attempt: 2 },
    { verdict: 'failed', trial: 1 },
  ]);
  assert.deepEqual([twice?.verdict, twice?.trialsPassed, twice?.trialCount, twice?.flaky], ['failed', 2, 3, true]);
  assert.deepEqual([twice?.statistics?.trials, twice?.statistics?.passed], [3, 0]);
  const [alone] = drillsOf([{ verdict: 'passed', attempt: 2 }]);
  assert.deepEqual([alone?.verdict, alone?.flaky, alone?.statistics], ['passed', true, undefined]);
});

test('the gate over trials is that of today, drill by drill', () => {
  const parts: Part[] = [1, 2, 3, 4].map((trial) => ({ trial, verdict: trial === 4 ? 'failed' : 'passed' }));
  assert.equal(drillsOf(parts)[0]?.verdict, 'failed');
  assert.equal(drillsOf(parts, { passRate: 0.75 })[0]?.verdict, 'passed');
  assert.equal(drillsOf(parts, { passHatK: 2 })[0]?.verdict, 'failed');
  const both = drillsOf([...parts, { verdict: 'passed', drillId: 'also' }], { passRate: 0.75 });
  assert.deepEqual(
    both.map(({ drillId, verdict }) => `${drillId} ${verdict}`),
    ['also passed', 'it passed'],
  );
});
