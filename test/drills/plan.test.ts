// Selection, plan, timeline and the verdicts above an attempt: pure functions of a build.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledBuild, CompiledDrill } from '../../src/contract/run/build.js';
import type { Suite, Timeline } from '../../src/contract/run/drill.js';
import type { Binding, Target } from '../../src/contract/run/target.js';
import { deriveSeed } from '../../src/contract/seed.js';
import { type PlanOptions, planRun } from '../../src/drills/plan/plan.js';
import { layTimeline } from '../../src/drills/plan/timeline.js';
import { drillVerdict, overallVerdict, trialVerdict } from '../../src/drills/plan/trials.js';

const targets: Target[] = [
  { kind: 'module', id: 'mod', bindings: ['direct'], module: 'a.js', export: 'default', timeoutMs: 1000 },
  { kind: 'module', id: 'mcp-only', bindings: ['mcp'], module: 'a.js', export: 'default', timeoutMs: 1000 },
  { kind: 'external', id: 'ext', bindings: ['http'], timeoutMs: 1000 },
];
function drill(id: string, more: { tags?: string[]; targetId?: string; title?: string; trials?: number } = {}): CompiledDrill {
  const { tags = [], targetId = 'mod', title, trials = 1 } = more;
  return {
    drill: {
      schemaVersion: 1,
      id,
      ...(title === undefined ? {} : { title }),
      tags,
      targetId,
      trials: { count: trials, classification: 'contract' },
      capture: { logs: 'off', screenshots: 'off', video: 'off', files: 'off' },
      timeline: {
        horizonUs: 0,
        maxToolCalls: 10,
        maxEvents: 10,
        stopOnInvariantFailure: true,
        stopOnTargetFailure: true,
        interactions: [],
        workloads: [],
        invariants: [],
      },
      assertions: [],
    },
    setup: { virtualTimeUs: 0, actors: [], state: [], faults: [], initialEvents: [], toolOverrides: [] },
    setupHash: `sha256:${'0'.repeat(64)}`,
  } as unknown as CompiledDrill;
}
const suite = (id: string, more: Partial<Suite> = {}): Suite => ({
  schemaVersion: 1,
  id,
  drills: [],
  tags: [],
  concurrency: 1,
  retries: 0,
  ...more,
});
const build = (suites: Suite[] = []): CompiledBuild =>
  ({
    buildHash: 'sha256:b',
    world: { seed: '7' },
    targets,
    drills: [
      drill('alpha', { tags: ['fast'] }),
      drill('beta', { tags: ['slow'], title: 'Refund twice', trials: 3 }),
      drill('gamma', { tags: ['fast', 'slow'] }),
    ],
    suites,
  }) as unknown as CompiledBuild;
const available = new Set<Binding>(['direct', 'http', 'cli']);
const plan = (options: PlanOptions = {}, suites: Suite[] = []) => planRun(build(suites), options, available);
const ids = (options: PlanOptions = {}, suites: Suite[] = []): string[] => plan(options, suites).drills.map((planned) => planned.drill.id);

