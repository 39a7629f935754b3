// `report check`, `report compare` and `history` over stored runs of a real repository.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { whatAgrees } from '../../src/cli/report-command.js';
import { type RunDrillsOptions, runDrills } from '../../src/index.js';
import { drill, moduleAgent, noteIs, notesBehavior, type Repository, temporaryRepositories, written } from '../drills/repository.js';
import { drillyard, jsonLines } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const repository = temporaryRepositories();
const write = (id: string, text: string) => `await context.world.call('notes', 'note.write', { id: '${id}', text: '${text}' });`;
const reportsOf = ({ root }: Repository, directory = '.service/reports') =>
  readdirSync(join(root, directory)).map((name) => join(root, directory, name));
const run = async ({ root }: Repository, options: Partial<RunDrillsOptions> = {}) => {
  const { drills } = await runDrills({ root, ...options });
  return drills.flatMap(({ trials }) => trials.flatMap(({ attempts }) => attempts));
};
const rows = { packageId: 'notes', namespace: 'notes' };

const checked = repository(
  moduleAgent(
    'agent',
    `${write('a', 'x')} await context.world.call('notes', 'note.remind', { id: 'a', afterUs: 50 }); return { said: 'done' };`,
  ),
  moduleAgent('fails', `${write('a', 'x')} throw new Error('gave up');`),
  drill('whole', 'agent', [noteIs('a', 'x'), written({ equals: 1 })], {
    timeline: {
      horizonUs: 100,
      interactions: [
        { id: 'first', actorId: 'writer', task: { instruction: 'Go.' } },
        { id: 'second', afterStartUs: 60, actorId: 'writer', task: { instruction: 'Continue.' } },
      ],
      invariants: [{ id: 'calm', kind: 'state.count', ...rows, count: { atMost: 3 } }],
    },
  }),
  drill('broken', 'fails', [noteIs('a', 'x'), written({ equals: 1 }), { id: 'some', kind: 'state.count', ...rows, count: { atLeast: 1 } }]),
);
before(() => run(checked));

// JUDGE-REPORT-1
test('check with unchanged assertions gives the sealed results, cut short or not', async () => {
  const { code, stdout, stderr } = await drillyard(['report', 'check', '--json'], { cwd: checked.root });
  assert.equal(code, 1, stderr);
  const lines = jsonLines(stdout);
  const checks = lines.filter(({ event }) => event === 'check');
  assert.equal(checks.length, 2);
  for (const { runId, verdict, sealed, changed, setupChanged, assertionResults, checkpoints } of checks) {
    const result = JSON.parse(readFileSync(join(checked.root, '.service/reports', runId as string, 'run.json'), 'utf8'));
    assert.deepEqual([verdict, sealed, changed, setupChanged], [result.verdict, result.verdict, [], false]);
    assert.deepEqual([assertionResults, checkpoints], [result.assertionResults, result.checkpoints]);
  }
  assert.deepEqual(lines.at(-1), {
    event: 'summary',
    verdict: 'failed',
    passed: 0,
    failed: 1,
    inconclusive: 1,
    unavailable: 0,
    changed: 0,
  });
});

// JUDGE-REPORT-1, JUDGE-REPORT-2
test('check judges stored runs with the assertions of today: rows, outputs and times of then', async () => {
  const changed = repository(moduleAgent('agent', `${write('a', 'x')} return { said: 'done' };`), drill('it', 'agent', [noteIs('a', 'y')]));
  await run(changed);
  const again = [
    noteIs('a', 'x'),
    noteIs('first', 'here from the start', { id: 'from-the-start' }),
    { id: 'said', kind: 'output.value', path: ['said'], expected: 'done' },
    { id: 'nothing-else', kind: 'state.diff', changes: [{ change: 'insert', ...rows, rowId: 'a' }] },
    { id: 'reported', kind: 'expr', expression: "state.notes['a'].text == outputs.main.said", state: { notes: rows }, gate: false },
  ];
  for (const [path, content] of Object.entries(drill('it', 'agent', again))) changed.write(path, content);
  const { code, stdout } = await warmDrillyard(['report', 'check', '--root', changed.root]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^run_\S+ {2}it {2}failed -> passed\n/);
  assert.match(stdout, / {2}note-a: failed -> passed\. \/text of row a is "x", as wanted\.\n/);
  assert.match(stdout, / {2}reported: absent -> failed\. The expression is false: /);
  assert.match(stdout, /1 report: 1 passed; 1 verdict changed\.\n$/);
  // Invariants that were not there: what lies between was not written down.
  const invariants = {
    timeline: {
      interactions: [{ id: 'main', actorId: 'writer', task: { instruction: 'Go.' } }],
      invariants: [noteIs('a', 'x', { id: 'kept' })],
    },
  };
  for (const [path, content] of Object.entries(drill('it', 'agent', again, invariants))) changed.write(path, content);
  const [folder] = reportsOf(changed);
  const unsure = await warmDrillyard(['report', 'check', folder!, '--root', changed.root, '--json']);
  assert.equal(unsure.code, 1);
  const [line] = jsonLines(unsure.stdout);
  assert.equal(line?.verdict, 'inconclusive');
  const checkpoints = line?.checkpoints as { checkpointId: string; verdict: string }[];
  assert.deepEqual(
    checkpoints.map(({ checkpointId, verdict }) => `${checkpointId} ${verdict}`),
    ['after-main inconclusive', 'end passed'],
  );
});

