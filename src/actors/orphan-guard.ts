// A thread inside a host process that ends the process when its parent is gone, whatever the main thread is doing.
import { workerData } from 'node:worker_threads';

const lookEveryMs = 500;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs);
