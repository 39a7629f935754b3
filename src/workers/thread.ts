// One thread, as a Piscina pool of one. Why a pool a thread and not one pool for all: its one thread is known from the start, so the code
// that ends it waits until it is really over, and no other thread is affected. With one pool, aborting a task starts the replacement while
// the old thread may still be running, and does not tell which thread it was. Measured, 2 cores: ending a thread inside `for (;;)` takes 4
// ms, its replacement answers after 30-37 ms either way; four threads start in 72 ms as four pools and 62 ms as one, with the same memory.
import { fileURLToPath } from 'node:url';
import type { ResourceLimits, Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import { plugNPlayFlags } from '../processes/plug-n-play.js';
import { leaveBehind } from './stuck-threads.js';

export interface ThreadStart {
  /** The module that it runs. */
  entry: URL;
  /** Of the function there that takes a task. */
  run: string;
  resourceLimits?: ResourceLimits;
  workerData?: unknown;
  /** Default: a copy of this process's environment. */
  env?: NodeJS.ProcessEnv;
}

export interface Thread {
  /**
   * One task at a time. Rejects with what the task threw or, when the thread has ended under it, with the error that ended it. The process
   * stays for as long as a task runs.
   */
  run(task: unknown, transferList?: Transferable[]): Promise<unknown>;
  /** Hears, from now on and alone, what it posts to its parent besides the results of its tasks. */
  listen(listener: (message: unknown) => void): void;
  /** Resolves, with its exit code, once the thread is gone. */
  readonly exited: Promise<number>;
  /** Resolves when it was to end and has not: it waits in native code, and keeps the process no longer (stuck-threads.ts). */
  readonly stuck: Promise<void>;
  /** Ends it whatever it does; resolves when nothing of it runs any more. */
  end(): Promise<void>;
}

export function startThread({ entry, run, resourceLimits, workerData, env }: ThreadStart): Thread {
  const pool = new Piscina({
    filename: fileURLToPath(entry),
    name: run,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: 0,
    maxQueue: 1,
    concurrentTasksPerWorker: 1,
    // A thread that waits for its next task by blocking would not answer what else it is sent.
    atomics: 'disabled',
    ...defined({ resourceLimits, env }),
    argv: [],
    execArgv: plugNPlayFlags(),
    workerData,
    niceIncrement: 0,
    trackUnmanagedFds: true,
    closeTimeout: 0,
    recordTiming: false,
    stricterFIFO: false,
    workerHistogram: false,
  });
  // What goes wrong in the thread also ends its task; between tasks its end is all there is to know.
  pool.on('error', () => {});
  let heard = (_: unknown): void => {};
  pool.on('message', (message) => heard(message));
  const worker = pool.threads[0]!;
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  let timer: NodeJS.Timeout | undefined;
  let giveUp = (): void => {};
  const stuck = new Promise<void>((resolve) => {
    giveUp = () => {
      leaveBehind(worker);
      resolve();
    };
  });
  // The pool would start another in its place, which nobody has asked for.
  void exited.then(() => {
    clearTimeout(timer);
    return pool.destroy();
  });
  return {
    run: (task, transferList = []) => pool.run(task, { transferList }),
    listen: (listener) => {
      heard = listener;
    },
    exited,
    stuck,
    end: async () => {
      timer ??= setTimeout(giveUp, limits.hostEndWaitMs).unref();
      await Promise.all([pool.destroy(), exited]);
    },
  };
}
