// Records of one home that its log has and its files on this node may not have yet: an owner writes its files later than it appends.
//   UNWRITTEN-RECORDS-1. A record is kept until its file is said to have it, so that who opens the file again gets what it lacks.
//   UNWRITTEN-RECORDS-2. What is held is not more than the files have: of each stream, and of the home by sequence.
import { partsOf } from './record-parts.js';

/** The newest record of a stream. */
export interface StreamEnd {
  readonly number: number;
  readonly nonce: Buffer;
}
export interface AppendedRecord extends StreamEnd {
  readonly body: Buffer;
}
interface Kept extends AppendedRecord {
  /** Of its first entry. */
  readonly sequence: number;
}
interface Stream {
  /** In order. */
  records: Kept[];
  bytes: number;
  /** Before the first of them; undefined: there was none. */
  before: StreamEnd | undefined;
  /** Up to which number the file was said to have them: also of records that come here after that. */
  written: number;
}

export class UnwrittenRecords {
  readonly #streams = new Map<string, Stream>();

  of(stream: string): readonly AppendedRecord[] {
    return this.#streams.get(stream)?.records ?? [];
  }
  bytesOf(stream: string): number {
    return this.#streams.get(stream)?.bytes ?? 0;
  }

  /** `before`: the end of the stream until now. `sequence`: of the record's last entry. */
  appended(stream: string, record: AppendedRecord, { before, sequence }: { before: StreamEnd | undefined; sequence: number }): void {
    const known = this.#of(stream);
    if (record.number <= known.written) return;
    const { number, nonce, body } = record;
    if (known.records.length === 0) known.before = before;
    known.records.push({ number, nonce, body, sequence: sequence - partsOf(body).length + 1 });
    known.bytes += body.length;
  }

  written(stream: string, number: number): void {
    const known = this.#of(stream);
    known.written = Math.max(known.written, number);
    const count = known.records.findIndex((record) => record.number > number);
    for (const record of known.records.splice(0, count < 0 ? known.records.length : count)) {
      known.before = { number: record.number, nonce: record.nonce };
      known.bytes -= record.body.length;
    }
  }

  forget(stream: string): void {
    this.#streams.delete(stream);
  }
  clear(): void {
    this.#streams.clear();
  }

  /** What the files have of it, where the log has it up to `sequence`. */
  heldSequence(sequence: number): number {
    let held = sequence;
    for (const { records } of this.#streams.values()) held = Math.min(held, (records[0]?.sequence ?? Number.POSITIVE_INFINITY) - 1);
    return held;
  }
  /** The same of the ends of streams; one of which the file has nothing is left out. */
  heldEnds(ends: ReadonlyMap<string, StreamEnd>): Map<string, StreamEnd> {
    const held = new Map(ends);
    for (const [stream, { records, before }] of this.#streams) {
      if (records.length === 0) continue;
      if (before === undefined) held.delete(stream);
      else held.set(stream, before);
    }
    return held;
  }

  #of(stream: string): Stream {
    const known = this.#streams.get(stream) ?? { records: [], bytes: 0, before: undefined, written: 0 };
    this.#streams.set(stream, known);
    return known;
  }
}
