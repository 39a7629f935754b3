// Watches the steps of one incarnation of a host, and is the only one to end it before it has stopped. What callers get then: aftermath.ts.
//   WATCHDOG-1. A step is overdue when it was seen too old twice: a record of the board may be read while it is written.
//   WATCHDOG-2. A thread is not ended inside its critical section (async/critical-section.ts), unless what it does there takes too long.
//   WATCHDOG-3. Time in which the watcher itself did not run is not counted: the machine was suspended or busy, and the step may have
//     waited as well. Every check counts its interval, so a step that does not end is ended, however late the checks are.
//   WATCHDOG-4. Nor is counted what the host waited for a processor (processor-excuse.ts), of a step that has run for an interval of looks;
//     of tool code, which waits for nothing by itself, nor what it was blocked.
//   WATCHDOG-5. Of a step that is overdue and has not run for its time, for want of a processor, the host is known as starved.
import { limits } from '../contract/limits.js';
import type { ProcessorTime } from '../processes/processor-wait.js';
import { commitSlot, hostWorkSlot, monotonicMs, type RunningStep } from './board.js';
import type { HostIncarnation } from './host-port.js';
import type { HostEndReason } from './options.js';
import { ProcessorExcuse } from './processor-excuse.js';
import { tuning } from './tuning.js';

export class Watchdog {
  /** Why the incarnation was ended; undefined while it was not. */
  reason: HostEndReason | undefined;
  /** The machine had no processor for the step for which it was ended. */
  isStarved = false;
  /** Of the host so far; undefined where that is not known. */
  processorTime: () => ProcessorTime | undefined;
  readonly #incarnation: HostIncarnation;
  readonly #handlerTimeoutMs: number;
  readonly #startedMs = monotonicMs();
  #excusedAtStartMs = 0;
  readonly #onStuck: () => void;
  #suspect: RunningStep | undefined;
  /** The step of the last look, and how much of its time is not counted. */
  #seen: { step: RunningStep; excusedMs: number } | undefined;
  readonly #excuse = new ProcessorExcuse(() => this.processorTime());

  /** `onStuck`: it was ended and is still there, as a thread is that waits in native code for a lock nobody will release. */
  constructor(incarnation: HostIncarnation, handlerTimeoutMs: number, onStuck: () => void) {
    this.#incarnation = incarnation;
    this.processorTime = () => incarnation.processorTime?.();
    this.#handlerTimeoutMs = handlerTimeoutMs;
    this.#onStuck = onStuck;
  }

  /**
   * Ends an incarnation whose present step takes too long; yields that step. `slotsUsed`: how much of the board may be in use. `lateMs`:
   * how long after its time this look comes.
   */
  look(slotsUsed: number, lateMs: number): RunningStep | undefined {
    const step = this.#present(slotsUsed);
    const allowedMs = step === undefined ? 0 : this.#allowedMs(step);
    const overdue = step !== undefined && this.#countedMs({ step, lateMs, allowedMs }) > allowedMs;
    if (overdue && isSame(step, this.#suspect)) this.#endOverdue(allowedMs);
    this.#suspect = overdue ? step : undefined;
    return step;
  }

  /** An incarnation that does not come up is ended like one that hangs. */
  lookAtStart(lateMs: number): void {
    const runsForMs = monotonicMs() - this.#startedMs;
    const allowedMs = limits.hostWorkTimeoutMs;
    this.#excusedAtStartMs = Math.min(this.#excusedAtStartMs + this.#excuse.at({ lateMs, work: 'start', allowedMs }), runsForMs);
    if (runsForMs - this.#excusedAtStartMs > allowedMs) this.end('timeout');
  }

  /** What of a silence since `heardMs`, which may last `allowedMs`, is not counted since the last look. */
  excuseSilence({ heardMs, ...look }: { heardMs: number; lateMs: number; allowedMs: number }): number {
    return this.#excuse.at({ ...look, work: `silence ${heardMs}` });
  }

  /** Ends it whatever it does; the first reason given stays. */
  end(reason: HostEndReason): void {
    if (this.reason) return;
    this.reason = reason;
    const deadlineMs = monotonicMs() + limits.hostWorkTimeoutMs;
    const tryToEnd = (): void => {
      if (this.#incarnation.board.closeSection() || monotonicMs() >= deadlineMs) this.#terminate();
      else setTimeout(tryToEnd, tuning.sectionLookMs);
    };
    tryToEnd();
  }

  #endOverdue(allowedMs: number): void {
    this.isStarved ||= this.reason === undefined && this.#excuse.isStarved(allowedMs);
    this.end('timeout');
  }

  #terminate(): void {
    this.#incarnation.terminate();
    const stuck = setTimeout(this.#onStuck, limits.hostEndWaitMs);
    void this.#incarnation.ended.then(() => clearTimeout(stuck));
  }

  #present(slotsUsed: number): RunningStep | undefined {
    this.#incarnation.board.refresh(slotsUsed);
    return this.#incarnation.board.running(slotsUsed);
  }

  #countedMs({ step, lateMs, allowedMs }: { step: RunningStep; lateMs: number; allowedMs: number }): number {
    const runsForMs = monotonicMs() - step.sinceMs;
    const before = isSame(step, this.#seen?.step) ? this.#seen?.excusedMs : 0;
    const isLong = runsForMs > allowedMs / tuning.watchesPerTimeout;
    const look = { lateMs, work: `${step.stamp} ${step.sinceMs}`, allowedMs, isToolCode: !isHostWork(step) };
    const moreMs = isLong ? this.#excuse.at(look) : lateMs;
    const excusedMs = Math.min((before ?? 0) + moreMs, runsForMs);
    this.#seen = { step, excusedMs };
    return runsForMs - excusedMs;
  }

  #allowedMs(step: RunningStep): number {
    return isHostWork(step) ? limits.hostWorkTimeoutMs : this.#handlerTimeoutMs;
  }
}

const isHostWork = ({ slot }: RunningStep): boolean => slot === commitSlot || slot === hostWorkSlot;
const isSame = (step: RunningStep, other: RunningStep | undefined): boolean =>
  step.stamp === other?.stamp && step.sinceMs === other.sinceMs;
