// What is not counted of a host's time between two looks: on a busy machine it waits for a processor, and its watcher may come late. Tool
// code may also be blocked by what it does not know of: a page that comes from a slow disk, a machine that stands still.
//   PROCESSOR-EXCUSE-1. Of a late look and a host that did not run the longer counts: they may be the same time.
//   PROCESSOR-EXCUSE-2. Waiting is excused up to `limits.processorWaitFactorMax` times what the work may take, and being blocked up to
//     `limits.blockedFactorMax` times, so that work that does not end is ended.
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

export class ProcessorExcuse {
  readonly #read: () => ProcessorTime | undefined;
  readonly #nowMs: () => number;
  #work: string | undefined;
  #time: ProcessorTime | undefined;
  #atMs = 0;
  #waitedMs = 0;
  #blockedMs = 0;

  /** `read` yields what the host has had so far; it is asked once a look. */
  constructor(read: () => ProcessorTime | undefined, nowMs: () => number = monotonicMs) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  /** In ms, of the interval that this look ends. */
  at({ lateMs, work, allowedMs, isToolCode = false }: ExcusedLook): number {
    const [before, sinceMs] = [this.#time, this.#atMs];
    const now = this.#read();
    this.#time = now;
    this.#atMs = this.#nowMs();
    if (work !== this.#work) {
      this.#work = work;
      this.#waitedMs = 0;
      this.#blockedMs = 0;
      return lateMs;
    }
    if (now === undefined || before === undefined) return lateMs;
    const { processorWaitFactorMax, blockedFactorMax } = limits;
    const passedMs = Math.max(0, now.waitedMs - before.waitedMs);
    const waitedMs = Math.min(passedMs, Math.max(0, allowedMs * processorWaitFactorMax - this.#waitedMs));
    const restMs = this.#atMs - sinceMs - passedMs - Math.max(0, now.ranMs - before.ranMs);
    const blockedMs = isToolCode ? Math.min(Math.max(0, restMs), Math.max(0, allowedMs * blockedFactorMax - this.#blockedMs)) : 0;
    this.#waitedMs += waitedMs;
    this.#blockedMs += blockedMs;
    return Math.max(lateMs, waitedMs + blockedMs);
  }
}
