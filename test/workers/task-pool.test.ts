// Tasks of many parties over few workers: who is next, who is refused, and what a worker that ends costs. Workers here do as they are
// reported.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceError } from '../../src/contract/errors.js';
import { CompileWorkers } from '../../src/control/tasks/compile-port.js';
import type { CompileTask } from '../../src/control/tasks/compile-tasks.js';
import { TaskLost, TaskPool } from '../../src/workers/task-pool.js';
import type { StartTaskWorker, TaskWorkerEvents } from '../../src/workers/task-worker.js';

/** Notes what is posted, and answers what `answer` gives for it; nothing for undefined. `waitedMs`: of each worker. */
function workers<Task, Result>(answer: (task: Task) => Result | undefined, waitedMs?: () => number) {
  const posted: Task[] = [];
  const events: TaskWorkerEvents<Result>[] = [];
  let alive = 0;
  const start: StartTaskWorker<Task, Result> = (of) => {
    events.push(of);
    alive += 1;
    return {
      post: (task) => {
        posted.push(task);
        of.onBegun();
        const result = answer(task);
        if (result !== undefined) queueMicrotask(() => of.onAnswer({ result }));
      },
      end: async () => {
        alive -= 1;
      },
      ...(waitedMs === undefined ? {} : { waitedMs }),
    };
  };
  return { posted, events, start, alive: () => alive };
}

/** Tasks named `a1` are of party `a`; those that end in `!` never end by themselves. */
function pool(options: { workers: number; timeoutMs?: number; ofParty?: number; inAll?: number; waitedMs?: () => number }) {
  const fake = workers<string, string>((name) => (name.endsWith('!') ? undefined : name), options.waitedMs);
  const { timeoutMs = 20, ofParty = 100, inAll = 100 } = options;
  const tasks = new TaskPool<string, string>({ start: fake.start, workers: options.workers, timeoutMs, waitingMax: { ofParty, inAll } });
  const run = (name: string, signal?: AbortSignal) =>
    tasks
      .run({ what: name, party: name[0]!, task: () => name, ...(signal === undefined ? {} : { signal }) })
      .catch((error: Error) => error);
  return { ...fake, tasks, run };
}

test("a victim's build has its turn when the tasks that run have ended, whatever four datasets and two builds wait for", async () => {
  const nothing = { diagnostics: [] };
  const isHostile = (task: CompileTask): boolean => task.kind === 'rows' || (task.kind === 'compile' && task.root.startsWith('hostile'));
  const fake = workers<CompileTask, never>((task) => (isHostile(task) ? undefined : (nothing as never)));
  const compiler = new CompileWorkers({ workers: 2, timeoutMs: 20, start: fake.start });
  const hostile = [
    ...Array.from({ length: 4 }, () => compiler.checkRows([], [], 'one')),
    compiler.compile({ root: 'hostile one', projectId: 'one' }),
    compiler.compile({ root: 'hostile two', projectId: 'two' }),
  ].map((task) => assert.rejects(task, { code: 'control.SOURCE_INVALID' }));
  const victim = compiler.compile({ root: 'victim', projectId: 'three' });
  assert.deepEqual(await victim, nothing);
  const before = fake.posted.slice(
    0,
    fake.posted.findIndex((task) => task.kind === 'compile' && task.root === 'victim'),
  );
  // What ran when it came: one task of each of the two others.
  assert.deepEqual(
    before.map(({ kind }) => kind),
    ['rows', 'compile'],
  );
  await Promise.all(hostile);
  assert.equal(fake.posted.length, 7);
  await compiler.close();
  assert.equal(fake.alive(), 0);
});

// TASK-TURNS-1, TASK-TURNS-3
test('parties take turns, and each keeps its order', async () => {
  const { posted, run, tasks } = pool({ workers: 1 });
  await Promise.all(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => run(name)));
  assert.deepEqual(posted, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  // Who had a turn before comes after who had none.
  await Promise.all(['a4', 'a5', 'd1'].map((name) => run(name)));
  assert.deepEqual(posted.slice(6), ['a4', 'd1', 'a5']);
  await tasks.close();
});

