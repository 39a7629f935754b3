// Whether the process of a host is still there while nothing runs on it: now and then it is asked for a heartbeat, and whatever it sends
// is one. A process that was stopped from outside, or that waits for ever beside its loop, sends none.
//   HEARTBEAT-1. Silence is time in which an answer is owed and nothing runs; steps have the watchdog.
//   HEARTBEAT-2. Time in which the watcher itself did not run, or the process waited for a processor, is not counted, as WATCHDOG-3 and
//     WATCHDOG-4 say of steps.
import { limits } from '../contract/limits.js';
import { monotonicMs } from './board.js';

export interface HeartbeatCheck {
  /** What is not counted of the time since the last look. */
  notCountedMs: number;
  /** Whether nothing runs on the host. */
  isAtRest: boolean;
  /** Default: the clock of the machine. */
  nowMs?: number;
}

export class Heartbeat {
  readonly #ask: () => void;
  #heardMs: number;
  #lookedMs: number;
  #wasHeard = false;
  #isOwed = false;
  #silentMs = 0;
  /** Answers that were asked for and have not come. */
  #expected = 0;

  /** `ask` is called when nothing was heard for `limits.hostHeartbeatMs`, and not again until something is. */
  constructor(ask: () => void, nowMs = monotonicMs()) {
    this.#ask = ask;
    this.#heardMs = nowMs;
    this.#lookedMs = nowMs;
  }

  /** It has answered before, and owes an answer. One that was never heard may still start. */
  get isMissing(): boolean {
    return this.#wasHeard && this.#isOwed;
  }

  /** When it was heard last, or made. */
  get heardMs(): number {
    return this.#heardMs;
  }

  heard(nowMs = monotonicMs()): void {
    this.#heardMs = nowMs;
    this.#wasHeard = true;
    this.#isOwed = false;
    this.#silentMs = 0;
  }

  /** It has answered; false when it was not asked for it. */
  answered(): boolean {
    return --this.#expected >= 0;
  }

  /** How long it has been silent; called at short intervals. */
  look({ notCountedMs, isAtRest, nowMs = monotonicMs() }: HeartbeatCheck): number {
    const countedMs = Math.max(0, nowMs - this.#lookedMs - notCountedMs);
    this.#lookedMs = nowMs;
    if (!isAtRest) this.#silentMs = 0;
    else if (this.#isOwed) this.#silentMs += countedMs;
    else if (nowMs - this.#heardMs >= limits.hostHeartbeatMs) {
      this.#isOwed = true;
      this.#expected++;
      this.#ask();
    }
    return this.#silentMs;
  }
}
