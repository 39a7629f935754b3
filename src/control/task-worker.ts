// A worker of a task pool: takes one task at a time, plain structured data, and answers it. What it is, the pool does not know: a thread
// here, a process in task-process.ts.
import { Worker } from 'node:worker_threads';
import type { ErrorFrame } from '../contract/errors.js';

/** What a worker answers. `bug`: the stack of what was not a refusal. */
export type TaskAnswer<Result> = { result: Result } | { refusal: ErrorFrame } | { bug: string };

/** Also sent by a worker: it is there, has loaded what the task needs, and begins. */
export interface TaskBegun {
  begun: true;
}

export interface TaskWorkerEvents<Result> {
  /** The time of the task counts from here. */
  onBegun(): void;
  onAnswer(answer: TaskAnswer<Result>): void;
  /** It is gone, of itself or because it was ended; called once or more. */
  onLost(why: TaskLoss, error: Error): void;
}
export type TaskLoss = 'memory' | 'other';

export interface TaskWorker<Task> {
  /** Only when it has answered what it was given before. */
  post(task: Task): void;
  /** Resolves when nothing of it runs any more. */
  end(): Promise<void>;
  /** Whether the process stays for it. */
  hold(isHeld: boolean): void;
}
export type StartTaskWorker<Task, Result> = (events: TaskWorkerEvents<Result>) => TaskWorker<Task>;

export interface ThreadLimits {
  /** Of the heap; beyond it the thread ends, and no other. Buffers are not counted. */
  heapMb: number;
  youngHeapMb: number;
  stackMb: number;
}

/** Threads that begin at task-entry.ts. */
export function threadWorkers<Task, Result>(name: string, { heapMb, youngHeapMb, stackMb }: ThreadLimits): StartTaskWorker<Task, Result> {
  return ({ onBegun, onAnswer, onLost }) => {
    const thread = new Worker(new URL('./task-entry.js', import.meta.url), {
      name,
      argv: [],
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb },
    });
    thread.on('message', (message: TaskBegun | TaskAnswer<Result>) => ('begun' in message ? onBegun() : onAnswer(message)));
    thread.on('error', (error: NodeJS.ErrnoException) => onLost(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'other', error));
    thread.on('exit', (code) => onLost('other', new Error(`a ${name} worker ended with ${code}`)));
    return {
      post: (task) => thread.postMessage(task),
      end: async () => {
        await thread.terminate();
      },
      hold: (isHeld) => (isHeld ? thread.ref() : thread.unref()),
    };
  };
}
