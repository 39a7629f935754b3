// Many texts as one: their lengths (UTF-16 code units) and one joined text in UTF-8. Encoding and decoding cost one pass each over
// the bytes instead of a call a text; a decoded text is a slice of the joined one.
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

export function decodeTexts(bytes: Buffer): TextTable {
  const count = bytes.readUInt32LE(0);
  const ends = new Uint32Array(count);
  let end = 0;
  for (let index = 0; index < count; index++) ends[index] = end += bytes.readUInt32LE(4 + 4 * index);
  return textTable(bytes.toString('utf8', 4 + 4 * count), ends);
}

export function textTable(joined: string, ends: Uint32Array): TextTable {
  return {
    count: ends.length,
    at: (index) => joined.substring(index === 0 ? 0 : (ends[index - 1] as number), ends[index]),
  };
}
