// The ids that two worlds minted for the same things. An id is made of its world's inputs and a count, so that a change of the source gives
// every one of them another name: in what is asked of the other world, and in what it answers, they are exchanged.
import type { JsonValue } from '../../contract/json.js';

export class RenamedIds {
  readonly #there: Direction;
  readonly #back: Direction;

  /** `world_<tag>` each. */
  constructor(recorded: string, present: string) {
    this.#there = new Direction(recorded, present);
    this.#back = new Direction(present, recorded);
  }

  /** Names of one thing, whose counts may differ. */
  pair(recorded: string, present: string): void {
    this.#there.names.set(recorded, present);
    this.#back.names.set(present, recorded);
  }
  toPresent<T extends JsonValue>(value: T): T {
    return this.#there.rename(value);
  }
  toRecorded<T extends JsonValue>(value: T): T {
    return this.#back.rename(value);
  }
}

class Direction {
  readonly names = new Map<string, string>();
  readonly #from: string;
  readonly #to: string;
  readonly #pattern: RegExp;

  constructor(from: string, to: string) {
    this.#from = from.slice(from.indexOf('_') + 1);
    this.#to = to.slice(to.indexOf('_') + 1);
    // It begins where a word does: within a long word a search that began at each letter would take the square of its length.
    this.#pattern = new RegExp(`(?<![a-z])[a-z]+_${this.#from}[0-9a-z]*`, 'g');
  }

  rename<T extends JsonValue>(value: T): T {
    const text = JSON.stringify(value);
    if (!text.includes(this.#from)) return value;
    return JSON.parse(text.replace(this.#pattern, (id) => this.names.get(id) ?? id.replace(this.#from, this.#to))) as T;
  }
}
