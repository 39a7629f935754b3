// A clock that a test moves: timers run in their order, and what they set off settles before the next.
import type { ClusterClock } from '../../src/cluster/clock.js';

export class VirtualClock {
  #nowMs = 0;
  #made = 0;
  readonly #timers = new Map<number, { atMs: number; work(): void }>();

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The clock of one node, as if it ran this much faster than the others. */
  face(rate = 1): ClusterClock {
    return {
      now: () => this.#nowMs * rate,
      after: (ms, work) => {
        const id = this.#made++;
        this.#timers.set(id, { atMs: this.#nowMs + Math.max(0, ms) / rate, work });
        return () => this.#timers.delete(id);
      },
    };
  }

  /** Moves by so much; `look` is called whenever everything of a moment is done. */
  async advance(ms: number, look: () => void = () => {}): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      look();
      const next = [...this.#timers].reduce<[number, { atMs: number; work(): void }] | undefined>(
        (least, timer) => (least === undefined || timer[1].atMs < least[1].atMs ? timer : least),
        undefined,
      );
      if (next === undefined || next[1].atMs > untilMs) break;
      this.#timers.delete(next[0]);
      this.#nowMs = Math.max(this.#nowMs, next[1].atMs);
      next[1].work();
    }
    this.#nowMs = untilMs;
  }
}

/** All promises that can resolve without a timer do so before the event loop turns. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
