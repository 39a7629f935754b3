// Where a thread of a task pool begins: it takes one task after the other.
import { parentPort } from 'node:worker_threads';
import { ownThreadNumber } from '../../processes/processor-wait.js';
import type { NumberedBegin, NumberedTask } from '../../workers/task-thread.js';
import type { TaskAnswer } from '../../workers/task-worker.js';
import { type AnyTask, answerTask } from './task-answer.js';

/** Called by Piscina. */
export function runTask({ number, task }: NumberedTask<AnyTask>): Promise<TaskAnswer<unknown>> {
  return answerTask(task, () => parentPort?.postMessage({ begun: number, thread: ownThreadNumber() } satisfies NumberedBegin));
}
