// How far the copies of one home on this node are: written beside and renamed, now and then, so that a restart does not begin at nothing.
//   HOME-MARK-1. Each copy has everything up to the sequence that is written; `ends` says what the log had there of each stream. What was
//               read of another file, or of none, is that there is nothing.
// It is not flushed, like the copies: all are made again after another boot of the operating system.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tuning } from './tuning.js';

/** The newest record of a stream. */
export interface StreamEnd {
  readonly number: number;
  readonly nonce: Buffer;
}
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
  sequence = 0;
  /** This node has, or had as it ended, the home: its files may hold more than the log. */
  isOwned = true;
  /** Of the log since the last snapshot, as far as this node has seen. */
  logBytes = 0;
  snapshotSequence = 0;
  snapshotBytes = 0;
  readonly ends = new Map<string, StreamEnd>();
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

  /** The copies have the record, and everything before it. */
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
    this.save();
  }

  save(): void {
    const { sequence, isOwned, logBytes, snapshotSequence, snapshotBytes } = this;
    const ends = Object.fromEntries(
      [...this.ends].map(([stream, { number, nonce }]) => [stream, [number, nonce.toString('hex')] as const]),
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
