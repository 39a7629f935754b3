// How far this node is with one home: its copies, and what it appends while it owns it. Saved beside and renamed, now and then, so that a
// restart does not begin at nothing.
//   HOME-MARK-1. Each file has everything up to the sequence that is saved; the ends that are saved say what the log had there of each
//               stream. What was read of another file, or of none, is that there is nothing.
// It is not flushed, like the copies: all are made again after another boot of the operating system.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tuning } from './tuning.js';
import { type AppendedRecord, type StreamEnd, UnwrittenRecords } from './unwritten-records.js';

interface Written {
  version: 1;
  sequence: number;
  isOwned: boolean;
  logBytes: number;
  snapshotSequence: number;
  snapshotBytes: number;
  /** By stream: number and nonce. */
  ends: { [stream: string]: [number, string] };
}

export class HomeMark {
  /** Up to which this node has the log: in its files, or among what is unwritten. */
  sequence = 0;
  /** This node has, or had as it ended, the home: its files may hold more than the log. */
  isOwned = true;
  /** Of the log since the last snapshot, as far as this node has seen. */
  logBytes = 0;
  snapshotSequence = 0;
  snapshotBytes = 0;
  /** By stream, of that sequence. */
  readonly ends = new Map<string, StreamEnd>();
  /** Of an owner. */
  readonly unwritten = new UnwrittenRecords();
  readonly #path: string;
  #records = 0;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    const written = readMark(path);
    if (written === undefined) return;
    const { ends, version, ...rest } = written;
    Object.assign(this, rest);
    for (const [stream, [number, nonce]] of Object.entries(ends)) this.ends.set(stream, { number, nonce: Buffer.from(nonce, 'hex') });
  }

  /** The log has the record; its file may get it later. */
  noteUnwritten(stream: string, record: AppendedRecord, sequence: number): void {
    this.unwritten.appended(stream, record, { before: this.ends.get(stream), sequence });
  }

  /** This node has the record, and everything before it. */
  note(sequence: number, bytes: number): void {
    this.sequence = Math.max(this.sequence, sequence);
    this.logBytes += bytes;
    this.#records += 1;
    this.#bytes += bytes;
    if (this.#records >= tuning.markedRecordsMax || this.#bytes >= tuning.markedBytesMax) this.#saveSoon();
  }

  /** On a full disk what was written before stays true; the next time tries again. */
  #saveSoon(): void {
    try {
      this.save();
    } catch {
      this.#records = 0;
      this.#bytes = 0;
    }
  }

  /** The copies have nothing that counts. */
  forget(): void {
    this.sequence = 0;
    this.logBytes = 0;
    this.ends.clear();
    this.unwritten.clear();
    this.save();
  }

  /** Its owner has left: what the files did not get is read again. */
  fallBack(): void {
    this.sequence = this.unwritten.heldSequence(this.sequence);
    const held = this.unwritten.heldEnds(this.ends);
    this.ends.clear();
    for (const [stream, end] of held) this.ends.set(stream, end);
    this.unwritten.clear();
  }

  save(): void {
    const { isOwned, logBytes, snapshotSequence, snapshotBytes, unwritten } = this;
    const sequence = unwritten.heldSequence(this.sequence);
    const ends = Object.fromEntries(
      [...unwritten.heldEnds(this.ends)].map(([stream, { number, nonce }]) => [stream, [number, nonce.toString('hex')] as const]),
    );
    const written = { version: 1, sequence, isOwned, logBytes, snapshotSequence, snapshotBytes, ends };
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify(written));
    renameSync(draft, this.#path);
    this.#records = 0;
    this.#bytes = 0;
  }
}

function readMark(path: string): Written | undefined {
  try {
    const written = JSON.parse(readFileSync(path, 'utf8')) as Written;
    const numbers = [written.sequence, written.logBytes, written.snapshotSequence, written.snapshotBytes];
    const ends = Object.values(written.ends).every(([number, nonce]) => isCount(number) && /^[0-9a-f]{32}$/.test(nonce));
    return written.version === 1 && numbers.every(isCount) && typeof written.isOwned === 'boolean' && ends ? written : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
