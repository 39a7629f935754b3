// A worker of a task pool that does what its task says, for task-thread.test.ts.
import { parentPort } from 'node:worker_threads';
import type { NumberedBegin, NumberedTask } from '../../src/workers/task-thread.js';
import type { TaskAnswer } from '../../src/workers/task-worker.js';

export type TestTask = 'environment' | 'load for ever' | 'spin' | 'fill the memory' | 'exit' | 'break' | 'say nonsense';
let tasks = 0;

export async function runTask({ number, task }: NumberedTask<TestTask>): Promise<TaskAnswer<string>> {
  tasks += 1;
  if (task === 'load for ever') await new Promise(() => {});
  if (task === 'say nonsense') for (const nonsense of [null, 1, { begun: number + 1 }]) parentPort?.postMessage(nonsense);
  parentPort?.postMessage({ begun: number } satisfies NumberedBegin);
  if (task === 'spin') for (;;);
  if (task === 'exit') process.exit(7);
  if (task === 'break') return { bug: 'broken' };
  const kept: number[][] = [];
  while (task === 'fill the memory') kept.push(new Array(10_000).fill(kept.length));
  return { result: `${task} ${tasks}: ${Object.keys(process.env).length} variables` };
}
