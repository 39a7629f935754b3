// The stored form of a chunk: what one commit adds to a journal, never rewritten and complete in itself, so that it can be shared,
// copied and dropped alone. Little-endian, columns first (they are copied as they are), then the texts as one table.
import { invariant } from '../../contract/errors.js';
import { EncodedTexts, StoredTexts } from '../kv/text-table.js';
import { type ChunkView, type Columns, cellsPerEntry, cellsPerTurn } from './journal-columns.js';
import type { LineBytes } from './line-bytes.js';

const magic = 0x314a5944;
const headBytes = 40;

export function encodeChunk(columns: Columns): Buffer {
  const { entryCount, turnCount, numbers, texts, shapes } = columns;
  const table = new EncodedTexts(texts.concat(shapes));
  const cellBytes = 4 * (turnCount * cellsPerTurn + entryCount * cellsPerEntry);
  const bytes = aligned(headBytes + 8 * (turnCount + numbers.length) + cellBytes + table.byteLength);
  const { buffer, byteOffset } = bytes;
  const floats = new Float64Array(buffer, byteOffset, (headBytes >> 3) + turnCount + numbers.length);
  floats[0] = columns.firstSequence;
  floats[1] = columns.firstTransaction;
  let at = headBytes >> 3;
  floats.set(columns.times.subarray(0, turnCount), at);
  at += turnCount;
  floats.set(numbers, at);
  at = (at + numbers.length) * 8;
  new Int32Array(buffer, byteOffset + 16, 6).set([magic, entryCount, turnCount, numbers.length, texts.length, shapes.length]);
  const cells = new Int32Array(buffer, byteOffset + at, cellBytes >> 2);
  cells.set(columns.turnCells.subarray(0, turnCount * cellsPerTurn));
  cells.set(columns.cells.subarray(0, entryCount * cellsPerEntry), turnCount * cellsPerTurn);
  table.write(bytes, at + cellBytes);
  return bytes;
}

/** Small chunks come out of Node's pool, which cuts at multiples of 8; should it ever not, out of their own memory. */
function aligned(byteLength: number): Buffer {
  const bytes = Buffer.allocUnsafe(byteLength);
  return bytes.byteOffset % 8 === 0 ? bytes : Buffer.allocUnsafeSlow(byteLength);
}

/** A chunk as stored. */
export class StoredChunk implements ChunkView {
  readonly firstSequence: number;
  readonly firstTransaction: number;
  readonly entryCount: number;
  readonly turnCount: number;
  readonly cells: Int32Array;
  readonly turnCells: Int32Array;
  readonly times: Float64Array;
  readonly numbers: Float64Array;
  readonly #texts: StoredTexts;
  readonly #shapes: readonly string[];

  constructor(stored: Buffer) {
    // Typed arrays need alignment, which a buffer of LMDB does not promise.
    const bytes = stored.byteOffset % 8 === 0 ? stored : copyAligned(stored);
    const { buffer, byteOffset } = bytes;
    const floats = new Float64Array(buffer, byteOffset, headBytes >> 3);
    const counts = new Int32Array(buffer, byteOffset + 16, 6);
    invariant(counts[0] === magic, 'a journal chunk begins with its mark');
    this.firstSequence = floats[0] as number;
    this.firstTransaction = floats[1] as number;
    this.entryCount = counts[1] as number;
    this.turnCount = counts[2] as number;
    const numberCount = counts[3] as number;
    const textCount = counts[4] as number;
    const shapeCount = counts[5] as number;
    let at = byteOffset + headBytes;
    this.times = new Float64Array(buffer, at, this.turnCount);
    at += this.turnCount * 8;
    this.numbers = new Float64Array(buffer, at, numberCount);
    at += numberCount * 8;
    this.turnCells = new Int32Array(buffer, at, this.turnCount * cellsPerTurn);
    at += this.turnCells.byteLength;
    this.cells = new Int32Array(buffer, at, this.entryCount * cellsPerEntry);
    at += this.cells.byteLength;
    const texts = new StoredTexts(bytes.subarray(at - byteOffset));
    this.#texts = texts;
    // Made once: a shape is looked up by its text for every line, and a new string would have to be hashed each time.
    const shapes: string[] = [];
    for (let index = 0; index < shapeCount; index++) shapes.push(texts.one(textCount + index));
    this.#shapes = shapes;
  }

  text(index: number): string {
    return this.#texts.at(index);
  }
  putText(index: number, into: LineBytes): void {
    const texts = this.#texts;
    into.putFrom(texts.bytes, texts.byteStart(index), texts.byteEnd(index));
  }
  shape(index: number): string {
    return this.#shapes[index] as string;
  }
}

function copyAligned(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
