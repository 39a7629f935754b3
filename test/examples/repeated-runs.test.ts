// Runs again, as a user asks for them: every run of an example repeats with the same trajectory, by its own command and by its id.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RunReport } from '../../src/contract/run/run-events.js';
import { runDrills } from '../../src/index.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';
import { createRepository, drill, moduleAgent, noteIs } from '../drills/repository.js';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'drillyard-repeated-'));
const desk = join(folder, '01-support-desk');
before(() => copy('01-support-desk'));
after(() => rmSync(folder, { recursive: true, force: true }));

function copy(name: string): string {
  const root = join(folder, name);
  cpSync(join(examples, name), root, { recursive: true, filter: (from) => !from.includes('.service') });
  // What an agent imports that an example installs.
  symlinkSync(join(examples, '..', 'node_modules'), join(root, 'node_modules'));
  return root;
}
interface Attempt {
  runId: string;
  drillId: string;
  trial: number;
  trajectoryHash: string;
  report: string;
}
async function run(
  root: string,
  ...args: string[]
): Promise<{ code: number | null; lines: ReturnType<typeof jsonLines>; attempts: Attempt[] }> {
  const { code, stdout } = await warmDrillyard(['run', ...args, '--json'], { cwd: root });
  const lines = jsonLines(stdout);
  return { code, lines, attempts: lines.filter(({ event }) => event === 'attempt') as unknown as Attempt[] };
}
function reportOf(root: string, { report }: Pick<Attempt, 'report'>): RunReport {
  return JSON.parse(readFileSync(join(root, report, 'report.json'), 'utf8')) as RunReport;
}
/** The command that report.txt prints. */
function commandOf(root: string, { report }: Attempt): string[] {
  const [, command] = /^ *repeat +drillyard run (.*)$/m.exec(readFileSync(join(root, report, 'report.txt'), 'utf8')) ?? [];
  assert.ok(command !== undefined, report);
  return command.split(' ');
}

for (const [name, ...flags] of [
  ['01-support-desk', '--trials', '2'],
  ['03-mcp-agent'],
  ['04-command-agent'],
  ['05-webhook-receiver'],
  ['07-embedded-inspector'],
  ['08-real-services'],
] as const) {
  test(`every run of ${name} repeats with the same trajectory hash`, { timeout: 240_000 }, async () => {
    const root = name === '01-support-desk' ? desk : copy(name);
    const first = await run(root, ...flags);
    assert.ok(first.attempts.length > 0);
    const invocations = new Set(first.attempts.map((attempt) => reportOf(root, attempt).invocation?.id));
    assert.deepEqual([...invocations], [first.lines[0]?.invocationId], 'one invocation for all of them');
    // The last trial of each drill: its seed is the furthest from the run's.
    const last = new Map(first.attempts.map((attempt) => [attempt.drillId, attempt]));
    for (const attempt of last.values()) {
      const again = await run(root, ...commandOf(root, attempt));
      assert.deepEqual(
        again.attempts.map(({ drillId, trial, trajectoryHash }) => ({ drillId, trial, trajectoryHash })),
        [{ drillId: attempt.drillId, trial: attempt.trial, trajectoryHash: attempt.trajectoryHash }],
      );
    }
  });
}

test('a run that is repeated by its id says that it went the same way, or what is another than it was', { timeout: 120_000 }, async () => {
  const first = await run(desk, 'careless-refund', '--suite', 'failing');
  const [careless] = first.attempts as [Attempt];
  const same = await run(desk, '--repeat', careless.runId);
  const repetition = same.lines.find(({ event }) => event === 'repetition');
  assert.deepEqual([repetition?.ofRunId, repetition?.same, repetition?.differs], [careless.runId, true, []]);
  const agent = join(desk, 'agents', 'careless-agent.mjs');
  const before = readFileSync(agent, 'utf8');
  writeFileSync(agent, 'export default async () => ({});\n');
  const otherAgent = await drillyard(['run', '--repeat', careless.runId], { cwd: desk });
  writeFileSync(agent, before);
  assert.match(otherAgent.stdout, /Not the same as run_\w+: .*the agent did something else/);
});

