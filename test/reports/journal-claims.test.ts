// A report says what its journal says: nothing that was judged is left out, and the run is of the world that the journal is of. Each report
// here is whole in itself: the writer made its digests and projections fit.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sha256Digest } from '../../src/contract/digest.js';
import type { RunReport } from '../../src/contract/run/run-events.js';
import type { LifecycleEntry } from '../../src/contract/world/evidence.js';
import type { ReportProblemCode } from '../../src/reports/report-problems.js';
import { verifyReport } from '../../src/reports/verify-report.js';
import { failingRun, passingRun, type RunFixture } from './fixtures.js';
import type { TestJournal } from './journal.js';
import { reportDirectory, writeFixture } from './report-directory.js';

type Edit = (report: RunReport) => void;

async function problemsOf(t: TestContext, fixture: RunFixture, edit: Edit): Promise<string[]> {
  const report = structuredClone(fixture.report);
  edit(report);
  const { problems } = await verifyReport(await writeFixture(await reportDirectory(t), { ...fixture, report }));
  return problems.map(({ file, code }) => `${file} ${code}`);
}

async function assertSeen(t: TestContext, cases: [string, ReportProblemCode, Edit][], fixture = failingRun()): Promise<void> {
  assert.deepEqual(await problemsOf(t, fixture, () => {}), []);
  for (const [index, [file, code, edit]] of cases.entries()) {
    const problems = await problemsOf(t, fixture, edit);
    assert.ok(problems.includes(`${file} ${code}`), `case ${index}: ${code} of ${file}, found ${problems}`);
  }
}

const forget: Edit = ({ result }) => {
  result.checkpoints = [];
  result.assertionResults = [];
  result.verdict = 'passed';
};

// JOURNAL-CLAIMS-1
test('a failed run cannot be made a passed one by leaving out what was judged, or by a range that begins behind it', async (t) => {
  await assertSeen(t, [
    ['report.json', 'VERDICT_MISMATCH', forget],
    [
      'report.json',
      'VERDICT_MISMATCH',
      ({ result }) => {
        result.assertionResults = result.assertionResults.filter(({ status }) => status === 'passed');
        result.checkpoints = [];
        result.verdict = 'passed';
      },
    ],
    ['report.json', 'VERDICT_MISMATCH', ({ result }) => (result.checkpoints = result.checkpoints.slice(1))],
    ['report.json', 'VERDICT_MISMATCH', ({ result }) => (result.assertionResults = [])],
    ['report.json', 'VERDICT_MISMATCH', ({ result }) => (result.checkpoints[0]!.kind = 'invariant')],
    [
      'evidence.jsonl',
      'EVIDENCE_RANGE_MISMATCH',
      (report) => {
        forget(report);
        report.result.evidenceRange.fromSequence = report.result.evidenceRange.toSequence;
      },
    ],
    [
      'evidence.jsonl',
      'EVIDENCE_RANGE_MISMATCH',
      ({ result }) => (result.evidenceRange.fromSequence = result.evidenceRange.toSequence + 1),
    ],
  ]);
});

const judgedBefore = (journal: TestJournal): void => {
  journal.turn({
    kind: 'verification',
    checkpointId: 'after-refund',
    checkpointKind: 'after_interaction',
    result: { verdict: 'failed', assertions: [{ assertionId: 'other', status: 'failed', gate: true }] },
  });
  journal.turn({
    kind: 'verification',
    checkpointId: 'after-other',
    checkpointKind: 'after_interaction',
    result: { verdict: 'failed', assertions: [{ assertionId: 'other', status: 'failed', gate: true }] },
  });
};
const begunAt =
  (fromSequence: number): Edit =>
  ({ result }) => {
    result.evidenceRange.fromSequence = fromSequence;
  };

// JOURNAL-CLAIMS-1
test('what an earlier run of the world judged is not of this one where the world was reset after it, and only there', async (t) => {
  const reset = failingRun(undefined, (journal) => {
    judgedBefore(journal);
    journal.turn({ kind: 'lifecycle', phase: 'world_closed', details: {} });
    journal.turn({ kind: 'lifecycle', phase: 'world_reset', details: { snapshotId: 'snap_1' } });
  });
  assert.deepEqual(await problemsOf(t, reset, begunAt(6)), []);
  const earlier = await problemsOf(t, reset, begunAt(2));
  assert.ok(earlier.includes('report.json VERDICT_MISMATCH'), `${earlier}`);
  const unreset = failingRun(undefined, judgedBefore);
  const problems = await problemsOf(t, unreset, begunAt(4));
  assert.ok(problems.includes('evidence.jsonl EVIDENCE_RANGE_MISMATCH'), `${problems}`);
  // A session may be used before its run.
  const used = failingRun(undefined, (journal) => journal.moveClock(journal.nowUs + 1));
  assert.deepEqual(await problemsOf(t, used, begunAt(3)), []);
});

