// Who waits for a change of owners. One listener stands at the port for all of them: a promise keeps everybody who ever waited for it.
import type { RequestOwners } from './request-owners.js';

export class OwnerChanges {
  readonly #owners: Pick<RequestOwners, 'changed' | 'watch'>;
  readonly #listeners = new Set<() => void>();
  #count = 0;
  #isClosed = false;

  constructor(owners: Pick<RequestOwners, 'changed' | 'watch'>) {
    this.#owners = owners;
    void this.#follow();
  }

  /** Changes so far. */
  get count(): number {
    return this.#count;
  }

  /** Called at each change, until what this returns is called. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#owners.watch?.(true);
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#owners.watch?.(false);
    };
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
    if (this.#listeners.size === 0) return;
    this.#listeners.clear();
    this.#owners.watch?.(false);
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }

  async #follow(): Promise<void> {
    for (;;) {
      await this.#owners.changed();
      if (this.#isClosed) return;
      this.#count += 1;
      for (const listener of [...this.#listeners]) listener();
    }
  }
}