test('check: what is no report as it was sealed, and what no drill is of, is reported and never passes', async () => {
  const spoiled = repository(
    moduleAgent('agent', write('a', 'x')),
    drill('it', 'agent', [noteIs('a', 'x')]),
    drill('gone', 'agent', [noteIs('a', 'x')]),
  );
  await run(spoiled, { drills: ['it', 'gone'] });
  for (const [path] of Object.entries(drill('gone', 'agent', [])))
    renameSync(join(spoiled.root, path), join(spoiled.root, 'kept-aside.json'));
  const damaged = reportsOf(spoiled).find((folder) => readFileSync(join(folder, 'report.json'), 'utf8').includes('"it"'))!;
  appendFileSync(join(damaged, 'evidence.jsonl'), '{}\n');
  const { code, stdout } = await warmDrillyard(['report', 'check', '--root', spoiled.root, '--json']);
  assert.equal(code, 1);
  const lines = jsonLines(stdout);
  const codes = lines.flatMap(({ problems }) => (problems as { code: string }[] | undefined)?.map((problem) => problem.code) ?? []);
  assert.deepEqual(codes.sort(), ['DIGEST_MISMATCH', 'DRILL_UNKNOWN']);
  assert.deepEqual(lines.at(-1), {
    event: 'summary',
    verdict: 'inconclusive',
    passed: 0,
    failed: 0,
    inconclusive: 0,
    unavailable: 2,
    changed: 0,
  });
  assert.equal((await warmDrillyard(['report', 'check', '--root', repository().root])).code, 2);
  assert.equal((await warmDrillyard(['report', 'check', 'run_nowhere000000', '--root', spoiled.root])).code, 2);
});

test('replay: 0 where every answer is the same, 1 with the first that is not; latest~1 is the run before the latest', async () => {
  const replayed = repository(moduleAgent('agent', `${write('a', 'x')} ${write('b', 'y')}`), drill('it', 'agent', [noteIs('a', 'x')]));
  const [first] = await run(replayed);
  const [second] = await run(replayed);
  const { root } = replayed;
  const same = await warmDrillyard(['report', 'replay', 'latest', '--root', root]);
  assert.equal(same.code, 0, same.stderr);
  assert.match(same.stdout, /^run_\S+ {2}it {2}\S+\nSame: 2 calls got the answers of then, and the rows at the end are those of then\.\n$/);
  replayed.write('notes/behavior.ts', notesBehavior.replace('return input;', "return { ...input, tag: input.id === 'b' ? 'new' : 'x' };"));
  const other = await warmDrillyard(['report', 'replay', 'latest', '--root', root]);
  assert.equal(other.code, 1);
  assert.match(other.stdout, /\nCall 1 of 2 \(entry 2\), at 1 ms: writer called notes\/note\.write\n {2}with {6}\{"id":"a","text":"x"\}\n/);
  assert.match(
    other.stdout,
    /\n {2}differs {3}value\.tag: nothing -> "x"\n {2}recorded .*\n {2}present .*\n1 further answer differs, perhaps/,
  );
  const { stdout } = await warmDrillyard(['report', 'replay', first!.runId, '--root', root, '--json']);
  const [{ event, same: isSame, calls, differing, differences }] = jsonLines(stdout) as [{ [name: string]: unknown }];
  assert.deepEqual([event, isSame, calls, differing, (differences as object[]).length], ['replay', false, 2, 2, 2]);
  const compared = await warmDrillyard(['report', 'compare', 'latest~1', 'latest', '--root', root, '--json']);
  const [{ left, right }] = jsonLines(compared.stdout) as unknown as [{ left: { runId: string }; right: { runId: string } }];
  assert.deepEqual([left.runId, right.runId], [first!.runId, second!.runId]);
  assert.equal((await warmDrillyard(['report', 'verify', 'latest~2', '--root', root])).code, 2);
});

