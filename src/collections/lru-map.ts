// A map of bounded size: what was used longest ago goes first. Bounded in number, and in weight (such as bytes) where entries have one.
// The order of `keys` is the order of use, the least recent first: a Map keeps the order of insertion, so what is used is inserted again.

export interface LruBounds<Key, Value> {
  entriesMax: number;
  /** Of all entries together. Default: no bound. */
  weightMax?: number;
  /** Called for an entry that has gone because of the bounds. */
  onEvicted?(key: Key, value: Value): void;
}

interface Entry<Value> {
  value: Value;
  weight: number;
}

export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #bounds: LruBounds<Key, Value>;
  #weight = 0;

  constructor(bounds: LruBounds<Key, Value>) {
    this.#bounds = bounds;
  }

  /** Uses the entry. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Leaves the order as it is. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Leaves the order as it is. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** The entry, made where there is none; uses it. What `make` throws is thrown, and nothing is kept. */
  getOrMake(key: Key, make: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.set(key, value);
    return value;
  }

  /** Uses the entry. One that is heavier than the bound alone goes at once, with all others. */
  set(key: Key, value: Value, weight = 0): void {
    this.delete(key);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    this.#evict();
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#weight -= entry.weight;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  /** The least recently used first. Leaves the order as it is. */
  keys(): IterableIterator<Key> {
    return this.#entries.keys();
  }

  #evict(): void {
    const { entriesMax, weightMax = Number.POSITIVE_INFINITY, onEvicted } = this.#bounds;
    while (this.#entries.size > entriesMax || this.#weight > weightMax) {
      const [key, { value }] = this.#entries.entries().next().value as [Key, Entry<Value>];
      this.delete(key);
      onEvicted?.(key, value);
    }
  }
}
