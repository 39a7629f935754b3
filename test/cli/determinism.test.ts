// The same drills give the same hashes, byte for byte: with one worker or four, threads or processes, in another time zone and language,
// in another process on another day.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { jsonLines, nodeArguments } from './cli.js';
import { warmDrillyard } from './warm-cli.js';

const scratch = mkdtempSync(join(tmpdir(), 'drillyard-same-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

interface Attempt {
  event: string;
  drillId: string;
  trial: number;
  attempt: number;
  verdict: string;
  stateHash: string;
  evidenceHash: string;
  trajectoryHash: string;
  report: string;
}

/** One run of the example in a folder of its own: what must not differ, by drill and trial, with the evidence itself. */
async function hashesOf(name: string, flags: string[], environment: NodeJS.ProcessEnv = {}): Promise<unknown[]> {
  const root = join(scratch, name);
  cpSync(fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url)), root, {
    recursive: true,
    filter: (from) => !from.includes('.service'),
  });
  const child = spawn(process.execPath, [...nodeArguments, 'run', '--json', '--root', root, ...flags], {
    env: { ...process.env, ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  const attempts = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Attempt)
    .filter((line) => line.event === 'attempt');
  assert.ok(attempts.length >= 1);
  return attempts
    .map(({ drillId, trial, attempt, verdict, stateHash, evidenceHash, trajectoryHash, report }) => {
      const evidence = readFileSync(join(root, report, 'evidence.jsonl'), 'utf8');
      return { drillId, trial, attempt, verdict, stateHash, evidenceHash, trajectoryHash, evidence };
    })
    .sort((one, other) => one.drillId.localeCompare(other.drillId) || one.trial - other.trial);
}

test('hashes and evidence depend on nothing but build, scenario, seed and what the agent did', { timeout: 240_000 }, async () => {
  const reference = await hashesOf('reference', ['--concurrency', '1']);
  const elsewhere = { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
  assert.deepEqual(await hashesOf('four', ['--concurrency', '4']), reference);
  // Both at once: whichever made a difference would be seen.
  assert.deepEqual(await hashesOf('processes-elsewhere', ['--concurrency', '2', '--isolate', 'process'], elsewhere), reference);
  const evidenceHashOf = (run: unknown) => (run as { evidenceHash: string }).evidenceHash;
  const { code, stdout } = await warmDrillyard([
    'run',
    'refund-happy-path',
    '--seed',
    '99',
    '--json',
    '--root',
    join(scratch, 'reference'),
  ]);
  assert.equal(code, 0);
  const other = jsonLines(stdout).find(({ event }) => event === 'attempt');
  assert.ok(other !== undefined && !reference.map(evidenceHashOf).includes(evidenceHashOf(other)));
});
