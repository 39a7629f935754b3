// `show`, `fork` and `replay`, as a user starts them.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EvidenceEntry, OperationEntry } from '../../src/contract/world/evidence.js';
import { drillyard, isGone, jsonLines, nodeArguments, pidIn, start } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const root = mkdtempSync(join(tmpdir(), 'drillyard-show-'));
let entries: EvidenceEntry[];
let refunds: OperationEntry[];
let ranAs: string;
before(async () => {
  const example = fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url));
  cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') });
  // Shown as on a terminal; the report is that of the second run.
  ranAs = (await warmDrillyard(['run', 'careless-refund'], { cwd: root })).stdout;
  const { stdout } = await warmDrillyard(['run', 'careless-refund', '--json'], { cwd: root });
  const report = jsonLines(stdout).find(({ event }) => event === 'attempt')?.report as string;
  const text = readFileSync(join(root, report, 'evidence.jsonl'), 'utf8').trimEnd();
  entries = text.split('\n').map((line) => JSON.parse(line) as EvidenceEntry);
  refunds = entries.filter(
    (entry): entry is OperationEntry => entry.kind === 'operation' && entry.invocation.operationId === 'refund.create',
  );
});
after(() => rmSync(root, { recursive: true, force: true }));

const told = async (...args: string[]) => {
  const { code, stdout, stderr } = await warmDrillyard(args, { cwd: root });
  return { code, stdout, stderr };
};

test('show tells why, and its commands for what comes next work', async () => {
  const { code, stdout } = await drillyard(['show', 'latest'], { cwd: root });
  assert.equal(code, 0);
  assert.match(stdout, /^FAILED .*careless-refund\n/);
  assert.match(stdout, /evidence {2}#\d+ payments\.refund\.created emitted/);
  // The story of the failure, as `run` told it.
  const story = (text: string) => text.split('\n').filter((line) => /^ {2}#\d+ /.test(line));
  assert.ok(story(ranAs).length > 1, ranAs);
  assert.deepEqual(story(stdout), story(ranAs));
  const commands = [...stdout.matchAll(/^ +(?:show|repeat) +drillyard (.*)$/gm)].map(([, words = '']) => words.split(' '));
  assert.equal(commands.length, 2);
  const [show, repeat] = await Promise.all(commands.map((words) => told(...words)));
  assert.deepEqual([show?.code, repeat?.code], [0, 1]);
  assert.match(show?.stdout ?? '', /^> +#\d+/m);
});

test('the commands that run and show print work where they were printed: another folder, reports elsewhere, a dependency', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'drillyard-elsewhere-'));
  t.after(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, 'node_modules/drillyard'), { recursive: true });
  writeFileSync(join(cwd, 'node_modules/drillyard/package.json'), '{}');
  cpSync(join(root, 'drillyard.json'), join(root, 'other root.json'));
  const place = ['--root', root, '--config', 'other root.json'];
  const commandsIn = (stdout: string) =>
    [...stdout.matchAll(/^ +(?:show|repeat) +npx drillyard (.*)$/gm)].map(([, words = '']) =>
      [...words.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word),
    );
  const ran = await warmDrillyard(['run', 'careless-refund', ...place, '--report-dir', 'my reports'], { cwd });
  const [show = [], repeat = []] = commandsIn(ran.stdout);
  assert.ok(show[1]?.startsWith(join(root, 'my reports/run_')), ran.stdout);
  assert.deepEqual(repeat.slice(0, 6), ['run', 'careless-refund', ...place]);
  const shown = await warmDrillyard(show.slice(0, 6), { cwd });
  assert.equal(shown.code, 0, shown.stderr);
  assert.deepEqual(commandsIn(shown.stdout), [show, repeat]);
  for (const [words, code] of [
    [show, 0],
    [repeat, 1],
  ] as const)
    assert.equal((await warmDrillyard(words, { cwd })).code, code, words.join(' '));
});

