// Does what time brings about, again and again: one sweep after the other, never two at once.
import type { ControlLog } from './services.js';

type Sweep = () => Promise<unknown>;

export class Sweeper {
  readonly #timer: NodeJS.Timeout;
  readonly #sweeps: readonly Sweep[];
  readonly #log: ControlLog;
  #running: Promise<void> | undefined;

  constructor(everyMs: number, log: ControlLog, sweeps: readonly Sweep[]) {
    this.#sweeps = sweeps;
    this.#log = log;
    this.#timer = setInterval(() => {
      this.#running ??= this.#sweepAll();
    }, everyMs).unref();
  }

  /** Resolves when none runs and none will. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #sweepAll(): Promise<void> {
    for (const sweep of this.#sweeps) await sweep().catch((err) => this.#log.warn('a sweep failed and comes again', { err }));
    this.#running = undefined;
  }
}
