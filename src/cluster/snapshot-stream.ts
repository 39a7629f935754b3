// A snapshot of a home as bytes: its data files one behind the other, each with its name and position, compressed as a whole.
//   SNAPSHOT-STREAM-1. What was written is read again, file by file; of bytes that end early, or are others, nothing is given as whole.
//   SNAPSHOT-STREAM-2. What the store, or the disk that is written to, refuses is not taken for damage.
// Bytes, compressed: 'drillyard home 1\n', then for each file a u32 length, as many bytes of JSON (SnapshotHead) and the file; at the end
// a head that says so, with how many files there were.
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';
import { ServiceError } from '../contract/errors.js';
import { fileRefusal } from '../files/file-faults.js';
import { tuning } from './tuning.js';
import type { StreamEnd } from './unwritten-records.js';

export interface SnapshotFile extends StreamEnd {
  stream: string;
  path: string;
}
interface SnapshotHead {
  home: number;
  sequence: number;
  stream: string;
  number: number;
  nonce: string;
  bytes: number;
}
interface SnapshotFoot {
  files: number;
}
export interface SnapshotPlace {
  home: number;
  sequence: number;
}

const magic = Buffer.from('drillyard home 1\n');
const compression = { chunkSize: tuning.pieceBytes, params: { [constants.BROTLI_PARAM_QUALITY]: tuning.snapshotQuality } };

/** `files` are read as they are asked for, one at a time. */
export async function* writeSnapshot(place: SnapshotPlace, files: AsyncIterable<SnapshotFile & { bytes: number }>): AsyncGenerator<Buffer> {
  const compressed = createBrotliCompress(compression);
  let failed: { error: unknown } | undefined;
  const read = watched(plain(place, files), (error) => {
    failed = { error };
  });
  const writing = pipeline(Readable.from(read), compressed).catch(() => {});
  try {
    for await (const piece of compressed) yield piece as Buffer;
    await writing;
  } catch (error) {
    throw failed?.error ?? error;
  }
}

async function* plain(place: SnapshotPlace, files: AsyncIterable<SnapshotFile & { bytes: number }>): AsyncGenerator<Buffer> {
  yield magic;
  let count = 0;
  for await (const { stream, number, nonce, path, bytes } of files) {
    yield head({ ...place, stream, number, nonce: nonce.toString('hex'), bytes });
    if (bytes > 0)
      for await (const piece of createReadStream(path, { end: bytes - 1, highWaterMark: tuning.pieceBytes })) yield piece as Buffer;
    count++;
  }
  yield head({ files: count });
}

function head(content: SnapshotHead | SnapshotFoot): Buffer {
  const text = Buffer.from(JSON.stringify(content));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(text.length, 0);
  return Buffer.concat([length, text]);
}

/**
 * Writes each file to where `pathOf` says. Rejects with control.DATA_DAMAGED where it is no snapshot of that place, and as `fileRefusal`
 * says where a file cannot be written.
 */
export async function readSnapshot(
  body: AsyncIterable<Buffer>,
  { home, sequence, pathOf }: SnapshotPlace & { pathOf(stream: string): string },
): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  let path = '';
  let stored: { error: unknown } | undefined;
  const plain = createBrotliDecompress({ chunkSize: tuning.pieceBytes });
  const read = watched(body, (error) => {
    stored = { error };
  });
  const feeding = pipeline(read, plain).catch(() => {});
  const bytes = new ByteReader(plain);
  try {
    if (!(await bytes.take(magic.length)).equals(magic)) throw new Error('it begins as no snapshot does');
    for (;;) {
      const found = await readHead(bytes);
      if ('files' in found) {
        if (found.files !== files.length || !(await bytes.isAtEnd())) throw new Error('it has other files than it says');
        break;
      }
      if (found.home !== home || found.sequence !== sequence) throw new Error('it is of another place');
      path = pathOf(found.stream);
      await pipeline(bytes.takeEach(found.bytes), createWriteStream(path));
      files.push({ stream: found.stream, number: found.number, nonce: Buffer.from(found.nonce, 'hex'), path });
    }
    await feeding;
    return files;
  } catch (error) {
    plain.destroy();
    if (stored !== undefined) throw stored.error;
    // Only errors of the file system name a call: not those of the decompression, nor those of the format.
    const { syscall, path: refused = path } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw damagedSnapshot({ home, sequence }, error as Error);
    throw fileRefusal(`The snapshot of home ${home} at ${sequence} cannot be written`, refused, error);
  }
}

/** What the store says is not to be taken for damage. */
async function* watched(body: AsyncIterable<Buffer>, failed: (error: unknown) => void): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    failed(error);
    throw error;
  }
}

async function readHead(bytes: ByteReader): Promise<SnapshotHead | SnapshotFoot> {
  const length = (await bytes.take(4)).readUInt32BE(0);
  if (length > tuning.snapshotHeadBytesMax) throw new Error('a head of it is too long');
  const found = JSON.parse((await bytes.take(length)).toString()) as SnapshotHead | SnapshotFoot;
  if ('files' in found) return found;
  const numbers = [found.home, found.sequence, found.number, found.bytes];
  const isHead = numbers.every((value) => Number.isSafeInteger(value) && value >= 0) && typeof found.stream === 'string';
  if (!isHead || !/^[0-9a-f]{32}$/.test(found.nonce)) throw new Error('a head of it says something else');
  return found;
}

class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async take(bytes: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for await (const piece of this.takeEach(bytes)) taken.push(piece);
    return Buffer.concat(taken);
  }

  async *takeEach(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (await this.isAtEnd()) throw new Error('it ends early');
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }
}

function damagedSnapshot({ home, sequence }: SnapshotPlace, cause: Error): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', {
    message: `The snapshot of home ${home} at ${sequence} is damaged: ${cause.message}. Nothing was changed.`,
    details: { home, sequence, reason: cause.message },
    cause,
  });
}
