// A thread that says which one it is, for kept-threads.test.ts.
import { threadId } from 'node:worker_threads';

export function sayThread(task: 'say' | 'throw' | 'end soon'): number {
  if (task === 'throw') throw new Error('as asked');
  if (task === 'end soon') setTimeout(() => process.exit(3), 20);
  return threadId;
}
