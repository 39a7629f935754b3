// Threads that have nothing to do and are kept for who starts one of the same kind next (docs/decisions/021). A process that opens worlds
// again and again, as a suite of tests does, then starts a thread once: it has its modules loaded and its code compiled. Nothing is kept
// unless `keepThreads` is called: a service gives the code of each project threads that have seen no other.
//   KEPT-THREADS-1. A thread is kept only when its task has returned: one that was ended, or whose task failed, never is.
//   KEPT-THREADS-2. Who starts a thread gets a kept one only of the same module, function, bounds and data.
//   KEPT-THREADS-3. No more are kept than asked for, and none longer; they keep no process from ending.
import { startThread, type Thread, type ThreadStart } from './thread.js';
import { tuning } from './tuning.js';

export interface KeptThreadsOptions {
  threadsMax: number;
  /** Until one that nobody takes is ended. */
  idleMs: number;
}

interface KeptThread {
  thread: Thread;
  timer: NodeJS.Timeout;
}

let options: KeptThreadsOptions = { threadsMax: 0, idleMs: 0 };
/** By what they were started with, the last one kept at the end. */
const kept = new Map<string, KeptThread[]>();
let count = 0;

/** For the whole process, from now on. Those that are kept now stay for their time. Default: the figures of this module. */
export function keepThreads(chosen: KeptThreadsOptions = tuning.keptThreads): void {
  options = chosen;
}

export const keptThreads = (): KeptThreadsOptions => options;

/** A kept thread, or a new one. */
export function takeThread(start: ThreadStart): Thread {
  const key = keyOf(start);
  const found = kept.get(key)?.at(-1);
  if (found === undefined) return startThread(start);
  forget(key, found);
  return found.thread;
}

/** Of a thread of `takeThread` whose task has returned. Resolves when it is kept, or when nothing of it runs any more. */
export async function releaseThread(start: ThreadStart, thread: Thread): Promise<void> {
  if (count >= options.threadsMax) {
    await thread.end();
    return;
  }
  const key = keyOf(start);
  const timer = setTimeout(() => {
    forget(key, entry);
    void thread.end();
  }, options.idleMs);
  timer.unref();
  const entry = { thread, timer };
  kept.set(key, [...(kept.get(key) ?? []), entry]);
  count += 1;
  void thread.exited.then(() => forget(key, entry));
}

function forget(key: string, entry: KeptThread): void {
  const entries = kept.get(key) ?? [];
  if (!entries.includes(entry)) return;
  clearTimeout(entry.timer);
  kept.set(
    key,
    entries.filter((other) => other !== entry),
  );
  count -= 1;
}

const keyOf = ({ entry, run, resourceLimits, workerData, env }: ThreadStart): string =>
  JSON.stringify([entry.href, run, resourceLimits, workerData, env]);
