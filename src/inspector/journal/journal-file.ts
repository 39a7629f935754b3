// A journal on disk (evidence.jsonl) with an index over it: where its lines are, of what kind and time, and which rows they changed.
//   JOURNAL-FILE-1. Sequence k is line k: the index refuses a journal in which it is not.
// The index is built in slices, so that other questions are answered meanwhile; its memory is some 17 bytes an entry, and those of rows. It
// reads one file handle, opened once; its holder makes sure that the file is the one that was sealed.
import { readSync } from 'node:fs';
import { growingBytes, growingFloats, growingIntegers } from '../../collections/growing.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import type { StatePatch } from '../../contract/world/scenario.js';
import { EntryScan, stateChangeCode } from '../../reports/entry-scan.js';
import { tuning } from '../tuning.js';
import { StateHistory } from './state-history.js';

const newline = 10;

export class JournalFile {
  readonly #file: number;
  readonly history: StateHistory;
  /** One value an entry, the first of sequence 1. */
  readonly kinds = growingBytes();
  readonly failures = growingBytes();
  readonly times = growingFloats();
  /** What caused it, as it says or as the begin of its transaction; 0: nothing did. */
  readonly causes = growingIntegers();
  readonly counts: number[] = evidenceKinds.map(() => 0);
  readonly #offsets = growingFloats();
  readonly #scan = new EntryScan();
  #bytes = 0;
  #page: Buffer<ArrayBuffer> | undefined;

  constructor(file: number, start: readonly StatePatch[]) {
    this.#file = file;
    this.history = new StateHistory(start);
  }

  /** Entries indexed so far. */
  get length(): number {
    return this.kinds.length;
  }
  /** Bytes indexed so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Indexes what follows, to the end of the file's last whole line, a piece a step; yields each piece. The caller may pause between two.
   */
  *extend(): Generator<Buffer, void> {
    for (const { bytes, offset } of this.#pieces(this.#bytes, Number.POSITIVE_INFINITY)) {
      this.#add(bytes, offset);
      this.#bytes = offset + bytes.length;
      yield bytes;
    }
  }