// INVOCATIONS-1
test('what failed runs again alone, with its seed, a chosen one or a fresh one', { timeout: 120_000 }, async () => {
  const failing = await run(desk, 'careless-refund', 'auditor-cannot-refund', '--trials', '2');
  const invocationId = failing.lines[0]?.invocationId as string;
  const failed = failing.attempts.filter(({ drillId }) => drillId === 'careless-refund');
  const again = await run(desk, '--last-failed');
  assert.deepEqual(
    again.attempts.map(({ drillId, trial, trajectoryHash }) => [drillId, trial, trajectoryHash]),
    failed.map(({ drillId, trial, trajectoryHash }) => [drillId, trial, trajectoryHash]),
  );
  const fresh = await run(desk, '--last-failed', invocationId, '--seed', 'fresh');
  assert.deepEqual(
    fresh.attempts.map(({ drillId, trial }) => [drillId, trial]),
    failed.map(({ drillId, trial }) => [drillId, trial]),
  );
  assert.notEqual(fresh.lines[0]?.seed, failing.lines[0]?.seed);
  const passing = await run(desk, 'auditor-cannot-refund');
  assert.equal(passing.code, 0);
  const nothing = await run(desk, '--last-failed');
  const { invocationId: ofPassing } = passing.lines[0] as { invocationId: string };
  assert.deepEqual([nothing.code, nothing.lines], [0, [{ event: 'nothing_failed', invocationId: ofPassing, runs: 1 }]]);
  // The documents of the run before do not stay in the place of what was asked for.
  const list = 'github,junit,ctrf=ctrf.json,html=page.html,json=lines.jsonl';
  const summary = join(desk, 'summary.md');
  const told = await drillyard(['run', '--last-failed', '--reporter', list], { cwd: desk, env: { GITHUB_STEP_SUMMARY: summary } });
  assert.equal(told.code, 0, told.stderr);
  const why = `nothing failed in ${ofPassing} (1 run)`;
  const text = (file: string): string => readFileSync(join(desk, file), 'utf8');
  assert.ok(told.stdout.includes(`Nothing ran: ${why}.\n`), told.stdout);
  assert.ok(text('page.html').includes(`<h1>Nothing ran: ${why}</h1>`));
  assert.ok(text('summary.md').includes(`No drill ran: ${why}.`));
  assert.equal(JSON.parse(text('lines.jsonl')).event, 'nothing_failed');
  const { summary: totals } = JSON.parse(text('ctrf.json')).results;
  assert.ok(new Date(totals.start).getUTCFullYear() > 1970 && totals.stop === totals.start, JSON.stringify(totals));
  assert.deepEqual([totals.tests, /tests="0"/.test(text('.service/reports/junit.xml'))], [0, true]);
  const unknown = await run(desk, '--last-failed', 'inv_00000000000000000000000000');
  assert.equal(unknown.code, 2);
});

test('trials that a cancelled run never began have not passed, and run again', { timeout: 120_000 }, async () => {
  const plays = async (cancelAt: string) => {
    const cancel = new AbortController();
    const onEvent = ({ event }: { event: string }) => (event === cancelAt ? cancel.abort() : undefined);
    const options = { root: desk, drills: ['auditor-cannot-refund'], trials: 3, concurrency: 1, onEvent, signal: cancel.signal };
    return (await runDrills(options)).drills[0]?.trials ?? [];
  };
  const trials = await plays('attempt');
  assert.deepEqual(
    trials.map(({ verdict, attempts }) => [verdict, attempts.length]),
    [
      ['passed', 1],
      ['inconclusive', 0],
      ['inconclusive', 0],
    ],
  );
  const again = await run(desk, '--last-failed');
  assert.deepEqual(
    again.attempts.map(({ drillId, trial }) => [drillId, trial]),
    [
      ['auditor-cannot-refund', 2],
      ['auditor-cannot-refund', 3],
    ],
  );
  assert.equal((await run(desk, '--last-failed')).lines[0]?.event, 'nothing_failed', 'of those that ran again');
  await plays('plan');
  assert.equal((await run(desk, '--last-failed')).attempts.length, 3, 'of a run in which nothing began');
});