const failed: Edit = ({ result }) => {
  result.status = 'runner_failed';
  result.verdict = 'inconclusive';
  result.failure = {
    schemaVersion: 1,
    code: 'world.UNAVAILABLE',
    source: 'world',
    message: 'The world went away.',
    retryable: false,
    issues: [],
    correlationId: 'corr_0h7kq2mv9x4tbn8c0000000001',
    details: {},
  };
};

// JOURNAL-CLAIMS-1
test('a run that was not sealed may have lost a judgement that did not fail, or its whole journal', async (t) => {
  const withoutFirst: Edit = (report) => {
    failed(report);
    report.result.checkpoints.splice(0, 1);
  };
  assert.deepEqual(await problemsOf(t, passingRun(), withoutFirst), []);
  assert.deepEqual(
    await problemsOf(t, failingRun(), (report) => {
      withoutFirst(report);
      report.result.verdict = 'failed';
    }),
    ['report.json VERDICT_MISMATCH'],
  );

  const nothing = sha256Digest('');
  const lost: Edit = ({ result }) => {
    result.evidenceRange = { fromSequence: 0, toSequence: 0 };
    result.assertionResults = [];
    Object.assign(result, { stateHash: nothing, evidenceHash: nothing, trajectoryHash: nothing });
  };
  const empty = { ...passingRun(), lines: [] };
  assert.deepEqual(
    await problemsOf(t, empty, (report) => {
      failed(report);
      lost(report);
    }),
    [],
  );
  assert.deepEqual(await problemsOf(t, empty, lost), ['evidence.jsonl EVIDENCE_RANGE_MISMATCH']);
});

// JOURNAL-CLAIMS-2
test('a run cannot be said to be of another build, setup, seed, trial, attempt or world than its journal', async (t) => {
  const other = `sha256:${'0'.repeat(64)}`;
  await assertSeen(t, [
    ['report.json', 'IDENTITY_MISMATCH', ({ result }) => (result.identity.seed = '7')],
    ['report.json', 'IDENTITY_MISMATCH', ({ result }) => (result.identity.buildHash = other)],
    ['report.json', 'IDENTITY_MISMATCH', ({ result }) => (result.identity.trial = 1)],
    ['report.json', 'IDENTITY_MISMATCH', ({ result }) => (result.identity.attempt = 2)],
    ['report.json', 'IDENTITY_MISMATCH', ({ result }) => (result.identity.worldInstanceId = 'world_0h7kq2mv9x4tbn8d')],
    ['report.json', 'IDENTITY_MISMATCH', ({ result }) => (result.identity.setupHash = result.setup.setupHash = other)],
    ['report.json', 'REPORT_INVALID', ({ result }) => (result.setup.setup.scenario.state = [])],
    ['report.json', 'REPORT_INVALID', ({ result }) => result.setup.setup.tools.behaviorOverrides.push({ scope: 'other', id: 'x' })],
    ['report.json', 'REPORT_INVALID', ({ result }) => (result.setup.setup.tools.packages[0]!.version = '9.9.9')],
    ['report.json', 'REPORT_INVALID', (report) => (report.drill.id = report.result.identity.drillId = 'other-drill')],
    ['report.json', 'REPORT_INVALID', (report) => (report.target.id = 'other-agent')],
  ]);
});

// JOURNAL-CLAIMS-2
test('which trial a hosted run is, its client says, and a fork begins in the journal of its parent', async (t) => {
  const hosted: Edit = (report) => {
    delete report.invocation;
    report.result.identity.trial = 3;
  };
  assert.deepEqual(await problemsOf(t, failingRun(), hosted), []);

  const otherBuild: Edit = ({ result }) => (result.identity.buildHash = sha256Digest('another build'));
  const { details } = failingRun().journal.entries[0] as LifecycleEntry;
  const fork = begunAs({ phase: 'world_forked', details: { fromSequence: 7 } });
  assert.deepEqual(await problemsOf(t, fork, otherBuild), []);
  const forkOfAnother = await problemsOf(t, fork, ({ result }) => (result.identity.worldInstanceId = 'world_1'));
  assert.deepEqual(forkOfAnother, ['report.json IDENTITY_MISMATCH']);
  assert.deepEqual(await problemsOf(t, begunAs({ phase: 'world_closed', details }), () => {}), ['evidence.jsonl IDENTITY_MISMATCH']);
});

/** Whose journal begins in another way. */
function begunAs(first: Pick<LifecycleEntry, 'phase' | 'details'>): RunFixture {
  const { journal, ...fixture } = failingRun();
  Object.assign(journal.entries[0]!, first);
  const { result } = fixture.report;
  Object.assign(result, { evidenceHash: journal.evidenceHash(), trajectoryHash: journal.trajectoryHash() });
  return { ...fixture, journal, lines: journal.lines() };
}