  /** Whole lines of the file from an offset on, in pieces; each is good until the next is asked for. */
  *#pieces(from: number, to: number): Generator<{ bytes: Buffer; offset: number }> {
    let buffer = Buffer.allocUnsafeSlow(tuning.journalPieceBytes);
    for (let offset = from; offset < to; ) {
      const wanted = Math.min(buffer.length, to - offset);
      const piece = this.#read(offset, wanted, buffer);
      const end = piece.lastIndexOf(newline) + 1;
      if (end === 0) {
        // A line longer than a piece, or the end.
        if (piece.length < wanted || buffer.length > 2 * limits.evidenceLineBytesMax) return;
        buffer = Buffer.allocUnsafeSlow(2 * buffer.length);
        continue;
      }
      yield { bytes: piece.subarray(0, end), offset };
      offset += end;
    }
  }

  #read(offset: number, length: number, buffer = Buffer.allocUnsafe(length)): Buffer {
    let filled = 0;
    while (filled < length) {
      const read = readSync(this.#file, buffer, filled, length - filled, offset + filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  }

  #add(bytes: Buffer, offset: number): void {
    const scan = this.#scan;
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(newline, start);
      const sequence = this.length + 1;
      if (!scan.scan(bytes, start, end) || scan.sequence !== sequence) throw new JournalFault(sequence);
      if ((sequence - 1) % tuning.journalOffsetStride === 0) this.#offsets.push(offset + start);
      this.kinds.push(scan.kind);
      this.failures.push(scan.failed ? 1 : 0);
      this.times.push(scan.virtualTimeUs);
      this.causes.push(scan.cause);
      (this.counts[scan.kind] as number)++;
      if (scan.kind === stateChangeCode) {
        const name = { packageId: scan.text('packageId'), instanceId: scan.text('instanceId'), namespace: scan.text('namespace') };
        this.history.add(name, { rowId: scan.text('rowId'), sequence, change: scan.text('change') });
      }
      start = end + 1;
    }
  }

  /** The entries `from` to `to`, both there, as lines. `into`: a buffer that may be written over, where it is large enough. */
  lines(from: number, to: number, into?: Buffer<ArrayBuffer>): Buffer {
    const first = Math.floor((from - 1) / tuning.journalOffsetStride);
    const length = this.#offsetAfter(to) - this.#offsets.at(first);
    const block = this.#read(this.#offsets.at(first), length, into !== undefined && into.length >= length ? into : undefined);
    let start = 0;
    for (let line = first * tuning.journalOffsetStride + 1; line < from; line++) start = block.indexOf(newline, start) + 1;
    let end = start;
    for (let line = from; line <= to; line++) end = block.indexOf(newline, end) + 1;
    return block.subarray(start, end);
  }

  /**
   * The same, but no more of them than fit into `bytesMax`, one at least. `to` is the last; before `from` where there are none. The lines
   * are good until the next are asked for: with a buffer for each page the collector would stop the thread every few pages.
   */
  linesWithin(from: number, last: number, bytesMax: number): { lines: Buffer; to: number } {
    if (last < from) return { lines: Buffer.alloc(0), to: last };
    let to = last;
    // What cannot fit is not read, to within a block of lines.
    while (
      to - from >= tuning.journalOffsetStride &&
      this.#offsetAfter(to - tuning.journalOffsetStride) - this.#offsetAfter(from) > bytesMax
    )
      to -= tuning.journalOffsetStride;
    this.#page ??= Buffer.allocUnsafeSlow(tuning.journalPieceBytes);
    const lines = this.lines(from, to, this.#page);
    if (lines.length <= bytesMax) return { lines, to };
    let end = 0;
    for (let line = from; line <= to; line++) {
      const next = lines.indexOf(newline, end) + 1;
      if (next > bytesMax && line > from) return { lines: lines.subarray(0, end), to: line - 1 };
      end = next;
    }
    return { lines, to };
  }

  entry(sequence: number): EvidenceEntry {
    return JSON.parse(this.lines(sequence, sequence).toString()) as EvidenceEntry;
  }

  /** Pieces of whole lines that hold the entries from `sequence` on, each with the sequence of its first line. Only what is indexed. */
  *linePieces(sequence: number): Generator<{ bytes: Buffer; first: number }> {
    if (sequence > this.length) return;
    const begin = Math.floor((sequence - 1) / tuning.journalOffsetStride);
    for (const { bytes, offset } of this.#pieces(this.#offsets.at(begin), this.#bytes)) {
      yield { bytes, first: this.#firstLineFrom(offset) };
    }
  }

  /** The sequence of the line that begins at an offset. */
  #firstLineFrom(offset: number): number {
    const block = Math.min(this.#offsets.firstNotBelow(offset), this.#offsets.length - 1);
    if (this.#offsets.at(block) === offset) return block * tuning.journalOffsetStride + 1;
    const known = this.#offsets.at(block) > offset ? block - 1 : block;
    const between = this.#read(this.#offsets.at(known), offset - this.#offsets.at(known));
    let line = known * tuning.journalOffsetStride + 1;
    for (let at = between.indexOf(newline); at >= 0; at = between.indexOf(newline, at + 1)) line++;
    return line;
  }

  /** An offset that is after the line of `sequence` and at the begin of another, or the end. */
  #offsetAfter(sequence: number): number {
    const block = Math.floor((sequence - 1) / tuning.journalOffsetStride) + 1;
    return block < this.#offsets.length ? this.#offsets.at(block) : this.#bytes;
  }
}

/** The file holds something that is no journal. */
export class JournalFault extends Error {
  constructor(sequence: number) {
    super(`line ${sequence} is not the entry ${sequence} of a journal`);
    this.name = 'JournalFault';
  }
}