test('a trial that the gate of its drill allows has not failed: it runs again only where the gate did not hold', async (t) => {
  // Every second run does not pass.
  const { root, write, remove } = createRepository(
    moduleAgent(
      'unsteady',
      `const { appendFileSync, statSync } = await import('node:fs');
       appendFileSync(invocation.task.input, '.');
       const text = statSync(invocation.task.input).size % 2 === 0 ? 'x' : 'y';
       await context.world.call('notes', 'note.write', { id: 'a', text });`,
    ),
  );
  t.after(remove);
  const half = (id: string, passRate: number) => {
    const trials = { count: 4, require: { passRate } };
    const files = drill(id, 'unsteady', [noteIs('a', 'x')], { trials, task: { instruction: 'Write.', input: join(root, id) } });
    for (const [path, content] of Object.entries(files)) write(path, content);
  };
  half('allowed', 0.5);
  const green = await run(root);
  assert.deepEqual([green.code, green.attempts.length], [0, 4]);
  const nothing = await run(root, '--last-failed');
  assert.deepEqual([nothing.code, nothing.lines.map(({ event }) => event)], [0, ['nothing_failed']]);
  half('strict', 0.75);
  const trialsOf = ({ attempts }: { attempts: Attempt[] }) => attempts.map(({ drillId, trial }) => [drillId, trial]);
  const red = await run(root);
  assert.equal(red.code, 1);
  const again = await run(root, '--last-failed');
  const failed = [
    ['strict', 1],
    ['strict', 3],
  ];
  assert.deepEqual(trialsOf(again), failed);
  assert.deepEqual(
    again.attempts.map((attempt) => reportOf(root, attempt).result.identity.trialCount),
    [4, 4],
  );
  // A trial that was tried again counts by its last attempt, and a shard has its drills whole.
  const shards = [];
  for (const shard of ['1/2', '2/2']) {
    const retried = await run(root, '--shard', shard, '--retries', '1');
    const after = await run(root, '--last-failed');
    shards.push([retried.code, retried.attempts.length > 0, after.lines[0]?.event]);
  }
  assert.ok(
    shards.every(([code, , event]) => code === 0 && event === 'nothing_failed'),
    JSON.stringify(shards),
  );
  // More trials than the drill has: as many as that run had.
  const more = await run(root, 'strict', '--trials', '6');
  assert.deepEqual([more.code, trialsOf(await run(root, '--last-failed')).length], [1, 3]);
  const last = more.attempts.at(-2)!;
  const [repeated] = (await run(root, ...commandOf(root, last))).attempts as [Attempt];
  const { trial, trialCount } = reportOf(root, repeated).result.identity;
  assert.deepEqual([trial, trialCount], [5, 6]);
  const beyond = await run(root, '--trial', '5');
  assert.deepEqual([beyond.code, beyond.attempts.length], [2, 0]);
});

test('until it fails: no more rounds than asked for, and none after the first that did not pass', { timeout: 120_000 }, async () => {
  const passing = await run(desk, 'auditor-cannot-refund', '--until-failed', '3', '--seed', 'fresh');
  const plans = passing.lines.filter(({ event }) => event === 'plan');
  assert.deepEqual([passing.code, plans.length, new Set(plans.map(({ seed }) => seed)).size], [0, 3, 3]);
  const failing = await run(desk, 'careless-refund', '--until-failed', '3');
  assert.deepEqual([failing.code, failing.lines.filter(({ event }) => event === 'round').length], [1, 1]);
});

test('a trial alone has the seed that it has among all, and is judged without the gate over trials', { timeout: 60_000 }, async () => {
  const all = await run(desk, 'auditor-cannot-refund', '--trials', '3');
  const alone = await run(desk, 'auditor-cannot-refund', '--trials', '3', '--trial', '3');
  const [third] = alone.attempts as [Attempt];
  const identity = reportOf(desk, third).result.identity;
  assert.deepEqual([alone.code, alone.attempts.length, identity.trial, identity.trialCount], [0, 1, 3, 3]);
  assert.equal(identity.seed, reportOf(desk, all.attempts.find(({ trial }) => trial === 3)!).result.identity.seed);
  const refused = await run(desk, 'auditor-cannot-refund', '--trial', '0');
  assert.equal(refused.code, 2);
});

// REPORT-PATH-1
test('a run is named by latest, by how many came after it, and by its invocation where that has one answer', async () => {
  const one = await run(desk, 'careless-refund', 'auditor-cannot-refund');
  const [failed] = one.attempts.filter(({ drillId }) => drillId === 'careless-refund') as [Attempt];
  const named = async (name: string) => {
    const { code, stdout, stderr } = await warmDrillyard(['report', 'verify', name, '--json'], { cwd: desk });
    return { code, stderr, runId: jsonLines(stdout).at(-1)?.runId };
  };
  const ids = one.attempts.map(({ runId }) => runId).sort();
  assert.deepEqual([(await named('latest')).runId, (await named('latest~1')).runId], [ids[1], ids[0]]);
  assert.equal((await named(one.lines[0]?.invocationId as string)).runId, failed.runId);
  const two = await run(desk, 'careless-refund', '--trials', '2');
  const many = await named(two.lines[0]?.invocationId as string);
  assert.equal(many.code, 2);
  for (const { runId } of two.attempts) assert.match(many.stderr, new RegExp(`has 2 runs that did not pass.*${runId}`));
  const checked = await warmDrillyard(['report', 'check', two.lines[0]?.invocationId as string, '--json'], { cwd: desk });
  assert.equal(jsonLines(checked.stdout).filter(({ event }) => event === 'check').length, 2);
});
