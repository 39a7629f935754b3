// Who waits for a change of owners. One listener stands at the port for all of them: a promise keeps everybody who ever waited for it.

export class OwnerChanges {
  readonly #listeners = new Set<() => void>();
  #count = 0;
  #isClosed = false;

  /** `changed` never rejects; each promise of it resolves at the first change after it was asked for. */
  constructor(changed: () => Promise<void>) {
    void this.#follow(changed);
  }

  /** Changes so far. */
  get count(): number {
    return this.#count;
  }

  /** Called at each change, until what this returns is called. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves at the next change, when the time is over, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        off();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const off = this.on(done);
      signal.addEventListener('abort', done);
    });
  }

  /** Nothing is to come; who waits, waits no longer. */
  close(): void {
    this.#isClosed = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }

  async #follow(changed: () => Promise<void>): Promise<void> {
    for (;;) {
      await changed();
      if (this.#isClosed) return;
      this.#count += 1;
      for (const listener of [...this.#listeners]) listener();
    }
  }
}
