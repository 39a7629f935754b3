// Which runs are old, and the order in which one is removed. test/cli/clean.test.ts has the command.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { idTimeMs } from '../../src/contract/ids.js';
import { chooseOldRuns, removeRuns } from '../../src/reports/retention.js';
import { failingRun, passingRun } from './fixtures.js';
import { reportDirectory, writeFixture } from './report-directory.js';

const dayMs = 24 * 60 * 60 * 1000;
const [passed, failed, unknown, damaged] = ['a', 'b', 'c', 'd'].map((last) => `run_01kjpf3q5d0c9h8r7s6t5v000${last}`) as [
  string,
  string,
  string,
  string,
];

// RETENTION-3
test('a run that did not pass, or whose report cannot be read, is kept for its days', async (t) => {
  const directory = await reportDirectory(t);
  const folders = { runDirectory: join(directory, 'runs'), reportDirectory: join(directory, 'reports') };
  for (const runId of [passed, failed, unknown, damaged]) mkdirSync(join(folders.runDirectory, runId), { recursive: true });
  mkdirSync(folders.reportDirectory);
  await writeFixture(folders.reportDirectory, passingRun(passed));
  await writeFixture(folders.reportDirectory, failingRun(failed));
  await writeFixture(folders.reportDirectory, passingRun(damaged));
  writeFileSync(join(folders.reportDirectory, damaged, 'report.json'), '{');
  const old = async (nowMs: number) => (await chooseOldRuns(folders, { runs: 0, failedDays: 7 }, { nowMs })).old;
  const madeMs = idTimeMs(passed);
  assert.deepEqual(await old(madeMs + 6 * dayMs), [passed]);
  assert.deepEqual(await old(madeMs + 8 * dayMs), [passed, failed, unknown, damaged]);
});

// RETENTION-2
test('the world of a run is removed before its report', async (t) => {
  const directory = await reportDirectory(t);
  const folders = { runDirectory: join(directory, 'runs'), reportDirectory: join(directory, 'reports') };
  mkdirSync(folders.reportDirectory);
  await writeFixture(folders.reportDirectory, passingRun(passed));
  // A world below a file cannot be removed.
  writeFileSync(folders.runDirectory, '');
  await assert.rejects(removeRuns(folders, [passed]), { code: 'ENOTDIR' });
  assert.ok(existsSync(join(folders.reportDirectory, passed)));
  rmSync(folders.runDirectory);
  await removeRuns(folders, [passed]);
  assert.ok(!existsSync(join(folders.reportDirectory, passed)));
});
