// The command line: exit codes, purity of --json, what people are shown.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import {
  commandAgent,
  drill,
  moduleAgent,
  noteIs,
  notesBehavior,
  type Repository,
  temporaryRepositories,
  written,
} from '../drills/repository.js';
import { drillyard, isGone, jsonLines, nodeArguments, pidIn, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const cleanUp: (() => void)[] = [];
after(() => {
  for (const clean of cleanUp) clean();
});
const repository = temporaryRepositories();
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'drillyard-cli-'));
  cleanUp.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const noisy = moduleAgent(
  'agent',
  `console.log('noise on stdout'); process.stdout.write('more {'); await context.world.call('notes', 'note.write', { id: 'a', text: 'x' });`,
);
const passing = drill('passing', 'agent', [noteIs('a', 'x')], { tags: ['good'] });
const failing = drill('failing', 'agent', [noteIs('a', 'y')]);
const both = repository(noisy, passing, failing);

test('run: 0 when all passed, 1 when any failed, and what failed is reported', async () => {
  const passed = await drillyard(['run', 'passing'], { cwd: both.root });
  assert.equal(passed.code, 0, passed.stderr);
  assert.match(passed.stdout, /passing/);
  const failed = await warmDrillyard(['--root', both.root]);
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /\/text of row a is "x"; expected "y"/);
});

test('paths shown to people open from the current folder', async () => {
  const outside = await warmDrillyard(['run', 'failing', '--root', both.root], { cwd: folder() });
  const reported = /report {2}(\/\S+\/index\.html)/.exec(outside.stdout)?.[1];
  assert.ok(reported !== undefined && existsSync(reported), outside.stdout);
  assert.match(outside.stdout, new RegExp(`reports in ${join(both.root, '.service/reports')}\n`));
  const inside = await warmDrillyard(['run', 'failing', '--root', basename(both.root)], { cwd: dirname(both.root) });
  assert.ok(existsSync(join(dirname(both.root), /report {2}(\S+\/index\.html)/.exec(inside.stdout)?.[1] ?? 'none')), inside.stdout);
  const broken = repository(noisy, { 'drillyard/x.target.yaml': 'schemaVersion: 2\n' });
  const { stderr } = await warmDrillyard(['validate', '--root', broken.root], { cwd: folder() });
  assert.match(stderr, new RegExp(`${broken.root}/drillyard/x\\.target\\.yaml:1:`));
});

test('run --json: one JSON object a line and nothing else, an attempt line as documented, the summary last', async () => {
  const { code, stdout } = await drillyard(['run', '--json', '--root', both.root, '--concurrency', '2']);
  assert.equal(code, 1);
  const lines = jsonLines(stdout);
  const attempts = lines.filter(({ event }) => event === 'attempt');
  assert.equal(attempts.length, 2);
  for (const attempt of attempts) {
    assert.deepEqual(Object.keys(attempt).sort(), [
      'attempt',
      'drillId',
      'event',
      'evidenceHash',
      'report',
      'runId',
      'stateHash',
      'status',
      'trajectoryHash',
      'trial',
      'verdict',
    ]);
    assert.ok(existsSync(join(both.root, attempt.report as string, 'index.html')));
  }
  assert.deepEqual(lines.at(-1), { event: 'summary', verdict: 'failed', passed: 1, failed: 1, inconclusive: 0 });
});

test('run: flags choose drills, trials, seed and folders', async () => {
  const flags = [
    '--tag',
    'good',
    '--filter',
    'pass*',
    '--trials',
    '2',
    '--seed',
    '9',
    '--report-dir',
    'r',
    '--run-dir',
    'w',
    '--isolate',
    'process',
  ];
  const { code, stdout } = await warmDrillyard(['run', '--reporter', 'json', '--root', both.root, ...flags]);
  assert.equal(code, 0);
  const lines = jsonLines(stdout);
  assert.deepEqual(lines[0], { event: 'plan', invocationId: lines[0]?.invocationId, runs: 2, drills: 1, concurrency: 1, seed: '9' });
  assert.ok(lines.filter(({ event }) => event === 'attempt').every(({ report }) => (report as string).startsWith('r/')));
  assert.equal(readdirSync(join(both.root, 'w')).length, 2);
});

