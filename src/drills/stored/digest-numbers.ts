// Numbers for rows of digests: equal rows have equal numbers, in whichever column they stand. A long run has hundreds of thousands, and to
// make each a text that a map looks up would take longer than to read them.
import { growingIntegers } from '../../collections/growing.js';
import { tuning } from '../tuning.js';
import { digestBytes } from './digest-column.js';

/** 32 bits each. */
const digestWords = digestBytes / Int32Array.BYTES_PER_ELEMENT;

/** A column's values, as `DigestNumbers` reads them. */
export function wordsOf(digests: Uint8Array<ArrayBuffer>): Int32Array {
  return new Int32Array(digests.buffer, digests.byteOffset, digests.byteLength / Int32Array.BYTES_PER_ELEMENT);
}

export class DigestNumbers {
  /** By hash: a number and one more, 0 where there is none. */
  #slots = new Int32Array(2 * tuning.digestsMin);
  /** By number: where the first row of it stands. */
  readonly #columns: Int32Array[] = [];
  readonly #starts = growingIntegers();
  readonly #lengths = growingIntegers();
  readonly #hashes = growingIntegers();

  /** Of `count` digests from the one at `place` on. */
  number(words: Int32Array, place: number, count: number): number {
    const [start, length] = [place * digestWords, count * digestWords];
    let hash = count;
    // A digest is as good as chance, a word of it is enough.
    for (let at = start; at < start + length; at += digestWords) hash = (Math.imul(hash, 31) + words[at]!) | 0;
    let slot = this.#slotOf(hash);
    for (let next = this.#slots[slot]!; next !== 0; next = this.#slots[slot]!) {
      if (this.#isSame(next - 1, words, start, length)) return next - 1;
      slot = this.#after(slot);
    }
    this.#columns.push(words);
    this.#starts.push(start);
    this.#lengths.push(length);
    this.#hashes.push(hash);
    this.#slots[slot] = this.#columns.length;
    if (2 * this.#columns.length > this.#slots.length) this.#grow();
    return this.#columns.length - 1;
  }

  #isSame(number: number, words: Int32Array, start: number, length: number): boolean {
    if (this.#lengths.at(number) !== length) return false;
    const [column, first] = [this.#columns[number]!, this.#starts.at(number)];
    for (let at = 0; at < length; at++) if (column[first + at] !== words[start + at]) return false;
    return true;
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let number = 0; number < this.#columns.length; number++) {
      let slot = this.#slotOf(this.#hashes.at(number));
      while (this.#slots[slot] !== 0) slot = this.#after(slot);
      this.#slots[slot] = number + 1;
    }
  }

  #slotOf(hash: number): number {
    return hash & (this.#slots.length - 1);
  }
  #after(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}
