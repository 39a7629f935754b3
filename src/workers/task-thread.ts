// Workers of a task pool that are threads.
import type { StartTaskWorker, TaskAnswer, ThreadLimits } from './task-worker.js';
import { startThread, type Thread } from './thread.js';

/** What a thread is given as one task of its pool. */
export interface NumberedTask<Task> {
  number: number;
  task: Task;
}
/** Posted by a thread when everything that the task needs is loaded. */
export interface NumberedBegin {
  begun: number;
}

export interface TaskThreads {
  /** A module whose function `runTask` takes a NumberedTask, posts a NumberedBegin, and returns a TaskAnswer. */
  entry: URL;
  limits: ThreadLimits;
}

/** They see no environment variable, and keep this process for as long as they have a task. */
export function threadWorkers<Task, Result>({ entry, limits }: TaskThreads): StartTaskWorker<Task, Result> {
  const { heapMb, youngHeapMb, stackMb } = limits;
  return ({ onBegun, onAnswer, onLost }) => {
    let number = 0;
    const thread: Thread = startThread({
      entry,
      run: 'runTask',
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb, stackSizeMb: stackMb },
      // Results come on another wire: what begins late has been answered by then.
      onMessage: (message) => (message as NumberedBegin | null)?.begun === number && onBegun(),
    });
    void thread.exited.then((code) => onLost('other', new Error(`a thread ended with ${code}`)));
    return {
      post: (task) => {
        number += 1;
        thread.run({ number, task } satisfies NumberedTask<Task>).then(
          (answer) => onAnswer(answer as TaskAnswer<Result>),
          (error: NodeJS.ErrnoException) => onLost(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'other', error),
        );
      },
      end: () => thread.end(),
    };
  };
}
