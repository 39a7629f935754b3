// The bytes of lines under way: parts are put one behind the other into one buffer, which is used again. No text is made of what is only
// hashed.
import { tuning } from '../tuning.js';

const lowDigits = 8;
const lowRange = 10 ** lowDigits;

export class LineBytes {
  #bytes = Buffer.allocUnsafeSlow(tuning.lineBytesKept);
  #length = 0;

  get length(): number {
    return this.#length;
  }
  /** What was put since the last clear; good until the next put. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > tuning.lineBytesKept) this.#bytes = Buffer.allocUnsafeSlow(tuning.lineBytesKept);
  }

  put(part: Uint8Array): void {
    const { length } = part;
    this.#reserve(length);
    if (length > tuning.loopedBytesMax) this.#bytes.set(part, this.#length);
    else this.#copy(part, 0, length);
    this.#length += length;
  }
  putFrom(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    if (end - start > 4 * tuning.loopedBytesMax) this.#bytes.set(source.subarray(start, end), this.#length);
    else this.#copy(source, start, end);
    this.#length += end - start;
  }
  putText(text: string): void {
    // A code unit has at most three bytes.
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length, 'utf8');
  }
  /** As JavaScript writes it, which is as RFC 8785 does. */
  putInteger(value: number): void {
    if (value >= 0 && value <= 0x7fff_ffff) this.#putSmall(value);
    else if (value > 0 && Number.isSafeInteger(value)) {
      this.putInteger(Math.floor(value / lowRange));
      this.#reserve(lowDigits);
      this.#length += lowDigits;
      this.#digits(value % lowRange, lowDigits);
    } else this.putText(String(value));
  }
  #putSmall(value: number): void {
    let count = 1;
    for (let bound = 10; value >= bound; bound *= 10) count++;
    this.#reserve(count);
    this.#length += count;
    this.#digits(value, count);
  }
  /** The last `count` digits, up to where the bytes end. */
  #digits(value: number, count: number): void {
    const bytes = this.#bytes;
    let rest = value | 0;
    for (let at = this.#length - 1, end = at - count; at > end; at--) {
      const next = (rest / 10) | 0;
      bytes[at] = 48 + rest - next * 10;
      rest = next;
    }
  }
  #copy(source: Uint8Array, start: number, end: number): void {
    const bytes = this.#bytes;
    for (let from = start, at = this.#length; from < end; from++, at++) bytes[at] = source[from] as number;
  }
  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.view());
    this.#bytes = larger;
  }
}
