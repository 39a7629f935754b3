// A first-in, first-out queue: amortized constant time, nothing kept after it is taken.
import { tuning } from './tuning.js';

export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  first(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= tuning.fifoReadPlacesMax && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Takes out the first item that fits, wherever it is. */
  take(fits: (item: T) => boolean): T | undefined {
    const at = this.#items.findIndex((item) => item !== undefined && fits(item));
    return at < 0 ? undefined : this.#items.splice(at, 1)[0];
  }
}
