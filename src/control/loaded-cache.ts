// What was read from blobs and is read again and again: kept by its hash, the most recently used of it, bounded in number and in bytes as
// stored.
export class LoadedCache<Value> {
  readonly #max: { items: number; bytes: number };
  /** The least recently used first: a Map keeps the order of insertion. */
  readonly #loaded = new Map<string, { value: Promise<Value>; bytes: number }>();
  #bytes = 0;

  constructor(max: { items: number; bytes: number }) {
    this.#max = max;
  }

  /** Loads once for all who ask at once. One that could not be loaded is loaded again next time. */
  get(hash: string, load: () => Promise<{ value: Value; bytes: number }>): Promise<Value> {
    const known = this.#loaded.get(hash);
    if (known !== undefined) {
      this.#loaded.delete(hash);
      this.#loaded.set(hash, known);
      return known.value;
    }
    const loading = load();
    const entry = { value: loading.then(({ value }) => value), bytes: 0 };
    this.#loaded.set(hash, entry);
    loading.then(
      ({ bytes }) => {
        if (this.#loaded.get(hash) !== entry) return;
        entry.bytes = bytes;
        this.#bytes += bytes;
        this.#shrink();
      },
      () => this.#loaded.get(hash) === entry && this.#loaded.delete(hash),
    );
    return entry.value;
  }

  #shrink(): void {
    for (const [hash, { bytes }] of this.#loaded) {
      if (this.#loaded.size <= this.#max.items && this.#bytes <= this.#max.bytes) return;
      this.#loaded.delete(hash);
      this.#bytes -= bytes;
    }
  }
}
