// What the kernel says of waiting: measured on processors that more threads want than there are.
import { ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { ownThreadNumber, timeOfProcesses, timeOfThread } from '../../src/processes/processor-wait.js';
import { until } from '../until.js';

const skip = existsSync('/proc/self/schedstat') ? false : 'this system keeps no account of waiting';

test('processes below a process that share too few processors have waited, and a thread knows its own number', { skip }, async (t) => {
  const spin = Array.from({ length: 2 * availableParallelism() + 1 }, () => `"${process.execPath}" -e 'for (;;);' &`).join(' ');
  const shell = spawn('sh', ['-c', `${spin} wait`], { detached: true, stdio: 'ignore' });
  t.after(() => process.kill(-(shell.pid as number), 'SIGKILL'));
  const together = () => timeOfProcesses(shell.pid as number);
  await until(() => (together()?.waitedMs ?? 0) > 100 && (together()?.ranMs ?? 0) > 100);
  const own = ownThreadNumber();
  ok(own !== undefined && existsSync(`/proc/self/task/${own}`));
  const before = timeOfThread(own);
  ok(before !== undefined && before.ranMs > 0);
  await until(() => (timeOfThread(own)?.waitedMs ?? 0) > before.waitedMs);
});

test('of what is not there nothing is known', () => {
  ok(timeOfProcesses(2 ** 30) === undefined && timeOfThread(2 ** 30) === undefined);
});
