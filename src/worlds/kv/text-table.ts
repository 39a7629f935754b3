// Many texts as one: their lengths (UTF-16 code units) and one joined text in UTF-8. Encoding and decoding cost one pass each over
// the bytes instead of a call a text; a decoded text is a slice of the joined one.
//   TEXT-TABLE-1. Each text is well-formed by itself, so that its bytes are those of the joined text from where it begins.
export interface TextTable {
  readonly count: number;
  at(index: number): string;
}

/** Bytes: u32 count, u32 lengths[count], UTF-8. */
export class EncodedTexts {
  readonly #texts: readonly string[];
  readonly #joined: string;
  readonly byteLength: number;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#joined = texts.join('');
    this.byteLength = 4 + 4 * texts.length + Buffer.byteLength(this.#joined);
  }

  write(target: Buffer, at: number): void {
    const texts = this.#texts;
    let next = target.writeUInt32LE(texts.length, at);
    // Typed arrays write a number in a nanosecond, Buffer's methods in ten; they need alignment.
    if ((target.byteOffset + next) % 4 === 0) {
      const lengths = new Uint32Array(target.buffer, target.byteOffset + next, texts.length);
      for (let index = 0; index < texts.length; index++) lengths[index] = (texts[index] as string).length;
      next += 4 * texts.length;
    } else for (const text of texts) next = target.writeUInt32LE(text.length, next);
    target.write(this.#joined, next, 'utf8');
  }
}

export function encodeTexts(texts: readonly string[]): Buffer {
  const encoded = new EncodedTexts(texts);
  const bytes = Buffer.allocUnsafe(encoded.byteLength);
  encoded.write(bytes, 0);
  return bytes;
}

/** A table as stored, whose texts are decoded when the first of them is asked for: who only copies bytes needs none. */
export class StoredTexts implements TextTable {
  readonly count: number;
  /** Of the joined text. */
  readonly bytes: Buffer;
  readonly #ends: Uint32Array;
  readonly #byteEnds: Uint32Array;
  #table: TextTable | undefined;

  constructor(stored: Buffer) {
    this.count = stored.readUInt32LE(0);
    this.#ends = endsOf(stored, this.count);
    this.bytes = stored.subarray(4 + 4 * this.count);
    const units = this.count === 0 ? 0 : this.#ends[this.count - 1];
    this.#byteEnds = units === this.bytes.length ? this.#ends : byteEndsOf(this.bytes, this.#ends);
  }

  at(index: number): string {
    this.#table ??= textTable(this.bytes.toString('utf8'), this.#ends);
    return this.#table.at(index);
  }
  /** By itself, for who wants few of them. */
  one(index: number): string {
    return this.bytes.toString('utf8', this.byteStart(index), this.byteEnd(index));
  }
  byteStart(index: number): number {
    return index === 0 ? 0 : (this.#byteEnds[index - 1] as number);
  }
  byteEnd(index: number): number {
    return this.#byteEnds[index] as number;
  }
}

export function decodeTexts(bytes: Buffer): TextTable {
  const count = bytes.readUInt32LE(0);
  return textTable(bytes.toString('utf8', 4 + 4 * count), endsOf(bytes, count));
}

function endsOf(table: Buffer, count: number): Uint32Array {
  const ends = new Uint32Array(count);
  let end = 0;
  for (let index = 0; index < count; index++) ends[index] = end += table.readUInt32LE(4 + 4 * index);
  return ends;
}

function byteEndsOf(bytes: Buffer, ends: Uint32Array): Uint32Array {
  const byteEnds = new Uint32Array(ends.length);
  let at = 0;
  let units = 0;
  for (let index = 0; index < ends.length; index++) {
    for (const end = ends[index] as number; units < end; units++) {
      const byte = bytes[at] as number;
      at += byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      // Four bytes are a surrogate pair.
      if (byte >= 0xf0) units++;
    }
    byteEnds[index] = at;
  }
  return byteEnds;
}

function textTable(joined: string, ends: Uint32Array): TextTable {
  return {
    count: ends.length,
    at: (index) => joined.substring(index === 0 ? 0 : (ends[index - 1] as number), ends[index]),
  };
}
