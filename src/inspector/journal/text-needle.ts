// A text looked for in the bytes of a journal, upper and lower case alike: Horspool's search, with the bytes that may stand at each place.
//   TEXT-NEEDLE-1. Nothing that fits is passed over; what `find` gives may still be none where the text has other letters than ASCII, as a
//     byte of one case may stand beside one of the other there. `isSure` says whether that can be.

export class TextNeedle {
  readonly isSure: boolean;
  readonly #length: number;
  /** At place * 256 + byte: whether the byte may stand there. */
  readonly #fits: Uint8Array;
  /** By the byte at the last place: how far the next candidate is. */
  readonly #shifts = new Int32Array(256);

  constructor(text: string) {
    const cases = variants(text);
    const [first] = cases as [Buffer];
    this.#length = first.length;
    // Each ASCII letter may change its case by itself.
    this.isSure = first.every((byte) => byte < 0x80);
    this.#fits = new Uint8Array(256 * this.#length);
    this.#shifts.fill(this.#length);
    for (let place = 0; place < this.#length; place++) {
      for (const bytes of cases) {
        const byte = bytes[place] as number;
        this.#fits[place * 256 + byte] = 1;
        if (place < this.#length - 1) this.#shifts[byte] = this.#length - 1 - place;
      }
    }
  }

  /** The first place from `from` on, or -1. */
  find(bytes: Uint8Array, from: number): number {
    const last = this.#length - 1;
    const fits = this.#fits;
    const shifts = this.#shifts;
    for (let end = from + last; end < bytes.length; end += shifts[bytes[end] as number] as number) {
      let place = last;
      while (place >= 0 && fits[place * 256 + (bytes[end - last + place] as number)] === 1) place--;
      if (place < 0) return end - last;
    }
    return -1;
  }
}

/** As given, and in each case where that has as many bytes: other letters are found as they are written. */
function variants(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const others = [caseWise(text, (letter) => letter.toLowerCase()), caseWise(text, (letter) => letter.toUpperCase())];
  return [bytes, ...others.map((other) => Buffer.from(other))];
}

function caseWise(text: string, change: (letter: string) => string): string {
  return Array.from(text, (letter) => {
    const changed = change(letter);
    return Buffer.byteLength(changed) === Buffer.byteLength(letter) ? changed : letter;
  }).join('');
}
