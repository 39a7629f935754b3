// The same drills give the same hashes, byte for byte: with one worker or four, threads or processes, in another time zone and language,
// in another process on another day.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeArguments } from './cli.js';

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
function hashesOf(name: string, flags: string[], environment: NodeJS.ProcessEnv = {}): unknown[] {
  const root = join(scratch, name);
  cpSync(fileURLToPath(new URL('../../../examples/01-support-desk', import.meta.url)), root, {
    recursive: true,
    filter: (from) => !from.includes('.service'),
  });
  const ran = spawnSync(process.execPath, [...nodeArguments, 'run', '--json', '--root', root, '--trials', '2', ...flags], {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    maxBuffer: 16 * 1024 * 1024,
  });
  assert.equal(ran.status, 0, `${ran.stdout}\n${ran.stderr}`);
  const attempts = ran.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Attempt)
    .filter((line) => line.event === 'attempt');
  assert.ok(attempts.length >= 4);
  return attempts
    .map(({ drillId, trial, attempt, verdict, stateHash, evidenceHash, trajectoryHash, report }) => {
      const evidence = readFileSync(join(root, report, 'evidence.jsonl'), 'utf8');
      return { drillId, trial, attempt, verdict, stateHash, evidenceHash, trajectoryHash, evidence };
    })
    .sort((one, other) => one.drillId.localeCompare(other.drillId) || one.trial - other.trial);
}

test('hashes and evidence depend on nothing but build, scenario, seed and what the agent did', { timeout: 240_000 }, () => {
  const reference = hashesOf('reference', ['--concurrency', '1']);
  assert.deepEqual(hashesOf('four', ['--concurrency', '4']), reference);
  assert.deepEqual(hashesOf('processes', ['--concurrency', '2', '--isolate', 'process']), reference);
  assert.deepEqual(hashesOf('elsewhere', ['--concurrency', '2'], { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }), reference);
  const other = hashesOf('other-seed', ['--concurrency', '2', '--seed', '99']) as { evidenceHash: string }[];
  assert.notDeepEqual(
    other.map((run) => run.evidenceHash),
    (reference as { evidenceHash: string }[]).map((run) => run.evidenceHash),
  );
});
