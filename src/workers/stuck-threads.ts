// Threads that were to end and did not: V8 looks whether a thread is to end between two steps of its code, and some of its own functions
// take hours for one. Node.js waits for every thread when a process ends, for ever for such a one, so a process that has one ends itself.
//   STUCK-THREADS-1. A thread that is left behind keeps no process: it ends as if the thread were gone, after all its listeners of `exit`,
//     and by SIGKILL, as nothing less ends it; by an abort where that has no effect, as on the first process of a container. Its exit code
//     is lost.
import type { Worker } from 'node:worker_threads';

const left = new Set<Worker>();

export function leaveBehind(worker: Worker): void {
  worker.unref();
  if (left.size === 0) process.on('exit', endProcess);
  left.add(worker);
  worker.once('exit', () => {
    left.delete(worker);
    if (left.size === 0) process.off('exit', endProcess);
  });
}

function endProcess(code: number): void {
  const listeners = process.rawListeners('exit');
  for (const listener of listeners.slice(listeners.indexOf(endProcess) + 1)) listener.call(process, code);
  process.kill(process.pid, 'SIGKILL');
  process.abort();
}
