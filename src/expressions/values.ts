// JSON as CEL values: whole numbers are ints and others doubles, members are found by their own name only.
//   V1. What is made here knows its weight, the number of values in it, so that comparing it can be paid for before it is done.
import { type CelInput, type CelList, type CelMap, type CelValue, celList, celMap, isCelList, isCelMap } from '@bufbuild/cel';
import type { JsonValue } from '../contract/json.js';

export class CelValues {
  readonly #weights = new WeakMap<object, number>();
  #left: number;

  constructor(nodesMax: number) {
    this.#left = nodesMax;
  }
  /** More than were allowed have been made; those beyond are null. */
  get isFull(): boolean {
    return this.#left < 0;
  }

  of(value: JsonValue): CelValue {
    this.#left -= 1;
    if (this.#left < 0) return null;
    if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value)
      ? this.list(value.map((item) => this.of(item)))
      : this.map(Object.entries(value).map(([name, member]) => [name, this.of(member)]));
  }
  list(items: readonly CelValue[]): CelList {
    return this.#weighed(celList(items as readonly CelInput[]), items);
  }
  map(members: readonly (readonly [string, CelValue])[]): CelMap {
    const map = new Map(members);
    // The library looks at every key for a number, and finds no member that is null.
    const get = (key: unknown): CelValue | undefined => (typeof key === 'string' ? map.get(key) : undefined);
    const has = (key: unknown): boolean => get(key) !== undefined;
    return this.#weighed(Object.assign(celMap(map as ReadonlyMap<string, CelInput>), { get, has }), [...map.values()]);
  }

  /** `spend` is asked for what has to be counted first. */
  weigh(value: CelValue, spend: (steps: number) => void): number {
    if (typeof value === 'string') return 1 + Math.ceil(value.length / charsOfStep);
    if (!isCelList(value) && !isCelMap(value)) return 1;
    let weight = this.#weights.get(value);
    if (weight !== undefined) return weight;
    spend(value.size);
    weight = 1;
    for (const item of value.values()) weight += this.weigh(item, spend);
    this.#weights.set(value, weight);
    return weight;
  }

  #weighed<T extends CelList | CelMap>(container: T, items: readonly CelValue[]): T {
    let weight = 1;
    for (const item of items) weight += this.weigh(item, () => {});
    this.#weights.set(container, weight);
    return container;
  }
}

const charsOfStep = 8;
