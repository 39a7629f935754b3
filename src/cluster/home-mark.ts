// How far this node is with one home: its copies, and what it appends while it owns it. Saved beside and renamed, now and then, so that a
// restart does not begin at nothing.
//   HOME-MARK-1. Each file has everything up to the sequence that is saved; the ends that are saved say what the log had there of each
//               stream. What was read of another file, or of none, is that there is nothing.
//   HOME-MARK-2. What this node has known the log to have is not forgotten when its files turn out to have less: a log that has less, or
//               other records in their place, has gone back.
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
  /** By stream. */
  ends: WrittenEnds;
  /** Where more was known of the log. */
  seen?: { sequence: number; ends: WrittenEnds };
}
/** Number and nonce. */
interface WrittenEnds {
  [stream: string]: [number, string];
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
  /** Of what the files did not get before they were left: the newest record of each stream. */
  readonly #seenEnds = new Map<string, StreamEnd>();
  #seenSequence = 0;
  readonly #path: string;
  #records = 0;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    const written = readMark(path);
    if (written === undefined) return;
    const { ends, seen, version, ...rest } = written;
    Object.assign(this, rest);
    readEnds(ends, this.ends);
    readEnds(seen?.ends ?? {}, this.#seenEnds);
    this.#seenSequence = seen?.sequence ?? 0;
  }

  /** Up to which this node has known the log. */
  get seenSequence(): number {
    return Math.max(this.sequence, this.#seenSequence);
  }

  /** False: the log had another record there before. One that is checked is known no longer: the file has it. */
  isAsSeen(stream: string, { number, nonce }: StreamEnd): boolean {
    const seen = this.#seenEnds.get(stream);
    if (seen === undefined || number < seen.number) return true;
    if (number === seen.number && !nonce.equals(seen.nonce)) return false;
    this.#seenEnds.delete(stream);
    return true;
  }
  /** The stream has ended. */
  forgetSeen(stream: string): void {
    this.#seenEnds.delete(stream);
  }
  /** The same of all streams: the records in between are not read. */
  forgetSeenEnds(): void {
    this.#seenEnds.clear();
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
    if (this.#records >= tuning.markedRecordsMax || this.#bytes >= tuning.markedBytesMax) this.trySave();
  }

  /** On a full disk what was written before stays true: more is read again. The next time tries again. */
  trySave(): void {
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

  #unwrittenEnds(): [string, StreamEnd][] {
    return [...this.ends].filter(([stream]) => this.unwritten.of(stream).length > 0);
  }

  /** Its owner has left: what the files did not get is read again. */
  fallBack(): void {
    this.#seenSequence = this.seenSequence;
    for (const [stream, end] of this.#unwrittenEnds()) this.#seenEnds.set(stream, end);
    this.sequence = this.unwritten.heldSequence(this.sequence);
    const held = this.unwritten.heldEnds(this.ends);
    this.ends.clear();
    for (const [stream, end] of held) this.ends.set(stream, end);
    this.unwritten.clear();
  }

  save(): void {
    const { isOwned, logBytes, snapshotSequence, snapshotBytes, unwritten } = this;
    const sequence = unwritten.heldSequence(this.sequence);
    const ends = writtenEnds(unwritten.heldEnds(this.ends));
    const seen = { sequence: this.seenSequence, ends: writtenEnds([...this.#seenEnds, ...this.#unwrittenEnds()]) };
    const written: Written = { version: 1, sequence, isOwned, logBytes, snapshotSequence, snapshotBytes, ends, seen };
    const draft = `${this.#path}.new`;
    writeFileSync(draft, JSON.stringify(written));
    renameSync(draft, this.#path);
    this.#records = 0;
    this.#bytes = 0;
  }
}

const writtenEnds = (ends: Iterable<readonly [string, StreamEnd]>): WrittenEnds =>
  Object.fromEntries([...ends].map(([stream, { number, nonce }]) => [stream, [number, nonce.toString('hex')] as const]));

function readEnds(written: WrittenEnds, into: Map<string, StreamEnd>): void {
  for (const [stream, [number, nonce]] of Object.entries(written)) into.set(stream, { number, nonce: Buffer.from(nonce, 'hex') });
}

function readMark(path: string): Written | undefined {
  try {
    const written = JSON.parse(readFileSync(path, 'utf8')) as Written;
    const { seen = { sequence: 0, ends: {} } } = written;
    const numbers = [written.sequence, written.logBytes, written.snapshotSequence, written.snapshotBytes, seen.sequence];
    const ends = [written.ends, seen.ends].every((each) =>
      Object.values(each).every(([number, nonce]) => isCount(number) && /^[0-9a-f]{32}$/.test(nonce)),
    );
    return written.version === 1 && numbers.every(isCount) && typeof written.isOwned === 'boolean' && ends ? written : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
