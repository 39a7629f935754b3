// Workers of a task pool that are threads.
//   TASK-THREAD-1. A thread whose pool is closed serves the next pool, where the process keeps threads (kept-threads.ts). One that has a
//     task, or whose last task broke, never does.
import { timeOfThread } from '../processes/processor-wait.js';
import { releaseThread, takeThread } from './kept-threads.js';
import type { StartTaskWorker, TaskAnswer, ThreadLimits } from './task-worker.js';
import type { ThreadStart } from './thread.js';

/** What a thread is given as one task of its pool. */
export interface NumberedTask<Task> {
  number: number;
  task: Task;
}
/** Posted by a thread when everything that the task needs is loaded. */
export interface NumberedBegin {
  begun: number;
  /** Of the thread, for the system, where that is known. */
  thread?: number | undefined;
}

export interface TaskThreads {
  /** A module whose function `runTask` takes a NumberedTask, posts a NumberedBegin, and returns a TaskAnswer. */
  entry: URL;
  limits: ThreadLimits;
}

/** Of all threads: one that serves a second pool may still say what it began for the first. */
let lastNumber = 0;

/** They see no environment variable, and keep this process for as long as they have a task. */
export function threadWorkers<Task, Result>({ entry, limits }: TaskThreads): StartTaskWorker<Task, Result> {
  const { heapMb, youngHeapMb, stackMb } = limits;
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb };
  const start: ThreadStart = { entry, run: 'runTask', env: {}, resourceLimits };
  return ({ onBegun, onAnswer, onLost }) => {
    let number = 0;
    let isAtRest = true;
    let threadNumber: number | undefined;
    const thread = takeThread(start);
    // Results come on another wire: what begins late has been answered by then.
    thread.listen((message) => {
      const begin = message as NumberedBegin | null;
      if (begin?.begun !== number) return;
      threadNumber = begin.thread;
      onBegun();
    });
    void thread.exited.then((code) => onLost('other', new Error(`a thread ended with ${code}`)));
    return {
      post: (task) => {
        isAtRest = false;
        lastNumber += 1;
        number = lastNumber;
        thread.run({ number, task } satisfies NumberedTask<Task>).then(
          (answer) => {
            isAtRest = !('bug' in (answer as TaskAnswer<Result>));
            onAnswer(answer as TaskAnswer<Result>);
          },
          (error: NodeJS.ErrnoException) => onLost(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'other', error),
        );
      },
      waitedMs: () => (threadNumber === undefined ? 0 : (timeOfThread(threadNumber)?.waitedMs ?? 0)),
      end: () => (isAtRest ? releaseThread(start, thread) : thread.end()),
    };
  };
}
