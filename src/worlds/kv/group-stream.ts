// The records of one data file with a log: what each transaction has changed, numbered, kept in the file as its tail, appended in order.
//   GROUP-STREAM-1. What is written to the file goes there with the position and, as far as the log may not have it, with the tail: after
//     the end of the process at any moment the file holds no change that is neither in the log nor in its tail.
//   GROUP-STREAM-2. Records are appended one at a time, in the order of their numbers; `flushed` resolves when all that was applied before
//     it is in the log.
//   GROUP-STREAM-3. After an append that is lost nothing is written and nothing is appended, and everybody who waits is refused
//     (world.ACTOR_RESTARTED).
// A record takes further transactions until its append begins. What has been appended leaves the tail when the file is written next.
import { ServiceError } from '../../contract/errors.js';
import { tuning } from '../tuning.js';
import { encodeChanges, encodeRecord, type RecordedChange } from './group-record.js';
import { positionKey, tailKey } from './keys.js';
import type { StreamLog, StreamPosition } from './stream-log.js';
import { encodePosition, tailHeadBytes } from './stream-position.js';

interface PendingRecord extends StreamPosition {
  readonly follows: Buffer;
  /** As in the tail, with its head before each. */
  readonly parts: Buffer[];
  /** Of the parts, so many are in the tail: the first ones. */
  partsInTail: number;
  bytes: number;
  isSealed: boolean;
}
interface Waiting {
  number: number;
  resolve(): void;
  reject(error: Error): void;
}
/** What a transaction gives the stream to write with. */
interface TailWriter {
  put(key: Buffer, value: Buffer): void;
  remove(key: Buffer): void;
}

export class GroupStream {
  readonly #log: StreamLog;
  #position: StreamPosition;
  /** In order; an append in flight is of the first. */
  readonly #pending: PendingRecord[] = [];
  /** In the file and in the log. */
  #surplus: Buffer[];
  #unappendedBytes = 0;
  #unwrittenBytes = 0;
  readonly #waiting: Waiting[] = [];
  #isAppending = false;
  #lost: ServiceError | undefined;
  /** Of the transaction that is open. */
  #changes: RecordedChange[] = [];
  #spareNonce: Buffer | undefined;
  #draft: { record: PendingRecord; part: Buffer } | undefined;

  /** `surplus`: keys of the tail in the file, which is opened with a log only when its position is in it. */
  constructor(log: StreamLog, position: StreamPosition, surplus: Buffer[]) {
    this.#log = log;
    this.#position = position;
    this.#surplus = surplus;
  }

  get lost(): ServiceError | undefined {
    return this.#lost;
  }
  get position(): StreamPosition {
    return this.#position;
  }
  /** Of records, since the file was written last. */
  get unwrittenBytes(): number {
    return this.#unwrittenBytes;
  }

  /** Before a transaction. Throws where none may be. */
  begin(): void {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#unappendedBytes >= tuning.unappendedBytesMax) throw notTaken('The log is behind; nothing was changed.');
    this.#changes = [];
    this.#draft = undefined;
    if (this.#open === undefined) this.#spareNonce ??= this.#log.mintNonce();
  }
  /** Within it. */
  put(key: Buffer, value: Buffer): void {
    this.#changes.push({ key, value });
  }
  remove(key: Buffer): void {
    this.#changes.push({ key, value: null });
  }
  /** At its end. Throws where it is too much. */
  end(): void {
    if (this.#changes.length === 0) return;
    const record = this.#open ?? this.#next();
    const part = encodeChanges(this.#changes, tailHeadBytes);
    if (record.bytes + part.length > tuning.recordBytesMax) throw notTaken('This is too much for one moment; nothing was changed.');
    record.nonce.copy(part, 0);
    record.follows.copy(part, record.nonce.length);
    this.#draft = { record, part };
  }
  /** After it, where nothing has failed. */
  applied(): void {
    if (this.#draft === undefined) return;
    const { record, part } = this.#draft;
    if (record.parts.length === 0) {
      this.#pending.push(record);
      this.#position = { number: record.number, nonce: record.nonce };
      this.#spareNonce = undefined;
    }
    record.parts.push(part);
    record.bytes += part.length;
    this.#unappendedBytes += part.length;
    this.#unwrittenBytes += part.length;
    if (record.bytes >= tuning.recordBytesAimed) record.isSealed = true;
    this.#draft = undefined;
  }

  /** After it, where something has: it never was. */
  undo(): void {
    this.#changes = [];
    this.#draft = undefined;
  }

  /** With all changes, in one transaction of the file, those of the transaction that is open included: position and tail. */
  write(file: TailWriter): void {
    for (const key of this.#surplus) file.remove(key);
    for (const { number, parts, partsInTail } of this.#pending)
      for (let part = partsInTail; part < parts.length; part++) file.put(tailKey(number, part), parts[part] as Buffer);
    if (this.#draft !== undefined) file.put(tailKey(this.#draft.record.number, this.#draft.record.parts.length), this.#draft.part);
    const newest = this.#draft?.record ?? this.#position;
    if (newest.number > 0) file.put(positionKey, encodePosition(newest));
  }
  /** After it, and after `applied`. */
  written(): void {
    this.#surplus = [];
    for (const record of this.#pending) {
      record.partsInTail = record.parts.length;
      // What it would take now might be in the log and not in the file, whose position says that it has the record.
      if (this.#log.written !== undefined) record.isSealed = true;
    }
    this.#unwrittenBytes = 0;
  }

  flushed(): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#pending.length === 0) return Promise.resolve();
    const { number } = this.#position;
    const waiting = new Promise<void>((resolve, reject) => this.#waiting.push({ number, resolve, reject }));
    void this.#appendWanted();
    return waiting;
  }

  /** Nothing more is appended; what is in flight is left to itself. */
  close(): void {
    this.#lose();
  }

  /** The record that takes further transactions. */
  get #open(): PendingRecord | undefined {
    const last = this.#pending.at(-1);
    return last === undefined || last.isSealed ? undefined : last;
  }
  #next(): PendingRecord {
    const { number, nonce } = this.#position;
    return { number: number + 1, nonce: this.#spareNonce as Buffer, follows: nonce, parts: [], partsInTail: 0, bytes: 0, isSealed: false };
  }

  async #appendWanted(): Promise<void> {
    if (this.#isAppending) return;
    this.#isAppending = true;
    try {
      while (this.#lost === undefined && this.#waiting.length > 0) await this.#appendFirst();
    } catch (error) {
      this.#lose(error as Error);
    } finally {
      this.#isAppending = false;
    }
  }

  async #appendFirst(): Promise<void> {
    const record = this.#pending[0] as PendingRecord;
    record.isSealed = true;
    const { number, nonce, follows, parts } = record;
    const body = await encodeRecord(
      follows,
      parts.map((part) => part.subarray(tailHeadBytes)),
    );
    if ((await this.#log.append({ number, nonce, body })) === 'lost') return this.#lose();
    this.#pending.shift();
    this.#unappendedBytes -= record.bytes;
    for (let part = 0; part < record.partsInTail; part++) this.#surplus.push(tailKey(number, part));
    while (this.#waiting[0] !== undefined && this.#waiting[0].number <= number) this.#waiting.shift()?.resolve();
  }

  #lose(cause?: Error): void {
    this.#lost ??= new ServiceError('world.ACTOR_RESTARTED', { message: 'The data of this world has another owner.', cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost);
  }
}

function notTaken(message: string): ServiceError {
  return new ServiceError('control.UNAVAILABLE', { message });
}