test('show --journal, --calls, --at, --row and --diff, in words and as JSON', async () => {
  const journal = await told('show', 'latest', '--journal', '--json');
  assert.deepEqual(
    jsonLines(journal.stdout).flatMap(({ event, entry }) => (event === 'entry' ? [entry] : [])),
    entries,
  );
  const part = await told('show', 'latest', '--journal', '--from', '3', '--limit', '2', '--json');
  assert.deepEqual(
    jsonLines(part.stdout).flatMap(({ event, entry }) => (event === 'entry' ? [(entry as EvidenceEntry).sequence] : [])),
    [3, 4],
  );
  const calls = await told('show', 'latest', '--calls');
  assert.equal(calls.stdout.split('\n').filter((line) => line.includes('payments.refund.create {"amount"')).length, refunds.length);
  const [refund] = refunds as [OperationEntry];
  const entry = await told('show', 'latest', '--at', String(refund.sequence), '--json');
  const [, shown] = jsonLines(entry.stdout);
  assert.deepEqual(shown?.entry, refund);
  assert.ok((shown?.effects as number[]).length > 0);
  const change = entries.find((one) => one.kind === 'state_change' && one.namespace === 'charges');
  assert.ok(change?.kind === 'state_change');
  const row = await told('show', 'latest', '--row', `charges/${change.rowId}`, '--at', String(change.sequence), '--json');
  assert.deepEqual(jsonLines(row.stdout)[1]?.value, change.after);
  const diff = await told('show', 'latest', '--diff', `${change.sequence - 1}..${change.sequence}`);
  assert.match(diff.stdout, /1 row differs between/);
  assert.ok(diff.stdout.includes(`payments/charges/${change.rowId}`));
  const beyond = await told('show', 'latest', '--at', '9999');
  assert.deepEqual([beyond.code, /entries 1 to \d+, and no 9999/.test(beyond.stderr)], [2, true]);
});

test('fork: the world answers drillyard world call as the run stood, and another key pays once', { timeout: 60_000 }, async () => {
  const [first, second] = refunds as [OperationEntry, OperationEntry];
  const at = String(second.sequence - second.transactionIndex - 1);
  const call = (key: string) => [
    process.execPath,
    ...nodeArguments,
    ...['world', 'call', 'payments', 'refund.create', JSON.stringify(second.invocation.arguments), '--idempotency-key', key],
  ];
  const asThen = await drillyard(['fork', 'latest', '--at', at, '--', ...call(second.invocation.idempotencyKey ?? '')], { cwd: root });
  assert.equal(asThen.code, 0, asThen.stderr);
  assert.deepEqual(JSON.parse(asThen.stdout).outcome, second.outcome);
  assert.match(asThen.stderr, /drillyard world call payments refund\.create/);
  const sameKey = await drillyard(['fork', 'latest', '--at', at, '--', ...call(first.invocation.idempotencyKey ?? '')], { cwd: root });
  assert.deepEqual(JSON.parse(sameKey.stdout).outcome, first.committedOutcome ?? first.outcome);
});

test('fork passes SIGTERM on to its command, and ends it with itself', { timeout: 60_000 }, async (t) => {
  const file = join(root, 'fork.pid');
  const waits = (onTerm: string) =>
    `process.on('SIGTERM', () => { ${onTerm} }); require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000);`;
  for (const [onTerm, code] of [
    ['process.exit(7)', 7],
    ['', 130],
  ] as const) {
    rmSync(file, { force: true });
    const { child, ended } = start(['fork', 'latest', '--at', '3', '--', process.execPath, '-e', waits(onTerm)], { cwd: root });
    t.after(() => child.kill('SIGKILL'));
    const pid = await pidIn(file);
    child.kill('SIGTERM');
    if (code === 130) child.stderr?.on('data', (text: string) => /Cancelling/.test(text) && child.kill('SIGTERM'));
    assert.equal((await ended).code, code);
    await isGone(pid);
  }
});

test('fork without a command stays until it is interrupted', { timeout: 60_000 }, async (t) => {
  const { child, says, soFar, ended } = start(['fork', 'latest', '--at', '3', '--json'], { cwd: root });
  t.after(() => child.kill('SIGKILL'));
  await says('"ready"');
  const { environment, atSequence } = JSON.parse(soFar()) as { environment: { [name: string]: string }; atSequence: number };
  assert.ok(atSequence >= 1 && atSequence <= 3);
  const tools = await drillyard(['world', 'tools'], { cwd: root, env: environment });
  assert.equal(tools.code, 0);
  assert.ok(JSON.parse(tools.stdout).tools.length > 0);
  child.kill('SIGINT');
  assert.equal((await ended).code, 0);
});

test('replay against another start names the first call that is answered otherwise, and ends with 1', async () => {
  assert.equal((await told('replay', 'latest')).code, 0);
  const baseline = await told('replay', 'latest', '--world');
  assert.equal(baseline.code, 1);
  assert.match(baseline.stdout, /Against the world's own start\.\nCall \d+ of \d+ \(entry \d+\), at .*: \S+ called payments\/charge\.list/);
  assert.match(baseline.stdout, /\n {2}recorded .*\n {2}present /);
  const both = await told('replay', 'latest', '--world', '--scenario', 'rush-hour');
  assert.equal(both.code, 2);
});
