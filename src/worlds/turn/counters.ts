// What a world remembers beside rows, queue, receipts and evidence: random streams, counters of faults and overrides, settings.
// Owns small values by key. Nothing in it is ever rolled back: a draw or a count that happened has happened (docs/decisions/010).
//   COUNTERS-1. Every change is in the side record of the next turn that leaves entries, so that the journal folds to the counters at any
//     turn.
import type { JsonValue } from '../../contract/json.js';

export type CounterEntries = [string, JsonValue][];

const none: CounterEntries = [];

export class Counters {
  readonly #values: Map<string, JsonValue>;
  #changes: { [key: string]: JsonValue } | undefined;
  /** As last listed; most commits change nothing here. */
  #entries: CounterEntries | undefined;

  /** `changes`: keys whose present value no turn has recorded yet. */
  constructor(entries: CounterEntries = [], changes: CounterEntries = []) {
    this.#values = new Map(entries);
    if (changes.length > 0) this.#changes = Object.fromEntries(changes);
  }

  get(key: string): JsonValue | undefined {
    return this.#values.get(key);
  }
  /** null removes. */
  set(key: string, value: JsonValue): void {
    if (value === null) this.#values.delete(key);
    else this.#values.set(key, value);
    this.#entries = undefined;
    this.#changes ??= {};
    this.#changes[key] = value;
  }
  removeWhere(predicate: (key: string) => boolean): void {
    for (const key of [...this.#values.keys()]) if (predicate(key)) this.set(key, null);
  }
  /** The keys that `predicate` names are as in `entries`, where they are gone if they are not there. */
  restoreWhere(predicate: (key: string) => boolean, entries: CounterEntries): void {
    this.removeWhere(predicate);
    for (const [key, value] of entries) if (predicate(key)) this.set(key, value);
  }

  takeChanges(): { readonly [key: string]: JsonValue } | undefined {
    const changes = this.#changes;
    this.#changes = undefined;
    return changes;
  }
  entries(): CounterEntries {
    this.#entries ??= this.#values.size === 0 ? none : [...this.#values];
    return this.#entries;
  }
  changes(): CounterEntries {
    return this.#changes === undefined ? none : Object.entries(this.#changes);
  }
}

/** Counters as they were saved, and what has changed since. */
export function foldCounters(saved: CounterEntries, changes: Iterable<readonly [string, JsonValue]>): CounterEntries {
  const values = new Map(saved);
  for (const [key, value] of changes) {
    if (value === null) values.delete(key);
    else values.set(key, value);
  }
  return [...values];
}
