// Does what time brings about, again and again: one sweep after the other, never two at once.
import type { ControlLog } from './core/services.js';

type Sweep = () => Promise<unknown>;

export class Sweeper {
  readonly #timer: NodeJS.Timeout;
  readonly #first: NodeJS.Timeout | undefined;
  readonly #sweeps: readonly Sweep[];
  readonly #log: ControlLog;
  #running: Promise<void> | undefined;

  /** `firstMs`: when it sweeps for the first time. Default: after `everyMs`. */
  constructor({ everyMs, firstMs }: { everyMs: number; firstMs?: number }, log: ControlLog, sweeps: readonly Sweep[]) {
    this.#sweeps = sweeps;
    this.#log = log;
    const sweep = (): void => {
      this.#running ??= this.#sweepAll();
    };
    this.#timer = setInterval(sweep, everyMs).unref();
    this.#first = firstMs === undefined ? undefined : setTimeout(sweep, firstMs).unref();
  }

  /** Resolves when none runs and none will. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#first);
    await this.#running;
  }

  async #sweepAll(): Promise<void> {
    for (const sweep of this.#sweeps) await sweep().catch((err) => this.#log.warn('a sweep failed and comes again', { err }));
    this.#running = undefined;
  }
}