test('bad usage and invalid source are 2, with --json too', async () => {
  const broken = repository(noisy, passing, {
    'drillyard/broken.drill.json': {
      schemaVersion: 1,
      id: 'broken',
      targetId: 'nobody',
      actorId: 'writer',
      task: { instruction: 'x' },
      assertions: [],
    },
  });
  for (const args of [
    ['run', '--no-such-flag'],
    ['run', '--concurrency', 'x'],
    ['run', '--isolate', 'moon'],
    ['report'],
    ['report', 'verify'],
    ['run', '--root', broken.root, '--suite', 'none'],
    ['run', 'no-such-drill', '--root', both.root],
    ['report', 'verify', 'nowhere'],
    ['validate', '--root', broken.root],
    ['plan', '--root', broken.root],
    ['run', '--root', '/nowhere'],
  ]) {
    assert.equal((await warmDrillyard(args)).code, 2, args.join(' '));
  }
  assert.equal((await drillyard(['run', '--no-such-flag'])).code, 2);
  const { code, stdout, stderr } = await warmDrillyard(['run', '--json', '--root', broken.root]);
  assert.equal(code, 2);
  assert.ok(jsonLines(stdout).every(({ event }) => event === 'diagnostic'));
  assert.match(stderr, /drillyard\/broken\.drill\.json:\d+:\d+ error DY\d{4} /);
});

test('validate: every diagnostic with its place, its line and advice', async () => {
  const { root } = repository(noisy, passing, {
    'drillyard/agent2.target.yaml':
      'schemaVersion: 1\ntarget:\n  id: agent2\n  kind: module\n  module: a.js\n  bindngs: [direct]\n  timeoutMs: 1\n',
  });
  const { code, stderr } = await drillyard(['validate'], { cwd: root });
  assert.equal(code, 2);
  assert.match(stderr, /drillyard\/agent2\.target\.yaml:6:3 error DY\d{4} /);
  assert.match(stderr, /6 \| {3}bindngs: \[direct\]\n\s+\| {3}\^/);
  assert.match(stderr, /help .*bindings/);
  const valid = await warmDrillyard(['validate', '--json', '--root', both.root]);
  assert.equal(valid.code, 0);
  assert.equal(jsonLines(valid.stdout).at(-1)?.valid, true);
});

test('a full disk under stdout is reported, and nothing has passed then', { skip: !existsSync('/dev/full') }, () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [...nodeArguments, 'validate', '--json', '--root', both.root], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  assert.equal(status, 1);
  assert.equal(stderr, 'error What goes to stdout cannot be written (ENOSPC); the rest of it is lost.\n');
});

test('plan: every trial with its seed, nothing run', async () => {
  const fresh = repository(noisy, passing, failing);
  const { code, stdout } = await drillyard(['plan', '--json', '--root', fresh.root, '--trials', '2']);
  assert.equal(code, 0);
  const planned = jsonLines(stdout).filter(({ event }) => event === 'planned');
  assert.equal(new Set(planned.map(({ seed }) => seed)).size, 4);
  assert.match((await warmDrillyard(['plan', '--root', fresh.root])).stdout, /passing\n {4}module target agent, 1 trial, first seed \d+/);
  assert.equal(existsSync(join(fresh.root, '.service')), false);
});

test('report verify: by folder and by run id; a changed byte is found', async () => {
  const { root } = repository(noisy, passing);
  const { stdout } = await warmDrillyard(['run', '--json', '--root', root]);
  const { report, runId } = jsonLines(stdout).find(({ event }) => event === 'attempt') as unknown as { report: string; runId: string };
  const verified = await drillyard(['report', 'verify', runId, '--root', root]);
  assert.equal(verified.code, 0, verified.stdout);
  appendFileSync(join(root, report, 'report.txt'), 'x');
  const changed = await warmDrillyard(['report', 'verify', join(root, report), '--json']);
  assert.equal(changed.code, 1);
  assert.equal(jsonLines(changed.stdout)[0]?.event, 'problem');
});

