// Threads that are kept for who starts one next.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type KeptThreadsOptions,
  keepThreads,
  keptThreads,
  prepareThread,
  releaseThread,
  takeThread,
} from '../../src/workers/kept-threads.js';
import type { Thread, ThreadStart } from '../../src/workers/thread.js';
import { until } from '../until.js';

/** The choice of this process comes back after the test. Each test has bounds of its own, so it finds no thread of another. */
function keep(t: TestContext, options: KeptThreadsOptions): void {
  const before = keptThreads();
  keepThreads(options);
  t.after(() => keepThreads(before));
}

function startOf(heapMb: number, workerData?: unknown): ThreadStart {
  const entry = new URL('./kept-threads-entry.js', import.meta.url);
  return { entry, run: 'sayThread', resourceLimits: { maxOldGenerationSizeMb: heapMb }, workerData };
}

/** A thread without a task keeps no process, so its end is waited for by looking. */
async function exitOf({ exited }: Thread): Promise<number> {
  let code: number | undefined;
  void exited.then((given) => {
    code = given;
  });
  await until(() => code !== undefined);
  return code as unknown as number;
}

/** Which thread it was, after its release. */
async function useThread(start: ThreadStart): Promise<{ id: number; thread: Thread }> {
  const thread = takeThread(start);
  const id = (await thread.run('say')) as number;
  await releaseThread(start, thread);
  return { id, thread };
}

test('nothing is kept unless it is asked for', async (t) => {
  keep(t, { threadsMax: 0, idleMs: 60_000 });
  const first = await useThread(startOf(31));
  await exitOf(first.thread);
  assert.notEqual((await useThread(startOf(31))).id, first.id);
});

// KEPT-THREADS-2
test('a kept thread goes to who starts one of the same kind, and to nobody else', async (t) => {
  keep(t, { threadsMax: 64, idleMs: 60_000 });
  const first = await useThread(startOf(32));
  assert.equal((await useThread(startOf(32))).id, first.id);
  const other = await useThread(startOf(33));
  assert.notEqual(other.id, first.id);
  const withData = await useThread(startOf(32, { some: 'data' }));
  assert.ok(![first.id, other.id].includes(withData.id));
  const [one, two] = [takeThread(startOf(32)), takeThread(startOf(32))];
  assert.notEqual(one, two, 'a thread that is taken is taken once');
  await Promise.all([one, two, other.thread, withData.thread].map((thread) => thread.end()));
});

test('none is prepared where one of its kind is kept', async (t) => {
  keep(t, { threadsMax: 64, idleMs: 60_000 });
  const start = startOf(36);
  const giveUp = prepareThread(start);
  const prepared = await useThread(start);
  giveUp();
  const giveUpNone = prepareThread(start);
  const next = await useThread(start);
  assert.equal(next.id, prepared.id);
  giveUpNone();
  assert.equal((await useThread(start)).id, prepared.id);
  await next.thread.end();
});

// KEPT-THREADS-1
test('a thread that ended is not given out, whether it was kept or not', async (t) => {
  keep(t, { threadsMax: 64, idleMs: 60_000 });
  const start = startOf(34);
  const thread = takeThread(start);
  const id = await thread.run('end soon');
  await releaseThread(start, thread);
  assert.equal(await exitOf(thread), 3);
  const next = takeThread(start);
  await assert.rejects(next.run('throw'), /as asked/);
  await next.end();
  const third = await useThread(start);
  assert.notEqual(third.id, id);
  await third.thread.end();
});

// KEPT-THREADS-3
test('no more are kept than asked for, and none longer', async (t) => {
  keep(t, { threadsMax: 1, idleMs: 30 });
  const start = startOf(35);
  const [one, two] = [takeThread(start), takeThread(start)];
  await Promise.all([one.run('say'), two.run('say')]);
  await releaseThread(start, one);
  await releaseThread(start, two);
  await Promise.all([one, two].map(exitOf));
});
