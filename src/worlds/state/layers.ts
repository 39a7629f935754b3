// The layers of a world, bottom to top: each holds what changed above the ones below (and above the base), with tombstones. Only the
// top one is written; a snapshot or a fork makes it a lower one and puts a new one on it, so what they share is never copied.
// Why: docs/decisions/002.
import { keyKinds, rangeOf, receiptKey, receiptRange, rowIdOfKey, rowKey, rowSpaceRange, sequenceOfKey } from '../kv/keys.js';
import type { KvView } from '../kv/view.js';
import { tuning } from '../tuning.js';

export class Layers {
  readonly #view: KvView;
  #chain: readonly number[];

  constructor(view: KvView, chain: readonly number[]) {
    this.#view = view;
    this.#chain = chain;
  }

  get chain(): readonly number[] {
    return this.#chain;
  }
  get top(): number {
    return this.#chain[this.#chain.length - 1] as number;
  }
  moveTo(chain: readonly number[]): void {
    this.#chain = chain;
  }

  /** KvWriter.decoded. */
  decoded<T>(what: string, decode: () => T): T {
    return this.#view.decoded(what, decode);
  }

  /** null: deleted by some layer; undefined: no layer knows it. */
  row(space: number, rowId: string): string | null | undefined {
    const value = this.#topmost(this.#chain.length, (layer) => rowKey(layer, space, rowId));
    return value === undefined ? undefined : value.length === 0 ? null : value.toString();
  }
  /** As `row`, of which it has only whether it is there. */
  isLive(space: number, rowId: string): boolean | undefined {
    const value = this.#topmost(this.#chain.length, (layer) => rowKey(layer, space, rowId));
    return value === undefined ? undefined : value.length > 0;
  }
  /** Whether a layer below the top has a live row: its deletion needs a tombstone. */
  hasBelow(space: number, rowId: string): boolean {
    const value = this.#topmost(this.#chain.length - 1, (layer) => rowKey(layer, space, rowId));
    return value !== undefined && value.length > 0;
  }
  /** Every id the layers know in a space, with its bytes; empty where it was deleted. */
  rowsOf(space: number): Map<string, Buffer> {
    const rows = new Map<string, Buffer>();
    for (const layer of this.#chain) {
      for (const { key, value } of this.#view.range(rowSpaceRange(layer, space))) rows.set(rowIdOfKey(key), value);
    }
    return rows;
  }

  /** Every id the layers know in a space, also of deleted rows, in pages: no view of the store is held from one to the next. */
  *rowIdPages(space: number): Generator<string[]> {
    for (const layer of this.#chain) {
      const { start, end } = rowSpaceRange(layer, space);
      let page: string[] = [];
      for (let next: Buffer | undefined = start; next !== undefined; page = []) {
        let last: Buffer | undefined;
        for (const key of this.#view.keys({ start: next, end })) {
          page.push(rowIdOfKey(key));
          last = key;
          if (page.length === tuning.rowIdsPerPage) break;
        }
        next = page.length < tuning.rowIdsPerPage || last === undefined ? undefined : Buffer.concat([last, Buffer.alloc(1)]);
        yield page;
      }
    }
  }

  receipt(packageId: string, key: string): Buffer | undefined {
    const value = this.#topmost(this.#chain.length, (layer) => receiptKey(layer, packageId, key));
    return value === undefined || value.length === 0 ? undefined : value;
  }
  /** Values of every live receipt, or of those of a package. */
  receipts(packageId?: string): Buffer[] {
    const receipts = new Map<string, Buffer>();
    for (const layer of this.#chain) {
      const range = packageId === undefined ? rangeOf(keyKinds.receipt, layer) : receiptRange(layer, packageId);
      for (const { key, value } of this.#view.range(range)) receipts.set(key.toString('latin1', 5), value);
    }
    return [...receipts.values()].filter((value) => value.length > 0);
  }
  /** Values of every delivery that is not done, in order of ordinal. */
  deliveries(): Buffer[] {
    const deliveries = new Map<number, Buffer>();
    for (const layer of this.#chain) {
      for (const { key, value } of this.#view.range(rangeOf(keyKinds.delivery, layer))) deliveries.set(sequenceOfKey(key), value);
    }
    return [...deliveries].sort(([left], [right]) => left - right).flatMap(([, value]) => (value.length === 0 ? [] : [value]));
  }
  /** Keys of a package's receipts in any layer, as they would be in the top one. */
  receiptKeys(packageId: string): Buffer[] {
    const keys = new Map<string, Buffer>();
    for (const layer of this.#chain) {
      for (const key of this.#view.keys(receiptRange(layer, packageId))) {
        const own = Buffer.from(key);
        own.writeUInt32BE(this.top, 1);
        keys.set(own.toString('latin1'), own);
      }
    }
    return [...keys.values()];
  }

  /** What the uppermost of the lowest `depth` layers holds that knows the key; empty: deleted there. */
  #topmost(depth: number, keyIn: (layer: number) => Buffer): Buffer | undefined {
    for (let place = depth - 1; place >= 0; place--) {
      const value = this.#view.get(keyIn(this.#chain[place] as number));
      if (value !== undefined) return value;
    }
    return undefined;
  }
}
