// The first results of idempotent calls, by package and the scope of the caller's key. Kept as long as the world; read through the
// layers, with a bounded cache in front.
import { LruMap } from '../../collections/lru-map.js';
import type { JsonValue } from '../../contract/json.js';
import { receiptKey } from '../kv/keys.js';
import type { WriteSet } from '../kv/write-set.js';
import { tuning } from '../tuning.js';
import type { Layers } from './layers.js';

export interface Receipt {
  /** Digest of the canonical arguments. */
  argumentsHash: string;
  /** Of the operation entry that made it. */
  sequence: number;
  /** What a replay answers. */
  result: JsonValue;
}
/** As stored: with its full name, of which the key holds a digest. */
export interface StoredReceipt {
  packageId: string;
  key: string;
  receipt: Receipt;
}
const tombstone = Buffer.alloc(0);

export class Receipts {
  readonly #layers: Layers;
  #hasStored: boolean;
  readonly #cache = new LruMap<string, Receipt>({ entriesMax: tuning.receiptsCachedMax });
  readonly #fresh = new Map<string, StoredReceipt>();
  #turn: string[] = [];
  #deletions: Buffer[] = [];
  /** Packages whose stored receipts are void until the deletions are stored. */
  readonly #voided = new Set<string>();

  constructor(layers: Layers, hasStored: boolean) {
    this.#layers = layers;
    this.#hasStored = hasStored;
  }

  load(hasStored: boolean): void {
    this.#hasStored = hasStored;
    this.#cache.clear();
    this.#fresh.clear();
    this.#turn.length = 0;
    this.#deletions = [];
    this.#voided.clear();
  }
  get hasStored(): boolean {
    return this.#hasStored;
  }

  /** `key`: any text that names the scope of the caller's key. */
  get(packageId: string, key: string): Receipt | undefined {
    const name = nameOf(packageId, key);
    const held = this.#fresh.get(name)?.receipt ?? this.#cache.get(name);
    if (held !== undefined || !this.#hasStored || this.#voided.has(packageId)) return held;
    const stored = this.#layers.receipt(packageId, key);
    if (stored === undefined) return undefined;
    const { receipt } = JSON.parse(stored.toString()) as StoredReceipt;
    this.#cache.set(name, receipt);
    return receipt;
  }
  put(packageId: string, key: string, receipt: Receipt): void {
    const name = nameOf(packageId, key);
    this.#fresh.set(name, { packageId, key, receipt });
    this.#turn.push(name);
  }
  /** `receipts`: all that the package has from now on. Not undone by a rollback. */
  replacePackage(packageId: string, receipts: readonly StoredReceipt[]): void {
    for (const [name, held] of this.#fresh) if (held.packageId === packageId) this.#fresh.delete(name);
    this.#cache.clear();
    if (this.#hasStored) {
      for (const key of this.#layers.receiptKeys(packageId)) this.#deletions.push(key);
      this.#voided.add(packageId);
    }
    for (const stored of receipts) this.#fresh.set(nameOf(packageId, stored.key), stored);
  }

  beginTurn(): void {
    if (this.#turn.length > 0) this.#turn = [];
  }
  rollback(): void {
    for (const name of this.#turn) this.#fresh.delete(name);
    this.#turn.length = 0;
  }

  takeInto(set: WriteSet): void {
    for (const key of this.#deletions) {
      if (this.#layers.chain.length > 1) set.put(key, tombstone);
      else set.remove(key);
    }
    for (const [name, { packageId, key, receipt }] of this.#fresh) {
      set.put(
        receiptKey(this.#layers.top, packageId, key),
        Buffer.from(JSON.stringify({ packageId, key, receipt } satisfies StoredReceipt)),
      );
      this.#cache.set(name, receipt);
      this.#hasStored = true;
    }
    this.#fresh.clear();
    this.#deletions = [];
    this.#voided.clear();
  }
  dropCaches(): void {
    this.#cache.clear();
  }
}

const nameOf = (packageId: string, key: string): string => `${packageId}\0${key}`;
