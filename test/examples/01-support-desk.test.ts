// The first example, as a user runs it: through the command line, in a folder of its own.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { EvidenceEntry } from '../../src/contract/world/evidence.js';
import { drillyard, jsonLines } from '../cli/cli.js';
import { warmDrillyard } from '../cli/warm-cli.js';

interface Line {
  event?: string;
  drillId?: string;
  verdict?: string;
  report?: string;
  passed?: number;
  failed?: number;
}
interface Run {
  code: number | null;
  lines: Line[];
}

const example = fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'drillyard-example-'));
let passing: Run;
let failing: Run;
// What the drills leave is read by every test below.
before(async () => {
  cpSync(example, root, { recursive: true, filter: (from) => !from.includes('.service') });
  passing = await run();
  failing = await run('--suite', 'failing');
});
after(() => rmSync(root, { recursive: true, force: true }));

async function run(...flags: string[]): Promise<Run> {
  const { code, stdout, stderr } = await drillyard(['run', '--json', ...flags], { cwd: root });
  assert.equal(stderr, '');
  return { code, lines: jsonLines(stdout) };
}

const reportOf = ({ lines }: Run, drillId: string): string => {
  const report = lines.find((line) => line.event === 'attempt' && line.drillId === drillId)?.report;
  assert.ok(report, `no report of ${drillId}`);
  return join(root, report);
};

test('it compiles without a warning', async () => {
  const { code, stdout, stderr } = await warmDrillyard(['validate'], { cwd: root });
  assert.equal(code, 0, stdout + stderr);
  assert.equal(stderr, '');
});

test('without a choice, the drills that pass are run, and their reports verify', async () => {
  const summary = passing.lines.at(-1);
  assert.deepEqual([passing.code, summary?.event, summary?.verdict, summary?.passed, summary?.failed], [0, 'summary', 'passed', 8, 0]);
  const report = reportOf(passing, 'sla-escalation');
  assert.ok(existsSync(join(report, 'index.html')));
  const verified = await warmDrillyard(['report', 'verify', report]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});

test('every stored run, judged again with the same assertions, comes to the sealed results', async () => {
  const { stdout } = await warmDrillyard(['report', 'check', '--json'], { cwd: root });
  const checks = jsonLines(stdout).filter(({ event }) => event === 'check');
  assert.ok(checks.length > 8);
  for (const { runId, sealed, verdict, changed, assertionResults, checkpoints } of checks) {
    const result = JSON.parse(readFileSync(join(root, '.service/reports', String(runId), 'run.json'), 'utf8'));
    assert.deepEqual([verdict, changed], [sealed, []], String(runId));
    assert.deepEqual({ assertionResults, checkpoints }, { assertionResults: result.assertionResults, checkpoints: result.checkpoints });
  }
});

test('behind a lost answer lies one refund, found again by its key', async () => {
  const evidence = evidenceOf(reportOf(passing, 'refund-lost-answer'));
  const calls = evidence.flatMap((entry) =>
    entry.kind === 'operation' && entry.invocation.operationId === 'refund.create' ? [entry] : [],
  );
  assert.deepEqual(
    calls.map(({ outcome, idempotency }) => [outcome.kind, idempotency]),
    [
      ['tool_error', 'recorded'],
      ['ok', 'replayed'],
    ],
  );
  assert.equal(new Set(calls.map(({ invocation }) => invocation.idempotencyKey)).size, 1);
});

test('the drill that is expected to fail fails, for the reason it was written for', async () => {
  assert.equal(failing.code, 1);
  const result = JSON.parse(readFileSync(join(reportOf(failing, 'careless-refund'), 'run.json'), 'utf8'));
  const failed = result.assertionResults.map(({ assertionId, status, actual }: { [member: string]: unknown }) => [
    assertionId,
    status,
    actual,
  ]);
  assert.deepEqual(failed, [
    ['exactly-one-refund', 'failed', 2],
    ['exactly-what-was-asked-for', 'failed', 1980],
  ]);
});

function evidenceOf(report: string): EvidenceEntry[] {
  return readFileSync(join(report, 'evidence.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EvidenceEntry);
}
