// How long threads have run, and how long they have waited for a processor while they could have: on a busy machine no fault of theirs.
// From the account of the kernel, which Linux keeps and other systems do not.
import { readdirSync, readFileSync } from 'node:fs';
import { millisecondNs } from '../contract/units.js';
import { tuning } from './tuning.js';

/** Of threads since they began, in ms. In what is neither they slept or were blocked: by the disk, a signal, a machine that stood still. */
export interface ProcessorTime {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** The number of this thread for the system; undefined where that is not known. */
export function ownThreadNumber(): number | undefined {
  const number = Number.parseInt(readAccount('/proc/thread-self/stat') ?? '', 10);
  return Number.isInteger(number) ? number : undefined;
}

/** Of a thread of this process; undefined where the system does not say. */
export function timeOfThread(number: number): ProcessorTime | undefined {
  return timeIn(`/proc/self/task/${number}`);
}

/** The same of all threads of a process and of those below it that are there now, up to a bound. */
export function timeOfProcesses(pid: number): ProcessorTime | undefined {
  const known: ProcessorTime[] = [];
  const threads = threadsOf(String(pid));
  for (const thread of threads.values()) {
    const time = timeIn(thread);
    // It has ended since, or nothing is known here.
    if (time === undefined) continue;
    known.push(time);
    const children = readAccount(`${thread}/children`);
    // Without it, who works below a box is not to be found.
    if (children === undefined) return undefined;
    for (const child of children.split(' '))
      if (child !== '' && threads.length < tuning.threadsCountedMax) threads.push(...threadsOf(child));
  }
  if (known.length === 0) return undefined;
  return { ranMs: sumOf(known, 'ranMs'), waitedMs: sumOf(known, 'waitedMs') };
}
const sumOf = (times: readonly ProcessorTime[], name: keyof ProcessorTime): number => times.reduce((sum, time) => sum + time[name], 0);

function threadsOf(pid: string): string[] {
  try {
    const names = readdirSync(`/proc/${pid}/task`).slice(0, tuning.threadsCountedMax);
    return names.map((name) => `/proc/${pid}/task/${name}`);
  } catch {
    return [];
  }
}

/** `schedstat`: time on a processor, time of waiting for one, both in ns, and turns. */
function timeIn(thread: string): ProcessorTime | undefined {
  const [ran, waited] = (readAccount(`${thread}/schedstat`) ?? '').split(' ');
  // A kernel that keeps no account says 0 of everything.
  if (waited === undefined || ran === '0') return undefined;
  return { ranMs: Number(ran) / millisecondNs, waitedMs: Number(waited) / millisecondNs };
}

/** Undefined where there is none, or the thread has ended. */
function readAccount(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return undefined;
  }
}
