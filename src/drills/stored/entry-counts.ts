// How many entries of which kind, and with which outcome, a run has.
import type { EvidenceEntry } from '../../contract/world/evidence.js';

export class EntryCounts {
  readonly #entries = new Counter();
  readonly #operations = new Counter();
  readonly #events = new Counter();
  readonly #stateChanges = new Counter();

  observe(entry: EvidenceEntry): void {
    this.#entries.add(entry.kind);
    if (entry.kind === 'operation') this.#operations.add(entry.outcome.kind);
    if (entry.kind === 'event') this.#events.add(entry.phase);
    if (entry.kind === 'state_change') this.#stateChanges.add(entry.change);
  }

  /** As `events.handled`. */
  all(): [name: string, count: number][] {
    return [
      ...this.#entries.named('entries'),
      ...this.#operations.named('operations'),
      ...this.#events.named('events'),
      ...this.#stateChanges.named('stateChanges'),
    ];
  }
}

class Counter {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  named(of: string): [name: string, count: number][] {
    return [...this.#counts].map(([name, count]) => [`${of}.${name}`, count]);
  }
}
