// Columns of numbers that grow at their end.
import { tuning } from './tuning.js';

type Column = Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

export class Growing<T extends Column> {
  #column: T;
  #length = 0;
  readonly #make: (length: number) => T;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#column = make(tuning.columnItemsMin);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#column.length) {
      const grown = this.#make(2 * this.#length);
      grown.set(this.#column);
      this.#column = grown;
    }
    this.#column[this.#length++] = value;
  }

  at(index: number): number {
    return this.#column[index] as number;
  }

  /** As it is now, for loops over all of it. */
  values(): T {
    return this.#column.subarray(0, this.#length) as T;
  }

  /** The first index in [from, to) whose value is not below `value`, or `to`; the values are in order. */
  firstNotBelow(value: number, from = 0, to = this.#length): number {
    return firstNotBelow(this.#column, value, from, to);
  }
}

/** The first place in [from, to) of rising values that is not below `value`, or `to`. */
export function firstNotBelow(values: Column, value: number, from = 0, to = values.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const growingBytes = (): Growing<Uint8Array<ArrayBuffer>> => new Growing((length) => new Uint8Array(length));
export const growingIntegers = (): Growing<Int32Array<ArrayBuffer>> => new Growing((length) => new Int32Array(length));
export const growingFloats = (): Growing<Float64Array<ArrayBuffer>> => new Growing((length) => new Float64Array(length));
