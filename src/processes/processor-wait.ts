// How long threads have waited for a processor while they could have run: on a busy machine no fault of theirs. From the account of the
// kernel, which Linux keeps and other systems do not.
import { readdirSync, readFileSync } from 'node:fs';
import { millisecondNs } from '../contract/units.js';
import { tuning } from './tuning.js';

/** The number of this thread for the system; undefined where that is not known. */
export function ownThreadNumber(): number | undefined {
  const number = Number.parseInt(readAccount('/proc/thread-self/stat'), 10);
  return Number.isInteger(number) ? number : undefined;
}

/** Of a thread of this process, since it began, in ms; 0 where the system does not say. */
export function waitOfThread(number: number): number {
  return waitIn(`/proc/self/task/${number}`);
}

/** Of all threads of a process and of those below it that run now, in ms. */
export function waitOfProcesses(pid: number): number {
  let waited = 0;
  const pids = [pid];
  for (let at = 0; at < pids.length && pids.length <= tuning.processesCountedMax; at++)
    for (const thread of threadsOf(`/proc/${pids[at]}/task`)) {
      waited += waitIn(thread);
      for (const child of readAccount(`${thread}/children`).split(' ')) if (child !== '') pids.push(Number(child));
    }
  return waited;
}

function threadsOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

/** `schedstat`: time on a processor, time of waiting for one, both in ns, and turns. */
function waitIn(thread: string): number {
  const [, waited = '0'] = readAccount(`${thread}/schedstat`).split(' ');
  return Number(waited) / millisecondNs;
}

/** Empty where there is none, or the thread has ended. */
function readAccount(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
