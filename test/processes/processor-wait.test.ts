// What the kernel says of waiting: measured on processors that more threads want than there are.
import { ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { ownThreadNumber, waitOfProcesses, waitOfThread } from '../../src/processes/processor-wait.js';
import { until } from '../until.js';

const skip = existsSync('/proc/self/schedstat') ? false : 'this system keeps no account of waiting';

test('processes below a process that share too few processors have waited, and a thread knows its own number', { skip }, async (t) => {
  const spin = Array.from({ length: 2 * availableParallelism() + 1 }, () => `"${process.execPath}" -e 'for (;;);' &`).join(' ');
  const shell = spawn('sh', ['-c', `${spin} wait`], { detached: true, stdio: 'ignore' });
  t.after(() => process.kill(-(shell.pid as number), 'SIGKILL'));
  await until(() => waitOfProcesses(shell.pid as number) > 100);
  const own = ownThreadNumber();
  ok(own !== undefined && existsSync(`/proc/self/task/${own}`));
  const before = waitOfThread(own);
  ok(before >= 0);
  await until(() => waitOfThread(own) > before);
});

test('of what is not there nobody has waited', () => {
  ok(waitOfProcesses(2 ** 30) === 0 && waitOfThread(2 ** 30) === 0);
});
