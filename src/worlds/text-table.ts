// Many texts as one: their lengths (UTF-16 code units) and one joined text in UTF-8. Encoding and decoding cost one pass each over
// the bytes instead of a call a text; a decoded text is a slice of the joined one.
export interface TextTable {
  readonly count: number;
  at(index: number): string;
}

/** Bytes: u32 count, u32 lengths[count], UTF-8. */
export function encodeTexts(texts: readonly string[]): Buffer {
  const joined = texts.join('');
  const head = 4 + 4 * texts.length;
  const bytes = Buffer.allocUnsafe(head + Buffer.byteLength(joined));
  bytes.writeUInt32LE(texts.length, 0);
  for (let index = 0; index < texts.length; index++) bytes.writeUInt32LE((texts[index] as string).length, 4 + 4 * index);
  bytes.write(joined, head, 'utf8');
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
