// What was read from blobs and is read again and again: kept by its hash, the most recently used of it, bounded in number and in bytes as
// stored.
import { LruMap } from '../../collections/lru-map.js';

interface Loaded<Value> {
  value: Promise<Value>;
  /** Once it is there. */
  loaded?: Value;
}

export class LoadedCache<Value> {
  readonly #loaded: LruMap<string, Loaded<Value>>;

  constructor({ items, bytes }: { items: number; bytes: number }) {
    this.#loaded = new LruMap({ entriesMax: items, weightMax: bytes });
  }

  /** Undefined where it is not there yet. Uses it. */
  find(hash: string): Value | undefined {
    return this.#loaded.get(hash)?.loaded;
  }

  /** Loads once for all who ask at once. One that could not be loaded is loaded again next time. */
  get(hash: string, load: () => Promise<{ value: Value; bytes: number }>): Promise<Value> {
    const known = this.#loaded.get(hash);
    if (known !== undefined) return known.value;
    const loading = load();
    const entry: Loaded<Value> = { value: loading.then(({ value }) => value) };
    // It weighs nothing before it is there.
    this.#loaded.set(hash, entry);
    loading.then(
      ({ value, bytes }) => {
        entry.loaded = value;
        if (this.#loaded.peek(hash) === entry) this.#loaded.set(hash, entry, bytes);
      },
      () => this.#loaded.peek(hash) === entry && this.#loaded.delete(hash),
    );
    return entry.value;
  }
}
