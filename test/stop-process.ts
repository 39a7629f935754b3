// Stops a process as `kill -STOP` does, for tests of what a service does about one that no longer answers.
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until.js';

/**
 * Resolves when each thread of the process stands still. A signal is only on its way when `kill` returns: until it arrives a thread may
 * begin what it was just sent, and would then be stopped in the middle of a step instead of between two.
 */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const tasks = `/proc/${pid}/task`;
  await until(() => readdirSync(tasks).every((task) => isStopped(readFileSync(`${tasks}/${task}/stat`, 'utf8'))));
}

/** proc(5): the state follows the name of the command, which stands in parentheses and may hold some itself. */
const isStopped = (stat: string): boolean => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
