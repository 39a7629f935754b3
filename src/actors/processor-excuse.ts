// What is not counted of a host's time between two looks: on a busy machine it waits for a processor, and its watcher may come late.
//   PROCESSOR-EXCUSE-1. Of both the longer counts: they may be the same time.
//   PROCESSOR-EXCUSE-2. Waiting is excused up to `limits.processorWaitFactorMax` times what the work may take, so that work that does not
//     end is ended.
import { limits } from '../contract/limits.js';

export interface ExcusedLook {
  /** How long after its time this look comes. */
  lateMs: number;
  /** What is looked at; another one has all of its allowance again. */
  work: string;
  /** What that may take. */
  allowedMs: number;
}

export class ProcessorExcuse {
  readonly #readWaited: () => number;
  #work: string | undefined;
  #waitedMs = 0;
  #excusedMs = 0;

  /** `readWaited` yields how long the host has waited so far, in ms; it is asked once a look. */
  constructor(readWaited: () => number) {
    this.#readWaited = readWaited;
  }

  /** In ms, of the interval that this look ends. */
  at({ lateMs, work, allowedMs }: ExcusedLook): number {
    const isNew = work !== this.#work;
    const before = this.#waitedMs;
    this.#waitedMs = this.#readWaited();
    if (isNew) {
      this.#work = work;
      this.#excusedMs = 0;
      return lateMs;
    }
    const leftMs = Math.max(0, allowedMs * limits.processorWaitFactorMax - this.#excusedMs);
    const excusedMs = Math.min(Math.max(0, this.#waitedMs - before), leftMs);
    this.#excusedMs += excusedMs;
    return Math.max(lateMs, excusedMs);
  }
}
