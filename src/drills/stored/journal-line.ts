// An entry of a journal as its line has it. To make a value of each takes longer than all else that a comparison does with a long journal,
// so it is made only where it is asked for.
import type { EvidenceEntry, EvidenceKind } from '../../contract/world/evidence.js';
import { evidenceKinds } from '../../contract/world/evidence.js';
import { EntryScan } from '../../reports/entry-scan.js';
import { tuning } from '../tuning.js';

const ascii = (character: string): number => character.charCodeAt(0);
const [letterH, letterU] = [ascii('h'), ascii('u')];
/** Numbers before what an entry says. */
const headBytes = 3 * Float64Array.BYTES_PER_ELEMENT;

/** One line at a time; what it found stands until the next. */
export class JournalLine extends EntryScan {
  /** NaN where it has none. */
  scheduledForUs = Number.NaN;
  #start = 0;
  #end = 0;
  #entry: EvidenceEntry | undefined;
  /** Begins and ends of stretches of members that say what happened. */
  readonly #said = new Int32Array(2 * tuning.saidStretchesMax);
  #stretches = 0;
  #scratch = Buffer.alloc(tuning.saidBytesMin);

  /** Throws for what is no entry. */
  read(bytes: Buffer, start: number, end: number): void {
    this.#start = start;
    this.#end = end;
    this.#entry = undefined;
    this.#stretches = 0;
    this.scheduledForUs = Number.NaN;
    if (!this.scan(bytes, start, end)) throw new Error('a line of the journal is no entry');
  }

  get name(): EvidenceKind {
    return evidenceKinds[this.kind]!;
  }
  /** Of its transaction's first entry. */
  get base(): number {
    return this.sequence - this.transactionIndex;
  }

  entry(): EvidenceEntry {
    this.#entry ??= JSON.parse(this.bytes.toString('utf8', this.#start, this.#end)) as EvidenceEntry;
    return this.#entry;
  }

  isPhase(word: string): boolean {
    const start = this.startOf('phase') + 1;
    if (this.endOf('phase') - start !== word.length + 1) return false;
    for (let at = 0; at < word.length; at++) if (this.bytes[start + at] !== word.charCodeAt(at)) return false;
    return true;
  }

  /** Of a state_change: its row, from its instance to its id; equal for the same row. */
  rowText(): string {
    return this.bytes.toString('utf8', this.startOf('instanceId'), this.endOf('rowId'));
  }

  /**
   * Of an event or a state_change: three numbers, and after them all members but those that only place the entry. Stands until the next
   * line is read.
   */
  said(first: number, second: number, third: number): Buffer {
    const bytesMax = headBytes + this.#end - this.#start;
    if (this.#scratch.length < bytesMax) this.#scratch = Buffer.alloc(2 * bytesMax);
    const scratch = this.#scratch;
    scratch.writeDoubleLE(first, 0);
    scratch.writeDoubleLE(second, 8);
    scratch.writeDoubleLE(third, 16);
    let length = headBytes;
    for (let stretch = 0; stretch < this.#stretches; stretch++)
      length += this.bytes.copy(scratch, length, this.#said[2 * stretch]!, this.#said[2 * stretch + 1]!);
    return scratch.subarray(0, length);
  }

  protected override member(keyStart: number, keyEnd: number, start: number, end: number): void {
    super.member(keyStart, keyEnd, start, end);
    const first = this.bytes[keyStart];
    switch (keyEnd - keyStart) {
      case 8: // `sequence`
        return;
      case 13: // `causeSequence`, `correlationId`, `schemaVersion`, `transactionId`, `virtualTimeUs`
        return;
      case 14: // `scheduledForUs`; not `subscriptionId`
        if (this.bytes[keyStart + 1] === letterU) break;
        this.scheduledForUs = this.integer(start, end);
        return;
      case 15: // `transactionSize`
        return;
      case 16: // `scheduledEventId`, `transactionIndex`; not `handlerPackageId`
        if (first !== letterH) return;
    }
    this.#say(keyStart - 1, end);
  }

  /** From a key's quote to the end of its value; members beside each other are one stretch. */
  #say(from: number, to: number): void {
    const last = 2 * this.#stretches - 1;
    // The kinds that are asked for what they say have three at most; of another, too much is said and not too little.
    const isLast = this.#stretches === tuning.saidStretchesMax;
    if (isLast || (last > 0 && this.#said[last]! + 1 === from)) {
      this.#said[last] = to;
      return;
    }
    this.#said[last + 1] = from;
    this.#said[last + 2] = to;
    this.#stretches++;
  }
}
