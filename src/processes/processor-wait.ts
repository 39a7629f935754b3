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

/** Of the threads of a process and of those below it that run now, up to a bound, in ms. */
export function waitOfProcesses(pid: number): number {
  let waited = 0;
  const threads = threadsOf(String(pid));
  for (const thread of threads.values()) {
    waited += waitIn(thread);
    const children = readAccount(`${thread}/children`).split(' ');
    for (const child of children) if (child !== '' && threads.length < tuning.threadsCountedMax) threads.push(...threadsOf(child));
  }
  return waited;
}

function threadsOf(pid: string): string[] {
  try {
    const names = readdirSync(`/proc/${pid}/task`).slice(0, tuning.threadsCountedMax);
    return names.map((name) => `/proc/${pid}/task/${name}`);
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
