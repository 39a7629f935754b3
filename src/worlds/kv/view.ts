// The store as one world sees it: with what it has gathered for its next commit and could not yet put. Empty but between a snapshot,
// reset or fork and the commit that stores it.
import type { KeyRange } from './kv-file.js';
import type { WriteSet } from './write-set.js';
import type { KvWriter } from './writer.js';

interface Entry {
  key: Buffer;
  /** null: removed. */
  value: Buffer | null;
}

export class KvView {
  readonly #store: KvWriter;
  #pending: Map<string, Entry>;

  constructor(store: KvWriter, pending?: KvView) {
    this.#store = store;
    this.#pending = new Map(pending === undefined ? [] : pending.#pending);
  }

  /** Shows what the set holds from its `from`-th key on. */
  show(set: WriteSet, from: number): void {
    for (let index = from; index < set.keys.length; index++) {
      const key = set.keys[index] as Buffer;
      this.#pending.set(key.toString('latin1'), { key, value: set.values[index] as Buffer | null });
    }
  }
  /** All that was shown is in the store. */
  settled(): void {
    this.#pending.clear();
  }

  get(key: Buffer): Buffer | undefined {
    const pending = this.#pending.size === 0 ? undefined : this.#pending.get(key.toString('latin1'));
    return pending === undefined ? this.#store.get(key) : (pending.value ?? undefined);
  }

  /** KvWriter.decoded. */
  decoded<T>(what: string, decode: () => T): T {
    return this.#store.decoded(what, decode);
  }

  /** Entries of [start, end) in key order. */
  range(range: KeyRange): Iterable<{ key: Buffer; value: Buffer }> {
    return this.#pending.size === 0 ? this.#store.range(range) : this.#merged(range);
  }
  keys(range: KeyRange): Iterable<Buffer> {
    return this.#pending.size === 0 ? this.#store.keys(range) : this.#merged(range).map(({ key }) => key);
  }

  #merged(range: KeyRange): { key: Buffer; value: Buffer }[] {
    const entries = new Map<string, Entry>();
    for (const entry of this.#store.range(range)) entries.set(entry.key.toString('latin1'), entry);
    for (const [name, entry] of this.#pending) {
      if (Buffer.compare(entry.key, range.start) >= 0 && Buffer.compare(entry.key, range.end) < 0) entries.set(name, entry);
    }
    const present = [...entries.values()].filter((entry): entry is { key: Buffer; value: Buffer } => entry.value !== null);
    return present.sort((a, b) => Buffer.compare(a.key, b.key));
  }
}
