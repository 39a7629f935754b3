// The watcher of groups by itself, with a folder of processes of the test's own.
import { equal } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { watcherScript } from '../../src/processes/group-watcher.js';

// GROUP-WATCHER-1
test('groups that are left end, and neither those that were taken back nor those that are others by now', {
  skip: process.platform === 'win32',
  timeout: 60_000,
}, async (t) => {
  const processes = mkdtempSync(join(tmpdir(), 'drillyard-processes-'));
  t.after(() => rmSync(processes, { recursive: true, force: true }));
  const begin = () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  const [first, left, back, other, ended] = [begin(), begin(), begin(), begin(), begin()];
  const all = [first, left, back, other, ended];
  t.after(() => {
    for (const each of all) each.kill('SIGKILL');
  });
  const fileOf = ({ pid }: { pid?: number | undefined }) => join(processes, String(pid), 'stat');
  const stat = (started: number) => `7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 ${started} 20 21\n`;
  for (const each of all) {
    mkdirSync(join(processes, String(each.pid)));
    if (each !== first) writeFileSync(fileOf(each), stat(100));
  }
  // A writer to a pipe waits until somebody reads it: then the groups before this one are known.
  execFileSync('mkfifo', [fileOf(first)]);
  const watcher = spawn('/bin/sh', ['-c', watcherScript, 'sh', processes], { stdio: ['pipe', 'ignore', 'ignore'] });
  for (const each of [left, back, other, ended, first]) watcher.stdin.write(`+ ${each.pid}\n`);
  const pipe = await open(fileOf(first), 'w');
  await pipe.writeFile(stat(100));
  await pipe.close();
  rmSync(fileOf(first));
  writeFileSync(fileOf(other), stat(101));
  rmSync(fileOf(ended));
  watcher.stdin.end(`- ${back.pid}\n`);
  await Promise.all([...[first, left, ended].map((each) => once(each, 'exit')), once(watcher, 'exit')]);
  for (const each of [back, other]) equal(each.exitCode ?? each.signalCode, null);
});