// TASK-TURNS-2
test('one party never has all workers, so that there is one for the next party', async () => {
  const { posted, run, tasks } = pool({ workers: 3, timeoutMs: 60_000 });
  const stuck = ['a1!', 'a2!', 'a3!', 'a4!'].map((name) => run(name));
  assert.equal(await run('b1'), 'b1');
  assert.deepEqual(posted, ['a1!', 'a2!', 'b1']);
  await tasks.close();
  for (const error of await Promise.all(stuck)) assert.equal((error as { code?: string }).code, 'control.UNAVAILABLE');
});

test('of one party and of all only so many wait; the refusal says when to come again', async () => {
  const { run, tasks } = pool({ workers: 1, timeoutMs: 60_000, ofParty: 2, inAll: 3 });
  const kept = ['a1!', 'a2!', 'a3!'].map((name) => run(name));
  const refused = (await run('a4!')) as ServiceError;
  assert.deepEqual([refused.code, refused.extra.retryAfterMs], ['control.RATE_LIMITED', 1_000]);
  kept.push(run('b1!'));
  assert.equal(((await run('c1!')) as { code?: string }).code, 'control.UNAVAILABLE');
  await tasks.close();
  await Promise.all(kept);
});

// TASK-POOL-1
test('a task that takes too long, too much, or its worker along, ends alone and is reported', async () => {
  const { run, events, alive, tasks } = pool({ workers: 1 });
  const slow = (await run('a1!')) as TaskLost;
  assert.deepEqual([slow instanceof TaskLost, slow.why, slow.message], [true, 'time', 'a1! took more than 0.02 s.']);
  assert.equal(alive(), 0);
  const [large, crashed] = [run('a2!'), run('a3!')];
  await new Promise(setImmediate);
  events[1]!.onLost('memory', new Error('out of memory'));
  assert.equal(((await large) as TaskLost).why, 'memory');
  await new Promise(setImmediate);
  events[2]!.onLost('other', new Error('gone'));
  assert.equal(((await crashed) as TaskLost).why, 'other');
  assert.equal(await run('a4'), 'a4');
  await tasks.close();
});

// TASK-POOL-3
test('what a worker waits for a processor is no time of its task, and is bounded', async () => {
  let looks = 0;
  const patient = pool({
    workers: 1,
    timeoutMs: 30,
    waitedMs: () => {
      // The first is of the beginning. So it has waited all the time until the third, and then it has run.
      looks += 1;
      if (looks === 3) patient.events[0]!.onAnswer({ result: 'late' });
      return looks * 30;
    },
  });
  assert.equal(await patient.run('a1!'), 'late');
  await patient.tasks.close();

  let waited = 0;
  const starved = pool({
    workers: 1,
    timeoutMs: 30,
    waitedMs: () => {
      waited += 1_000;
      return waited;
    },
  });
  const lost = (await starved.run('a1!')) as TaskLost;
  assert.deepEqual([lost.why, lost.message], ['busy', 'a1! may take 0.03 s, for which this machine had no processor.']);
  await starved.tasks.close();
});

test('a compile that a busy machine lets wait is asked for again; it says nothing of the source', async () => {
  let waited = 0;
  const fake = workers<CompileTask, never>(
    () => undefined,
    () => {
      waited += 1_000;
      return waited;
    },
  );
  const compiler = new CompileWorkers({ workers: 1, timeoutMs: 30, start: fake.start });
  await assert.rejects(compiler.compile({ root: 'sound', projectId: 'one' }), { code: 'control.UNAVAILABLE' });
  await compiler.close();
});

// TASK-POOL-2
test('an aborted task leaves its place to the next, and a task that cannot be made ends no worker', async () => {
  const { posted, run, tasks } = pool({ workers: 1, timeoutMs: 60_000 });
  const [one, two] = [new AbortController(), new AbortController()];
  const [running, waiting, last] = [run('a1!', one.signal), run('a2', two.signal), run('a3')];
  await new Promise(setImmediate);
  two.abort();
  one.abort();
  assert.deepEqual([((await running) as Error).name, ((await waiting) as Error).name, await last], ['AbortError', 'AbortError', 'a3']);
  assert.deepEqual(posted, ['a1!', 'a3']);
  const broken = tasks.run({ what: 'x', party: 'a', task: () => Promise.reject(new RangeError('too large')) });
  await assert.rejects(broken, RangeError);
  assert.equal(await run('a5'), 'a5');
  await tasks.close();
});