test('without a choice: the suite called default, else everything', () => {
  assert.deepEqual(ids(), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(ids({}, [suite('default', { tags: ['slow'] }), suite('other')]), ['beta', 'gamma']);
  assert.deepEqual(ids({ tags: ['fast'] }, [suite('default', { drills: ['beta'] })]), ['alpha', 'gamma']);
});

test('a suite is the union of its ids and tags; an empty one is every drill', () => {
  assert.deepEqual(ids({ suite: 's' }, [suite('s', { drills: ['beta'], tags: ['fast'] })]), ['alpha', 'beta', 'gamma']);
  assert.deepEqual(ids({ suite: 's' }, [suite('s')]), ['alpha', 'beta', 'gamma']);
});

test('ids, tags and filter narrow one another', () => {
  assert.deepEqual(ids({ tags: ['slow', 'fast'], drills: ['gamma', 'alpha'] }), ['alpha', 'gamma']);
  assert.deepEqual(ids({ suite: 's', tags: ['slow'] }, [suite('s', { tags: ['fast'] })]), ['gamma']);
  assert.deepEqual(ids({ filter: 'REFUND' }), ['beta']);
  assert.deepEqual(ids({ filter: '*m*a' }), ['gamma']);
});

test('names that nothing has, and a choice that leaves nothing, are refused', () => {
  assert.throws(() => plan({ suite: 'x' }, [suite('s')]), /no suite "x". There are: s/);
  assert.throws(() => plan({ drills: ['x'] }), /no drill "x"/);
  assert.throws(() => plan({ tags: ['x'] }), /no tag "x". There are: fast, slow/);
  assert.throws(() => plan({ filter: '(' }), /No drill is selected/);
});

test("a trial's seed comes from the run's seed, the drill and the trial, whatever else runs", () => {
  const [, beta] = plan().drills;
  assert.deepEqual(
    beta?.trials.map(({ seed }) => seed),
    [1, 2, 3].map((trial) => deriveSeed('7', 'beta', trial)),
  );
  assert.deepEqual(plan({ drills: ['beta'] }).drills[0]?.trials, beta?.trials);
  assert.notDeepEqual(plan({ seed: '8' }).drills[1]?.trials, beta?.trials);
});

test('options win over the suite, the suite over the drill', () => {
  const suites = [suite('s', { trials: 2, retries: 1, concurrency: 4 })];
  const bySuite = plan({ suite: 's' }, suites);
  assert.equal(bySuite.concurrency, 4);
  assert.ok(bySuite.drills.every(({ trials, attemptLimit }) => trials.length === 2 && attemptLimit === 2));
  const byOption = plan({ suite: 's', trials: 5, retries: 0, concurrency: 2 }, suites);
  assert.equal(byOption.concurrency, 2);
  assert.ok(byOption.drills.every(({ trials, attemptLimit }) => trials.length === 5 && attemptLimit === 1));
});

test('a trial alone is of the drills that have it, and refused where none has', () => {
  const alone = plan({ trial: 3 }).drills.map(({ drill: { id }, trials, trialCount }) => [
    id,
    trials.map(({ trial }) => trial),
    trialCount,
  ]);
  assert.deepEqual(alone, [['beta', [3], 3]]);
  const code = 'control.INVALID_REQUEST';
  assert.throws(() => plan({ trial: 4 }), { code, message: 'trial must be at most 3: no chosen drill has more trials than "beta".' });
  assert.throws(() => plan({ trial: 2, drills: ['alpha'] }), { code, message: /at most 1: .*"alpha"/ });
  assert.equal(plan({ trial: 4, trials: 4 }).drills.length, 3);
});

test('the trials of a run of the past are of as many as that run had', () => {
  const only = (trials: number[], trialCount?: number) =>
    plan({ only: [{ drillId: 'beta', trials, ...(trialCount === undefined ? {} : { trialCount }) }] }).drills[0];
  assert.deepEqual([only([2], 7)?.trialCount, only([2])?.trialCount, only([5])?.trialCount], [7, 3, 5]);
});

test('options out of their range are refused by name', () => {
  for (const [name, value] of Object.entries({ trials: 0, retries: 11, concurrency: 65, seed: '18446744073709551616' })) {
    assert.throws(() => plan({ [name]: value }), { code: 'control.INVALID_REQUEST', message: new RegExp(`^${name} must be`) });
  }
});

test('a target that cannot run is refused in the plan, by name', () => {
  const refused = { ...build(), drills: [drill('a', { targetId: 'mcp-only' }), drill('b', { targetId: 'ext' })] };
  const codes = planRun(refused, {}, available).drills.map(({ refusal }) => refusal?.code);
  assert.deepEqual(codes, ['target.BINDING_UNAVAILABLE', 'target.UNSUPPORTED']);
});

test('a timeline is ordered by time, then as declared, then by actor', () => {
  const task = { instruction: 'x' };
  const laid = layTimeline(
    {
      timeline: {
        ...drill('x').drill.timeline,
        interactions: [
          { id: 'late', afterStartUs: 20, actorId: 'a', task },
          { id: 'early', afterStartUs: 0, actorId: 'b', actorInstanceId: 'i', task },
        ],
        workloads: [{ id: 'poll', actorIds: ['a', 'b'], task, startAfterUs: 0, everyUs: 10, occurrences: 3 }],
      },
    },
    100,
  );
  assert.deepEqual(
    laid.map(({ id, atUs }) => [id, atUs]),
    [
      ['early', 100],
      ['poll-a-1', 100],
      ['poll-b-1', 100],
      ['poll-a-2', 110],
      ['poll-b-2', 110],
      ['late', 120],
      ['poll-a-3', 120],
      ['poll-b-3', 120],
    ],
  );
  assert.equal(laid[0]?.actorInstanceId, 'i');
});

test('a timeline of more interactions than one run holds is refused in the plan', () => {
  const long = drill('long');
  const workload = { id: 'w', actorIds: ['a', 'b'], task: { instruction: 'x' }, startAfterUs: 0, everyUs: 1, occurrences: 10_000 };
  long.drill.timeline.workloads = Array.from({ length: 5 }, () => workload);
  const refusalOf = () => planRun({ ...build(), drills: [long] }, {}, available).drills[0]?.refusal?.code;
  assert.equal(refusalOf(), undefined);
  long.drill.timeline.workloads.push(workload);
  assert.equal(refusalOf(), 'framework.TIMELINE_TOO_LONG');
});

test('a timeline that goes beyond the last virtual time is refused in the plan', () => {
  const last = Number.MAX_SAFE_INTEGER;
  const task = { instruction: 'x' };
  const refusalOf = (more: Partial<Timeline>, virtualTimeUs = last - 1000) => {
    const late = drill('late');
    Object.assign(late.drill.timeline, more);
    const setup = { ...late.setup, virtualTimeUs };
    return planRun({ ...build(), drills: [{ ...late, setup }] }, {}, available).drills[0]?.refusal?.code;
  };
  const interactions = (afterStartUs: number) => [{ id: 'one', actorId: 'a', task, afterStartUs }];
  const workloads = (everyUs: number) => [{ id: 'w', actorIds: ['a'], task, startAfterUs: 500, everyUs, occurrences: 3 }];
  for (const fits of [{ horizonUs: 1000 }, { interactions: interactions(1000) }, { workloads: workloads(250) }])
    assert.equal(refusalOf(fits), undefined);
  for (const long of [
    { horizonUs: 1001 },
    { interactions: interactions(1001) },
    { workloads: workloads(251) },
    { workloads: workloads(last) },
  ])
    assert.equal(refusalOf(long), 'framework.TIMELINE_TOO_LONG');
  assert.equal(refusalOf({ horizonUs: last }, -1), undefined);
});

test('a build from before assertions were counted is not judged with more than there may be', () => {
  const many = drill('many');
  const assertion = many.drill.assertions[0]!;
  many.drill.assertions = Array.from({ length: 200 }, (_, index) => ({ ...assertion, id: `a${index}` }));
  many.drill.timeline.invariants = [];
  const refusalOf = () => planRun({ ...build(), drills: [many] }, {}, available).drills[0]?.refusal?.code;
  assert.equal(refusalOf(), undefined);
  many.drill.timeline.invariants = [assertion];
  assert.equal(refusalOf(), 'framework.TOO_MANY_ASSERTIONS');
});

test('a trial that passes on a retry passes and is flaky', () => {
  assert.deepEqual(trialVerdict(['passed']), { verdict: 'passed', flaky: false });
  assert.deepEqual(trialVerdict(['failed', 'inconclusive', 'passed']), { verdict: 'passed', flaky: true });
  assert.deepEqual(trialVerdict(['inconclusive', 'failed']), { verdict: 'failed', flaky: false });
  assert.deepEqual(trialVerdict([]), { verdict: 'inconclusive', flaky: false });
});

test('the gate over trials', () => {
  const verdicts = { p: 'passed', f: 'failed', i: 'inconclusive' } as const;
  const of = (letters: string, require?: { passRate?: number; passHatK?: number }) =>
    drillVerdict(
      [...letters].map((letter) => verdicts[letter as 'p']),
      require,
    );
  assert.equal(of('ppp'), 'passed');
  assert.equal(of('ppf'), 'failed');
  assert.equal(of('ppi'), 'inconclusive');
  assert.equal(of('pppppppppf', { passRate: 0.9 }), 'passed');
  assert.equal(of('ppppppppff', { passRate: 0.9 }), 'failed');
  assert.equal(of('ppppppppfi', { passRate: 0.9 }), 'inconclusive');
  assert.equal(of('fff', { passRate: 0 }), 'passed');
  assert.equal(of('ppp', { passHatK: 2 }), 'passed');
  assert.equal(of('ppf', { passHatK: 2 }), 'failed');
  assert.equal(of('pp', { passHatK: 3 }), 'inconclusive');
  assert.equal(of('ppf', { passRate: 0.5, passHatK: 1 }), 'failed');
  assert.equal(overallVerdict(['passed', 'inconclusive', 'failed']), 'failed');
  assert.equal(overallVerdict(['passed', 'inconclusive']), 'inconclusive');
});
