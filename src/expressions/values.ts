// JSON as CEL values: whole numbers are ints as far as 64 bits reach and others doubles, members are found by their own name only.
//   VALUES-1. A value knows its weight, the number of values in it, once that was asked for, so that comparing it can be paid for before it
//     is done.
// A container becomes a value when it is read, and only once: what nothing reads costs nothing.
import { type CelInput, type CelList, type CelMap, type CelValue, celList, celMap, isCelList, isCelMap } from '@bufbuild/cel';
import type { JsonObject, JsonValue } from '../contract/json.js';
import { tuning } from './tuning.js';

/** Ints have 64 bits: the first whole number that is none. */
const intEnd = 0x8000_0000_0000_0000;

export class CelValues {
  readonly #made = new Map<object, CelList | CelMap>();
  readonly #weights = new WeakMap<object, number>();

  of(value: JsonValue): CelValue {
    if (typeof value === 'number') return Number.isInteger(value) && value >= -intEnd && value < intEnd ? BigInt(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    let made = this.#made.get(value);
    if (made === undefined) {
      made = Array.isArray(value) ? listOf(value, this) : mapOf(value, this);
      this.#made.set(value, made);
    }
    return made;
  }

  /** `spend` is asked for what has to be counted first. */
  weigh(value: CelValue, spend: (steps: number) => void): number {
    if (typeof value === 'string' || value instanceof Uint8Array) return 1 + Math.ceil(value.length / tuning.charsOfStep);
    if (!isCelList(value) && !isCelMap(value)) return 1;
    let weight = this.#weights.get(value);
    if (weight !== undefined) return weight;
    spend(value.size);
    weight = 1;
    for (const item of value.values()) weight += this.weigh(item, spend);
    this.#weights.set(value, weight);
    return weight;
  }
}

/** How many values there are in it, itself included; not counted any further once there are more than `max`. */
export function countValues(value: JsonValue, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (count > max) return count;
    count += countValues(item, max - count);
  }
  return count;
}

class JsonList {
  readonly #items: readonly JsonValue[];
  readonly #values: CelValues;

  constructor(items: readonly JsonValue[], values: CelValues) {
    this.#items = items;
    this.#values = values;
  }
  get size(): number {
    return this.#items.length;
  }
  get(index: number): CelValue | undefined {
    const item = this.#items[index];
    return item === undefined ? undefined : this.#values.of(item);
  }
  *values(): IterableIterator<CelValue> {
    for (const item of this.#items) yield this.#values.of(item);
  }
  [Symbol.iterator](): IterableIterator<CelValue> {
    return this.values();
  }
}

/** The library's own checks every key for a number, and finds no member that is null. */
class JsonMap {
  readonly #json: JsonObject;
  readonly #values: CelValues;
  #names: string[] | undefined;

  constructor(json: JsonObject, values: CelValues) {
    this.#json = json;
    this.#values = values;
  }
  get size(): number {
    return this.#keys.length;
  }
  get(key: unknown): CelValue | undefined {
    return this.has(key) ? this.#values.of(this.#json[key]!) : undefined;
  }
  has(key: unknown): key is string {
    return typeof key === 'string' && Object.hasOwn(this.#json, key);
  }
  keys(): IterableIterator<string> {
    return this.#keys.values();
  }
  *values(): IterableIterator<CelValue> {
    for (const name of this.#keys) yield this.#values.of(this.#json[name]!);
  }
  *entries(): IterableIterator<[string, CelValue]> {
    for (const name of this.#keys) yield [name, this.#values.of(this.#json[name]!)];
  }
  forEach(callback: (value: CelValue, key: string, map: JsonMap) => void): void {
    for (const [name, value] of this.entries()) callback(value, name, this);
  }
  [Symbol.iterator](): IterableIterator<[string, CelValue]> {
    return this.entries();
  }
  get #keys(): readonly string[] {
    this.#names ??= Object.keys(this.#json);
    return this.#names;
  }
}

// The library knows its containers by a mark that they inherit from an empty one.
Object.setPrototypeOf(JsonList.prototype, celList([]));
Object.setPrototypeOf(JsonMap.prototype, celMap(new Map<string, CelInput>()));

function listOf(items: readonly JsonValue[], values: CelValues): CelList {
  return new JsonList(items, values) as unknown as CelList;
}
function mapOf(json: JsonObject, values: CelValues): CelMap {
  return new JsonMap(json, values) as unknown as CelMap;
}
