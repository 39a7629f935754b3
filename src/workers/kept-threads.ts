// Threads that have nothing to do and are kept for who starts one of the same kind next (docs/decisions/021). A process that opens worlds
// again and again, as a suite of tests does, then starts a thread once: it has its modules loaded and its code compiled. Nothing is kept
// unless `keepThreads` is called: a service gives the code of each project threads that have seen no other.
//   KEPT-THREADS-1. A thread is kept only when its task has returned: one that was ended, or whose task failed, never is.
//   KEPT-THREADS-2. Who starts a thread gets a kept one only of the same module, function, bounds and data.
//   KEPT-THREADS-3. No more are kept than asked for, and none longer; they keep no process from ending. One that was prepared
//     for who comes next has run nothing, and waits until its requester gives it up.
import { startThread, type Thread, type ThreadStart } from './thread.js';
import { tuning } from './tuning.js';

export interface KeptThreadsOptions {
  threadsMax: number;
  /** Until one that nobody takes is ended. */
  idleMs: number;
}

interface KeptThread {
  /** What it was started with. */
  key: string;
  thread: Thread;
  timer?: NodeJS.Timeout;
}

let options: KeptThreadsOptions = { threadsMax: 0, idleMs: 0 };
/** The last one kept at the end. */
const kept: KeptThread[] = [];

/** For the whole process, from now on. Those that are kept now stay for their time. Default: the figures of this module. */
export function keepThreads(chosen: KeptThreadsOptions = tuning.keptThreads): void {
  options = chosen;
}

export const keptThreads = (): KeptThreadsOptions => options;

/**
 * Starts a thread for the next start of its kind, whether or not this process keeps threads: it loads its modules meanwhile. Returns a
 * function that ends it where it was not taken. Where one of its kind is kept, the next start takes that one, and nothing is started here.
 */
export function prepareThread(start: ThreadStart): () => void {
  const key = keyOf(start);
  if (kept.some((entry) => entry.key === key && entry.timer !== undefined)) return () => {};
  const entry = keep(key, startThread(start));
  return () => {
    if (kept.includes(entry)) void drop(entry);
  };
}

/** A kept thread, or a new one. */
export function takeThread(start: ThreadStart): Thread {
  const key = keyOf(start);
  const found = kept.findLast((entry) => entry.key === key);
  if (found === undefined) return startThread(start);
  forget(found);
  return found.thread;
}

/**
 * Of a thread of `takeThread` whose task has returned. Resolves when it is kept, or when nothing of it runs any more. Of too many the one
 * that has waited longest goes.
 */
export async function releaseThread(start: ThreadStart, thread: Thread): Promise<void> {
  if (options.threadsMax === 0) {
    await thread.end();
    return;
  }
  keep(keyOf(start), thread, options.idleMs);
  const [oldest] = kept;
  if (kept.length > options.threadsMax && oldest !== undefined) await drop(oldest);
}

/** `idleMs`: without it, until somebody takes it or drops it. */
function keep(key: string, thread: Thread, idleMs?: number): KeptThread {
  const entry: KeptThread = { key, thread };
  if (idleMs !== undefined) entry.timer = setTimeout(() => void drop(entry), idleMs).unref();
  kept.push(entry);
  void thread.exited.then(() => forget(entry));
  return entry;
}

async function drop(entry: KeptThread): Promise<void> {
  forget(entry);
  await entry.thread.end();
}

function forget(entry: KeptThread): void {
  const at = kept.indexOf(entry);
  if (at < 0) return;
  clearTimeout(entry.timer);
  kept.splice(at, 1);
}

const keyOf = ({ entry, run, resourceLimits, workerData, env }: ThreadStart): string =>
  JSON.stringify([entry.href, run, resourceLimits, workerData, env]);
