// A record as the entries that carry it, and back.
//   RECORD-PARTS-1. What was split is joined to the same bytes, whatever the size, and wherever a reader stopped and began again at the
//                   first part.
// The parts of a record are appended together, so a log holds all of them or none, and nothing of its home between them.
import { invariant } from '../contract/errors.js';
import type { LogEntry } from './log.js';
import { tuning } from './tuning.js';

/** What one group commit of a data file changed, as the log knows it. */
export interface LogRecord {
  home: number;
  /** A data file of the home; '' in home 0. */
  stream: string;
  /** From 1, without gaps in the stream. */
  number: number;
  /** 16 random bytes, also in the position that the data file keeps. */
  nonce: Buffer;
  body: Buffer;
}

/** A record as it is read: with the place of its last entry. */
export interface FollowedRecord extends LogRecord {
  sequence: number;
  epoch: number;
}

/** The bodies of the entries, in order; one at least, since also an empty record is one. */
export function partsOf(body: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < body.length || from === 0; from += tuning.entryBytesMax)
    parts.push(body.subarray(from, from + tuning.entryBytesMax));
  return parts;
}

/** Joins the entries of one home. Its memory is bounded by one record. */
export class PartJoiner {
  #parts: Buffer[] = [];

  /** The record that this entry ends; undefined of an earlier part, and of an entry that only fences. */
  join(entry: LogEntry): FollowedRecord | undefined {
    const { home, stream, number, nonce, sequence, epoch, body, isLast } = entry;
    if (number === 0) {
      invariant(this.#parts.length === 0, `a fence stands within a record of home ${home}, at ${sequence}`);
      return undefined;
    }
    this.#parts.push(body);
    if (!isLast) return undefined;
    const parts = this.#parts;
    this.#parts = [];
    return { home, stream, number, nonce, sequence, epoch, body: parts.length === 1 ? body : Buffer.concat(parts) };
  }

  /** Nothing is held: the entry that was joined last ends a record, or fences. */
  get isWhole(): boolean {
    return this.#parts.length === 0;
  }

  /** Forgets the parts of a record that is read again from its first. */
  reset(): void {
    this.#parts = [];
  }
}
