// Threads as workers of a task pool: their bounds hold, and a thread that is lost costs its task alone.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { keepThreads, keptThreads } from '../../src/workers/kept-threads.js';
import { TaskLost, TaskPool } from '../../src/workers/task-pool.js';
import { threadWorkers } from '../../src/workers/task-thread.js';
import type { TestTask } from './task-thread-entry.js';

function open(t: TestContext, { timeoutMs = 60_000, heapMb = 24 } = {}) {
  const pool = new TaskPool<TestTask, string>({
    start: threadWorkers({
      entry: new URL('./task-thread-entry.js', import.meta.url),
      limits: { heapMb, youngHeapMb: 4, stackMb: 2 },
    }),
    workers: 1,
    timeoutMs,
    waitingMax: { ofParty: 10, inAll: 10 },
  });
  t.after(() => pool.close());
  const run = (task: TestTask, signal?: AbortSignal) =>
    pool.run({ what: 'The task', party: 'one', task: () => task, ...(signal === undefined ? {} : { signal }) });
  return Object.assign(run, { close: () => pool.close() });
}
const lost = (why: TaskLost['why']) => (error: unknown) => error instanceof TaskLost && error.why === why;

test('a thread takes one task after the other, and sees no variable of this process', async (t) => {
  const run = open(t);
  assert.equal(await run('environment'), 'environment 1: 0 variables');
  // What it says besides is not believed.
  assert.equal(await run('say nonsense'), 'say nonsense 2: 0 variables');
  assert.equal(await run('environment'), 'environment 3: 0 variables');
});

test('a thread that takes too much memory, exits or breaks ends alone; the next task has another', async (t) => {
  const run = open(t);
  await assert.rejects(run('fill the memory'), lost('memory'));
  assert.equal(await run('environment'), 'environment 1: 0 variables');
  await assert.rejects(run('exit'), lost('other'));
  assert.equal(await run('environment'), 'environment 1: 0 variables');
  await assert.rejects(run('break'), /broken/);
  assert.equal(await run('environment'), 'environment 1: 0 variables');
});

test('a thread that computes without end is ended when its time is over', async (t) => {
  const run = open(t, { timeoutMs: 20 });
  await assert.rejects(run('spin'), lost('time'));
});

test('the time of a task begins when its thread says so: what it loads before is no part of it', async (t) => {
  const run = open(t, { timeoutMs: 1 });
  const controller = new AbortController();
  const loading = run('load for ever', controller.signal);
  const early = await Promise.race([loading.catch((error: unknown) => error), new Promise((resolve) => setTimeout(resolve, 200, 'waits'))]);
  assert.equal(early, 'waits');
  controller.abort(new Error('enough'));
  await assert.rejects(loading, /enough/);
});

// TASK-THREAD-1
test('a thread whose pool is closed serves the next one, unless it has a task or its last one broke', async (t) => {
  const before = keptThreads();
  keepThreads({ threadsMax: 8, idleMs: 60_000 });
  t.after(() => keepThreads(before));
  const next = () => open(t, { heapMb: 25 });
  const first = next();
  assert.equal(await first('environment'), 'environment 1: 0 variables');
  await first.close();
  const second = next();
  assert.equal(await second('environment'), 'environment 2: 0 variables');
  await assert.rejects(second('break'), /broken/);
  await second.close();
  const third = next();
  assert.equal(await third('environment'), 'environment 1: 0 variables');
  const running = assert.rejects(third('load for ever'), /shutting down/);
  // The thread has been given it by then.
  await new Promise(setImmediate);
  await third.close();
  await running;
  assert.equal(await next()('environment'), 'environment 1: 0 variables');
});
