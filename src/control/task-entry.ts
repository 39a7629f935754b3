// Where a thread of a task pool begins: it takes one task after the other (task-pool.ts sends the next when it has an answer).
import { parentPort } from 'node:worker_threads';
import { type AnyTask, answerTask } from './task-answer.js';
import type { TaskBegun } from './task-worker.js';

const begin = (): void => parentPort?.postMessage({ begun: true } satisfies TaskBegun);
parentPort?.on('message', async (task: AnyTask) => parentPort?.postMessage(await answerTask(task, begin)));
