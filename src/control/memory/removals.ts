// What is removed for good while a backup is made: the catalog was copied first, and what the copy names has to be copied before it goes.
//   REMOVALS-1. From `hold` on no world, snapshot of a world, evidence folder or blob goes that was not being removed by then, until it was
//     copied or the hold is released. Nothing else waits.

export class Removals {
  #held = false;
  /** Projects whose worlds are copied. */
  readonly #copied = new Set<string>();
  readonly #waiting = new Set<() => void>();
  readonly #running = new Set<Promise<void>>();

  /** One at a time. Resolves with its end, when what runs is done. */
  async hold(): Promise<() => void> {
    this.#held = true;
    await Promise.allSettled(this.#running);
    return () => {
      this.#held = false;
      this.#copied.clear();
      this.#wake();
    };
  }
  /** Worlds of the project may go again. */
  worldsCopied(projectId: string): void {
    this.#copied.add(projectId);
    this.#wake();
  }

  get areHeld(): boolean {
    return this.#held;
  }

  /** Resolves when a world of the project may go, or the signal aborts. */
  ofWorlds(projectId: string, signal: AbortSignal): Promise<void> {
    return this.#until(() => !this.#held || this.#copied.has(projectId), signal);
  }
  /** Removes what the catalog still names, once nothing is held. Not begun where the signal aborts before: it is thrown then. */
  async run(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    await this.#until(() => !this.#held, signal);
    signal.throwIfAborted();
    const running = work();
    this.#running.add(running);
    try {
      await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #until(isAllowed: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isAllowed() && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
