// How many entries of which kind, and with which outcome, a run has.
import type { OperationEntry } from '../../contract/world/evidence.js';
import type { JournalLine } from './journal-line.js';

export class EntryCounts {
  readonly #entries = new Counter();
  readonly #operations = new Counter();
  readonly #events = new Counter();
  readonly #stateChanges = new Counter();

  observe(line: JournalLine): void {
    const { name } = line;
    this.#entries.add(name);
    if (name === 'operation') this.#operations.add((line.entry() as OperationEntry).outcome.kind);
    if (name === 'event') this.#events.add(line.text('phase'));
    if (name === 'state_change') this.#stateChanges.add(line.text('change'));
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
