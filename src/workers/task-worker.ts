// A worker of a task pool: takes one task at a time, plain structured data, and answers it. What it is, the pool does not know: a thread
// (task-thread.ts), or whatever else its owner starts, such as a process in a box.
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
  /** How long it has waited for a processor by now, in ms: it grows, by as much as the machine was busy with others. */
  waitedMs?(): number;
  /** Resolves when nothing of it runs any more. */
  end(): Promise<void>;
}
export type StartTaskWorker<Task, Result> = (events: TaskWorkerEvents<Result>) => TaskWorker<Task>;

export interface ThreadLimits {
  /** Of the heap; beyond it the thread ends, and no other. Buffers are not counted. */
  heapMb: number;
  youngHeapMb: number;
  stackMb: number;
}
