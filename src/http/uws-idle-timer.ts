// The idle timeout of uWebSockets.js, ten seconds of its own for everything: begun again until our own time is over, so that what is
// documented holds on both servers. Pausing and resuming a connection begins it again; nothing else of its interface does.
import { limits } from '../contract/limits.js';
import type { UwsResponse } from './uws-binary.js';

/** Of one exchange. The owner calls `stop` before the response object is dead. */
export class IdleTimer {
  readonly #response: UwsResponse;
  readonly #stallMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(response: UwsResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
  }

  /** While a body comes, whose time somebody else bounds. */
  holdOff(): void {
    this.#timer ??= setInterval(() => this.#begin(), limits.uwsIdleHeldMs);
  }

  /** While a reply leaves: the connection is closed when its client has taken nothing of it for so long. */
  boundStall(): void {
    let offset = this.#response.getWriteOffset();
    let sinceMs = performance.now();
    this.stop();
    this.#timer = setInterval(
      () => {
        const now = this.#response.getWriteOffset();
        if (now !== offset) {
          offset = now;
          sinceMs = performance.now();
        }
        if (performance.now() - sinceMs >= this.#stallMs) this.#response.close();
        else this.#begin();
      },
      Math.min(limits.uwsIdleHeldMs, this.#stallMs),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    this.#response.pause();
    this.#response.resume();
  }
}