test('world tools, call and wait: the CLI binding, from inside a command target', async () => {
  const body = `
    import { execFileSync } from 'node:child_process';
    const drillyard = (...args) => {
      try { return { code: 0, answer: JSON.parse(execFileSync(process.execPath, [...${JSON.stringify(nodeArguments)}, 'world', ...args], { encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'], input: '{"id":"b","text":"from stdin"}' })) }; }
      catch (error) { return { code: error.status, answer: JSON.parse(error.stdout) }; }
    };
    console.log(JSON.stringify([
      drillyard('tools'), drillyard('call', 'notes', 'note.write', '{"id":"a","text":"x"}', '--idempotency-key', 'k'), drillyard('call', 'notes', 'note.write', '-'),
      drillyard('call', 'notes', 'note.get', '{"id":"none"}'), drillyard('call', 'notes', 'note.get', '{'), drillyard('call', 'notes', 'note.remove', '{"id":"a"}'), drillyard('wait', '2000'),
    ]));`;
  const { root } = repository(
    commandAgent('agent', body, { bindings: ['cli'] }),
    drill('d', 'agent', [noteIs('a', 'x'), noteIs('b', 'from stdin')]),
  );
  const { code, stdout } = await warmDrillyard(['run', '--json', '--root', root]);
  const { report } = jsonLines(stdout).find(({ event }) => event === 'attempt') as unknown as { report: string };
  const result = JSON.parse(readFileSync(join(root, report, 'run.json'), 'utf8')) as {
    interactions: {
      targetResult: { output: { code: number; answer: { outcome?: { kind: string }; tools?: unknown[]; virtualTimeUs?: number } }[] };
    }[];
  };
  const answers = result.interactions[0]?.targetResult.output ?? [];
  assert.deepEqual(
    answers.map((answer) => [answer.code, answer.answer.outcome?.kind]),
    [
      [0, undefined],
      [0, 'ok'],
      [0, 'ok'],
      [1, 'tool_error'],
      [2, undefined],
      [1, 'denied'],
      [0, 'ok'],
    ],
  );
  assert.equal(answers[0]?.answer.tools?.length, 4);
  assert.equal(answers[6]?.answer.virtualTimeUs, 2000);
  assert.equal(code, 0);
  const outside = await warmDrillyard(['world', 'tools'], { env: { SERVICE_CLI_URL: 'http://127.0.0.1:1', SERVICE_CLI_TOKEN: 'x' } });
  assert.equal(outside.code, 2);
  assert.match(outside.stderr, /does not answer/);
});

function conformance(behavior: string | undefined, writes = 2): Repository {
  const agent = moduleAgent('agent', `for (const id of ['a', 'b']) await context.world.call('notes', 'note.write', { id, text: id });`);
  const files = {
    ...agent,
    ...drill('writes', 'agent', [written({ equals: writes })]),
    'drillyard/conformance.suite.json': { schemaVersion: 1, id: 'conformance' },
  };
  const inside = Object.fromEntries(Object.entries(files).map(([path, content]) => [`notes/conformance/${path}`, content]));
  const created = repository(inside, behavior === undefined ? {} : { 'notes/behavior.ts': behavior });
  const world = readFileSync(join(created.root, 'drillyard/world.json'), 'utf8');
  created.write('notes/conformance/drillyard/world.json', world);
  created.write('notes/conformance/drillyard.json', { schemaVersion: 1, world: 'world.json', toolPackages: ['..'] });
  const field = {
    layer: 'tool-pack',
    tool: 'notes.tool.json',
    lifecycle: 'active',
    conformance: { project: 'conformance', suite: 'conformance' },
  };
  created.write('notes/package.json', { name: 'notes', drillyard: field });
  return created;
}

test('tool test: a package that keeps its state in its state passes; reports are named where they are kept, and only there', async () => {
  const honest = conformance(undefined);
  const passed = await warmDrillyard(['tool', 'test', join(honest.root, 'notes')]);
  assert.equal(passed.code, 0, passed.stdout + passed.stderr);
  assert.doesNotMatch(passed.stdout, /reports in|drillyard-tool-test-/);
  assert.match(passed.stdout, /As it is:[\s\S]*With a fresh module each turn:/);
  assert.match(passed.stdout, /The same with a fresh module each turn/);
  assert.equal(existsSync(join(honest.root, 'notes/conformance/.service')), false);
  const lines = jsonLines((await warmDrillyard(['tool', 'test', 'notes', '--json'], { cwd: conformance(undefined).root })).stdout);
  assert.deepEqual(new Set(lines.filter(({ event }) => event === 'attempt').map(({ report }) => report)), new Set(['']));
  const failed = await warmDrillyard(['tool', 'test', join(conformance(undefined, 3).root, 'notes')]);
  const kept = /reports in (\S+)/.exec(failed.stdout)?.[1] ?? 'none';
  cleanUp.push(() => rmSync(dirname(kept), { recursive: true, force: true }));
  assert.equal(failed.code, 1);
  assert.equal(readdirSync(kept).length, 1);
});

