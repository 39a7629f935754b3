// What is no file, or cannot be reached, is a diagnostic.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compileProject } from '../../src/compiler/compile.js';

function folder(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'drillyard-source-'));
  // Not rmSync, for which a path can be too long.
  t.after(() => execFileSync('rm', ['-rf', root]));
  writeFileSync(join(root, 'drillyard.json'), '{ "schemaVersion": 1 }');
  mkdirSync(join(root, 'drillyard'));
  writeFileSync(join(root, 'drillyard/world.yaml'), 'schemaVersion: 1\nid: w\n');
  return root;
}

async function found(root: string): Promise<string[]> {
  return (await compileProject({ root })).diagnostics.map(({ code, file, message }) => `${code} ${file} ${message}`);
}

test('a root that is a file is no folder', async (t) => {
  const root = folder(t);
  assert.deepEqual(await found(root), []);
  assert.match((await found(join(root, 'drillyard.json'))).join(), /^DY1001 drillyard\.json there is no folder /);
});

test('a pipe in the place of a project file is refused unread', async (t) => {
  const root = folder(t);
  execFileSync('mkfifo', [join(root, 'drillyard/x.drill.yaml')]);
  assert.deepEqual(await found(root), ['DY1002 drillyard/x.drill.yaml the file is not a regular file']);
  rmSync(join(root, 'drillyard.json'));
  execFileSync('mkfifo', [join(root, 'drillyard.json')]);
  assert.deepEqual(await found(root), ['DY1002 drillyard.json the file is not a regular file']);
});

test('a folder too deep to be read is reported', async (t) => {
  const root = folder(t);
  const name = 'd'.repeat(200);
  const shell = `cd drillyard; i=0; while [ $i -lt 25 ]; do mkdir ${name}; cd ${name}; i=$((i+1)); done`;
  execFileSync('/bin/sh', ['-c', shell], { cwd: root });
  assert.match((await found(root)).join(), /^DY1002 drillyard\/d+\S* the folder cannot be read/);
});

test('a folder without permission is reported', { skip: process.getuid?.() === 0 }, async (t) => {
  const root = folder(t);
  mkdirSync(join(root, 'drillyard/drills'));
  chmodSync(join(root, 'drillyard/drills'), 0);
  assert.match((await found(root)).join(), /^DY1002 drillyard\/drills the folder cannot be read: permission/);
  chmodSync(join(root, 'drillyard/drills'), 0o700);
});

test('links that lead in a circle end', async (t) => {
  const root = folder(t);
  symlinkSync('.', join(root, 'drillyard/loop'));
  assert.match((await found(root)).join(), /^DY1007 drillyard\/loop /);
});
