import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { limits } from '../../src/contract/limits.js';
import { passingRun } from './fixtures.js';
import { reportDirectory, writeFixture } from './report-directory.js';

// LEFTOVERS-1
test('of the drafts, only those that a process left behind long ago are removed', async (t) => {
  const directory = await reportDirectory(t);
  const gone = spawnSync(process.execPath, ['--version']).pid;
  const old = new Date(Date.now() - 2 * limits.reportDraftIdleMs);
  const draft = async (name: string, touched: Date) => {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'report.json'), '{}');
    await utimes(join(directory, name), touched, touched);
  };
  const id = 'run_0123456789abcdef';
  await draft(`.${id}.${gone}.aaaaaa`, old);
  await draft(`.${id}.${gone}.bbbbbb`, new Date());
  await draft(`.${id}.${process.ppid}.cccccc`, old);
  await draft(`.mine.${gone}.dddddd`, old);
  await draft(`.${id}.aaaaaa`, old);
  const fixture = passingRun();
  await writeFixture(directory, fixture);
  assert.deepEqual(
    (await readdir(directory)).sort(),
    [`.mine.${gone}.dddddd`, `.${id}.${gone}.bbbbbb`, `.${id}.${process.ppid}.cccccc`, `.${id}.aaaaaa`, fixture.report.runId].sort(),
  );
});
