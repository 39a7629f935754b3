// What is not counted of a host's time: on a busy machine it waits for a processor, and its watcher may come late. Tool code may also be
// blocked by what it does not know of: a page that comes from a slow disk, a machine that stands still.
//   PROCESSOR-EXCUSE-1. Of a late look and a host that did not run the longer counts: they may be the same time.
//   PROCESSOR-EXCUSE-2. Waiting is excused up to `limits.processorWaitFactorMax` times what the work may take, and being blocked up to
//     `limits.blockedFactorMax` times, so that work that does not end is ended.
//   PROCESSOR-EXCUSE-3. Both are counted from the first look at a work: the kernel books a wait when it is over, and until then the host
//     looks blocked. No time is excused as both.
import { limits } from '../contract/limits.js';
import type { ProcessorTime } from '../processes/processor-wait.js';
import { monotonicMs } from './board.js';

export interface ExcusedLook {
  /** How long after its time this look comes. */
  lateMs: number;
  /** What is looked at; another one has all of its allowance again. */
  work: string;
  /** What that may take. */
  allowedMs: number;
  /** It has no reason of its own to be blocked. Default false: the host works with the disk. */
  isToolCode?: boolean;
}

/** What is known of a work since its first look. */
interface Account {
  work: string;
  time: ProcessorTime | undefined;
  atMs: number;
  /** What was excused of it so far because the host did not run. */
  notRunMs: number;
}

export class ProcessorExcuse {
  readonly #read: () => ProcessorTime | undefined;
  readonly #nowMs: () => number;
  #account: Account | undefined;

  /** `read` yields what the host has had so far; it is asked once a look. */
  constructor(read: () => ProcessorTime | undefined, nowMs: () => number = monotonicMs) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  /** In ms, what is excused beside what earlier looks at the work have yielded. */
  at({ lateMs, ...look }: ExcusedLook): number {
    const { work } = look;
    const [time, atMs] = [this.#read(), this.#nowMs()];
    if (this.#account?.work !== work) {
      this.#account = { work, time, atMs, notRunMs: 0 };
      return lateMs;
    }
    const notRunMs = notRunSince(this.#account, { time, atMs }, look);
    const moreMs = Math.max(0, notRunMs - this.#account.notRunMs);
    this.#account.notRunMs += moreMs;
    return Math.max(lateMs, moreMs);
  }

  /** Whether the work of the last look has waited for a processor for as long as is excused, and not run for what it may take. */
  isStarved(allowedMs: number): boolean {
    const [before, now] = [this.#account?.time, this.#read()];
    if (before === undefined || now === undefined) return false;
    return now.waitedMs - before.waitedMs >= allowedMs * limits.processorWaitFactorMax && now.ranMs - before.ranMs < allowedMs;
  }
}

function notRunSince(
  first: Pick<Account, 'time' | 'atMs'>,
  now: Pick<Account, 'time' | 'atMs'>,
  { allowedMs, isToolCode = false }: Omit<ExcusedLook, 'lateMs'>,
): number {
  if (first.time === undefined || now.time === undefined) return 0;
  const waitedMs = Math.max(0, now.time.waitedMs - first.time.waitedMs);
  const ranMs = Math.max(0, now.time.ranMs - first.time.ranMs);
  const blockedMs = isToolCode ? Math.max(0, now.atMs - first.atMs - waitedMs - ranMs) : 0;
  return Math.min(waitedMs, allowedMs * limits.processorWaitFactorMax) + Math.min(blockedMs, allowedMs * limits.blockedFactorMax);
}