test('tool test where every drill is skipped: nothing ran, so nothing is shown, and it is no success', async () => {
  const { root, write } = conformance(undefined);
  const place = readdirSync(join(root, 'notes/conformance/drillyard')).find((name) => name.endsWith('.drill.json')) ?? assert.fail();
  const path = `notes/conformance/drillyard/${place}`;
  write(path, { ...JSON.parse(readFileSync(join(root, path), 'utf8')), skip: 'not yet' });
  const { code, stdout } = await warmDrillyard(['tool', 'test', join(root, 'notes')]);
  assert.equal(code, 1, stdout);
  assert.doesNotMatch(stdout, /The same with a fresh module/);
});

test('tool test says what the manifest declares and no drill has shown, and --require-coverage fails on it', async () => {
  const { root } = conformance(undefined);
  const { code, stdout } = await warmDrillyard(['tool', 'test', 'notes', '--json'], { cwd: root });
  assert.equal(code, 0, stdout);
  const { event: _, ...coverage } = jsonLines(stdout).find(({ event }) => event === 'coverage') ?? assert.fail();
  assert.deepEqual(coverage, {
    observed: 2,
    declared: 10,
    missing: [
      ...['note.get', 'note.remove', 'note.remind', 'note.break-later'].map((id) => ({ kind: 'operation', id })),
      { kind: 'error', id: 'note.get NOT_FOUND' },
      { kind: 'event', id: 'note.due' },
      { kind: 'event', id: 'note.breaks' },
      { kind: 'fault', id: 'down' },
    ],
  });
  const strict = await warmDrillyard(['tool', 'test', 'notes', '--require-coverage'], { cwd: root });
  assert.equal(strict.code, 1);
  assert.match(strict.stdout, /Observed: 2 of the 10 [\s\S]*No drill has shown:\n {2}4 operations: note\.get, note\.remove/);
});

test('tool test: a package with a variable in its module is found out', async () => {
  const behavior = notesBehavior
    .replace('export default', 'let calls = 0;\nexport default')
    .replace(
      "context.state.put('notes', input.id, input);",
      "context.state.put('notes', input.id, { ...input, text: input.text + ++calls });",
    );
  const bad = await drillyard(['tool', 'test', 'notes', '--json'], { cwd: conformance(behavior).root });
  assert.equal(bad.code, 1, bad.stderr);
  const difference = jsonLines(bad.stdout).find(({ event }) => event === 'difference');
  assert.equal(difference?.cause, 'module_state');
  assert.equal((await warmDrillyard(['tool', 'test', 'library:nothing'])).code, 2);
});

test('Ctrl-C cancels: the agent is ended, what ran is sealed and reported, and the exit code is 130', async () => {
  const { root } = repository(
    commandAgent('agent', `process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);`),
    drill('d', 'agent', [written({ equals: 0 })]),
  );
  const { child, says, ended } = start(['run', '--json', '--root', root]);
  await says('"phase":"started"');
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  assert.equal(code, 130);
  const attempt = jsonLines(stdout).find(({ event }) => event === 'attempt');
  assert.deepEqual([attempt?.status, attempt?.verdict], ['cancelled', 'inconclusive']);
  assert.ok(existsSync(join(root, attempt?.report as string, 'report.json')));
});

test('a second Ctrl-C ends everything at once, the agent included', async () => {
  const { root } = repository(
    commandAgent(
      'agent',
      `import { writeFileSync } from 'node:fs'; process.on('SIGTERM', () => {}); writeFileSync('folder', process.env.SERVICE_ATTACHMENTS_DIR); writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);`,
    ),
    drill('d', 'agent', [written({ equals: 0 })]),
  );
  const { child, ended } = start(['run', '--json', '--root', root]);
  const pid = await pidIn(join(root, 'pid'));
  child.kill('SIGINT');
  child.stderr?.once('data', () => child.kill('SIGINT'));
  assert.equal((await ended).code, 130);
  await isGone(pid);
  assert.equal(existsSync(readFileSync(join(root, 'folder'), 'utf8')), false);
});

test('help and version are 0, and starting is fast', async () => {
  for (const args of [['--help'], ['run', '--help'], ['world', 'call', '--help']])
    assert.equal((await warmDrillyard(args)).code, 0, args.join(' '));
  assert.equal((await drillyard(['--version'])).code, 0);
});
