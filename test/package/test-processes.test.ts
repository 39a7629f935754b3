// Test files that share a process, as scripts/test.mjs runs them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const { processesOf } = (await import(new URL('../../../scripts/test-processes.mjs', import.meta.url).href)) as {
  processesOf(files: string[], out: string): { timed: string[]; together: string[]; folder: string };
};

const out = mkdtempSync(join(tmpdir(), 'drillyard-processes-'));
after(() => rmSync(out, { recursive: true, force: true }));

test('what a file has set up stays until its tests have run, though all tests of its neighbor end before it is loaded', () => {
  mkdirSync(join(out, 'test/cli'), { recursive: true });
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  const [slow, quick] = ['slow', 'quick'].map((name) => join(out, `test/cli/${name}.test.js`)) as [string, string];
  writeFileSync(
    slow,
    `import { after, test } from 'node:test';
    import { neighborEnded } from './neighbor.js';
    let isSetUp = true;
    after(() => { isSetUp = false; });
    // Long enough for a neighbor that does not wait.
    await Promise.race([neighborEnded, new Promise((resolve) => setTimeout(resolve, 200))]);
    await new Promise(setImmediate);
    test('slow', () => { if (!isSetUp) throw new Error('what it needs has been taken down'); });`,
  );
  writeFileSync(
    join(out, 'test/cli/neighbor.js'),
    'export let end; export const neighborEnded = new Promise((resolve) => { end = resolve; });',
  );
  writeFileSync(quick, `import { test } from 'node:test'; import { end } from './neighbor.js'; test('quick', () => end());`);
  const { together: processes } = processesOf([slow, quick], out);
  assert.equal(processes.length, 1);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...processes], { env, encoding: 'utf8' });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /pass 2/);
});

test('a file that has a time to keep runs apart from the others', () => {
  const files = ['e2e/cluster', 'e2e/serve'].map((name) => join(out, `test/${name}.test.js`));
  const { timed, together } = processesOf(files, out);
  const importedBy = (processes: string[]): string => processes.map((file) => readFileSync(file, 'utf8')).join('');
  assert.match(importedBy(timed), /cluster\.test\.js/);
  assert.match(importedBy(together), /serve\.test\.js/);
  assert.doesNotMatch(importedBy(together), /cluster\.test\.js/);
});