// RUN-TURNS-2
test('compare: one call more, and a wait before everything, shift nothing', async () => {
  const rest = `${write('a', 'x')} await context.world.call('notes', 'note.remind', { id: 'a', afterUs: 50 }); ${write('b', 'y')}`;
  const compared = repository(moduleAgent('agent', rest), drill('it', 'agent', [noteIs('a', 'x')], { timeline: undefined }));
  compared.write('drillyard/it.drill.json', {
    ...{ schemaVersion: 1, id: 'it', targetId: 'agent', assertions: [noteIs('a', 'x')] },
    timeline: { horizonUs: 500, interactions: [{ id: 'main', actorId: 'writer', task: { instruction: 'Go.' } }] },
  });
  const [left] = await run(compared);
  compared.write(
    'agents/agent.mjs',
    `export default async (invocation, context) => { await context.world.wait(1030); ${write('extra', 'z')} ${rest} };\n`,
  );
  const [right] = await run(compared);
  const args = [left!.runId, right!.runId, '--root', compared.root];
  const { code, stdout, stderr } = await drillyard(['report', 'compare', ...args, '--json']);
  assert.equal(code, 0, stderr);
  assert.ok(!stdout.includes(compared.root));
  const [comparison] = jsonLines(stdout) as [
    { grade: string; differences: { shown: { summary: string; kind: string }[] }; firstDivergence: { summary: string } },
  ];
  assert.equal(comparison.grade, 'exact_inputs');
  // The event that came due writes its time into a row: the same event, with another effect.
  assert.deepEqual(
    comparison.differences.shown.map(({ kind, summary }) => `${kind}: ${summary}`),
    [
      'only_right: Only on the right: writer called world/clock.wait.',
      'only_right: Only on the right: writer called notes/note.write.',
      'changed: On both sides notes/note.due was handled, with other effects.',
    ],
  );
  const text = await warmDrillyard(['report', 'compare', ...args]);
  assert.match(text.stdout, /exact_inputs: Equal inputs\./);
  assert.match(text.stdout, /Where they part: Only on the right/);
  assert.match(text.stdout, /right #\d+ {2}world\.clock\.wait by writer → ok\n/);
  assert.match(text.stdout, /Rows at the end that differ: \d+ changed, 0 only left, 1 only right\n[\s\S]*notes\/notes\/extra/);
  assert.match(text.stdout, /State changes: \d+ \| \d+ {2}\+1\n/);
  const self = await warmDrillyard(['compare', left!.runId, left!.runId, '--root', compared.root]);
  assert.match(self.stdout, /Turns: \d+ same, 0 changed, 0 moved, 0 only left, 0 only right\n/);
});

const flips = `import { existsSync, writeFileSync } from 'node:fs';
export default async (invocation, context) => {
  const second = existsSync('been-here');
  writeFileSync('been-here', '');
  await context.world.call('notes', 'note.write', { id: 'a', text: second ? 'x' : 'wrong' });
};\n`;

test('a drill that passed only when tried again is reported as flaky everywhere, and history remembers', async () => {
  const flaky = repository(
    moduleAgent('flips', ''),
    moduleAgent('agent', write('a', 'x')),
    drill('shaky', 'flips', [noteIs('a', 'x')]),
    drill('steady', 'agent', [noteIs('a', 'x')]),
  );
  flaky.write('agents/flips.mjs', flips);
  const ran = await warmDrillyard(['run', '--json', '--retries', '1'], { cwd: flaky.root });
  assert.equal(ran.code, 0, ran.stderr);
  const lines = jsonLines(ran.stdout);
  assert.deepEqual(lines.at(-1), { event: 'summary', verdict: 'passed', passed: 2, failed: 0, inconclusive: 0, flaky: ['shaky'] });
  const second = lines.find(({ event, attempt }) => event === 'attempt' && attempt === 2)?.report as string;
  assert.match(readFileSync(join(flaky.root, second, 'junit.xml'), 'utf8'), /<property name="flaky" value="passed only at attempt 2"\/>/);
  assert.match(readFileSync(join(flaky.root, second, 'index.html'), 'utf8'), /flaky: it passed only at attempt 2/);
  const again = await warmDrillyard(['report', 'check', '--json'], { cwd: flaky.root });
  assert.equal(again.code, 0, 'what a retry mended passes, as it did in the run');
  const reported = { passed: 2, failed: 1, inconclusive: 0, unavailable: 0, changed: 0, flaky: ['shaky'] };
  assert.deepEqual(jsonLines(again.stdout).at(-1), { event: 'summary', verdict: 'passed', ...reported });
  const all = await drillyard(['history', '--json'], { cwd: flaky.root });
  assert.equal(all.code, 0, all.stderr);
  const [shaky, steady, summary] = jsonLines(all.stdout) as unknown as [Shown, Shown, object];
  assert.deepEqual([shaky.drillId, shaky.runs, shaky.passed, shaky.failed], ['shaky', 2, 1, 1]);
  assert.deepEqual([shaky.statistics.trials, shaky.statistics.passed], [1, 0]);
  assert.equal(shaky.lastFailure?.reason, 'note-a does not hold');
  assert.deepEqual(
    shaky.flaky?.passedAtRetry.map(({ attempt }) => attempt),
    [2],
  );
  assert.equal(steady.flaky, undefined);
  assert.deepEqual(steady.statistics.interval, { low: 0.025, high: 1, level: 0.95, method: 'clopper_pearson' });
  assert.deepEqual(summary, { event: 'summary', reports: 3, drills: 2, flaky: 1, unavailable: 0, older: 0 });
  const only = await warmDrillyard(['history', '--flaky'], { cwd: flaky.root });
  assert.match(only.stdout, /^shaky {2}✗✓ /);
  assert.match(only.stdout, /0 of 1 first attempt passed: 0 % \(95 % interval 0 to 97.5 %\)/);
  assert.match(only.stdout, /flaky: passed only at attempt 2/);
  assert.doesNotMatch(only.stdout, /steady/);
  const terminal = await warmDrillyard(['run', 'shaky', '--retries', '1', '--trials', '2'], { cwd: flaky.root });
  assert.match(terminal.stdout, /2 of 2 trials {2}100 % \(95 % interval 15.8 to 100 %\)/);
});
interface Shown {
  drillId: string;
  runs: number;
  passed: number;
  failed: number;
  statistics: { trials: number; passed: number; interval: object };
  lastFailure?: { reason: string };
  flaky?: { passedAtRetry: { attempt: number }[] };
}

test('history lists what it cannot read, reads no more than it is asked to, and knows no other drills', async () => {
  const { root } = checked;
  const copy = repository();
  cpSync(join(root, '.service/reports'), join(copy.root, 'kept'), { recursive: true });
  const [first] = reportsOf(copy, 'kept');
  writeFileSync(join(first!, 'report.json'), '{}');
  mkdirSync(join(copy.root, 'kept/something-else'));
  mkdirSync(join(copy.root, 'kept/.draft'));
  const { code, stdout } = await warmDrillyard(['history', '--report-dir', 'kept', '--root', copy.root, '--json']);
  assert.equal(code, 0);
  const lines = jsonLines(stdout);
  assert.deepEqual(
    lines
      .filter(({ event }) => event === 'unavailable')
      .map(({ problem }) => problem as string)
      .sort(),
    ['cannot be read (ENOENT)', 'report.json is not what manifest.json says'],
  );
  assert.deepEqual(lines.at(-1), { event: 'summary', reports: 3, drills: 1, flaky: 0, unavailable: 2, older: 0 });
  const newest = await warmDrillyard(['history', '--report-dir', 'kept', '--root', copy.root, '--json', '--last', '1']);
  assert.deepEqual([jsonLines(newest.stdout).at(-1)?.reports, jsonLines(newest.stdout).at(-1)?.older], [1, 2]);
  const unknown = await warmDrillyard(['history', 'nothing', '--root', root]);
  assert.equal(unknown.code, 2);
  assert.match((await warmDrillyard(['history', '--root', repository().root])).stdout, /There are no reports yet\./);
});

test('verify names what it could not compare, and says of nothing else that it agrees', () => {
  assert.equal(whatAgrees([]), 'Digests, evidence, verdict and projections agree.');
  const some = whatAgrees(['index.html', 'report.txt']);
  assert.match(some, /^Digests, evidence and verdict agree\..* made index\.html, report\.txt: what they say was not checked\.$/);
});
