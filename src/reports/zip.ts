// Files as a zip archive that every system opens: deflated, no times, names as they are in UTF-8. Equal files make equal bytes.
// The format is PKWARE's APPNOTE 6.3, without the parts for archives of 4 GiB and more, which nobody makes here.
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';

const deflated = promisify(deflateRaw);

export interface ZipMember {
  /** With forward slashes. */
  path: string;
  bytes: Uint8Array;
}

export async function zipOf(members: Iterable<ZipMember>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes } of members) {
    const name = Buffer.from(path);
    const packed = await deflated(bytes);
    const facts = factsOf({ name, packed, bytes });
    const head = Buffer.concat([words(0x04034b50), facts, name]);
    pieces.push(head, packed);
    // Where made, by what; after the facts no comment, the first disk, and where it begins.
    directory.push(words(0x02014b50), halves(20), facts, halves(0, 0, 0), words(0, offset), name);
    offset += head.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const count = pieces.length / 2;
  return Buffer.concat([...pieces, listed, words(0x06054b50), halves(0, 0, count, count), words(listed.length, offset), halves(0)]);
}

/** What the head of a member and its line in the directory share. The flag says that the name is UTF-8; the date is the earliest. */
function factsOf({ name, packed, bytes }: { name: Buffer; packed: Buffer; bytes: Uint8Array }): Buffer {
  const [version, utf8, deflate, midnight, earliest] = [20, 0x0800, 8, 0, 0x0021];
  return Buffer.concat([
    halves(version, utf8, deflate, midnight, earliest),
    words(checksumOf(bytes), packed.length, bytes.length),
    halves(name.length, 0),
  ]);
}

function halves(...values: number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16LE(value, 2 * index);
  return buffer;
}

function words(...values: number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, 4 * index);
  return buffer;
}

const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32, as ISO 3309 has it. */
function checksumOf(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ (remainders[(rest ^ byte) & 0xff] as number);
  return (rest ^ 0xffffffff) >>> 0;
}
