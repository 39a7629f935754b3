// One data file as its only writer in this process has it: reads, transactions, and the records that a log makes of them.
//   KV-FILE-1. With a log that keeps what the file lacks, small transactions are written to it later, several together: no read shows a
//     difference, and at any moment the file is as it was between two transactions.
// Nothing but puts and removes runs inside a transaction: a thread that ended in one would leave the write lock held.
import { runCritical } from '../../async/critical-section.js';
import { invariant, isServiceError } from '../../contract/errors.js';
import { markBoot } from '../../files/boot-mark.js';
import { copyDatabase, type Database, openDatabase } from '../../files/database.js';
import { DatabaseSpace } from '../../files/database-space.js';
import { diskFull, isDiskFull } from '../../files/disk-full.js';
import { tuning } from '../tuning.js';
import { GroupStream } from './group-stream.js';
import { counterKey, keyKinds, positionKey, rangeOfKind } from './keys.js';
import { LateChanges } from './late-changes.js';
import { replayBatches } from './record-replay.js';
import type { StreamLog, StreamPosition, StreamRecord } from './stream-log.js';
import { encodePosition, readPosition, streamStart } from './stream-position.js';

export interface KvFileOptions {
  directory: string;
  flushed: boolean;
  log: StreamLog | undefined;
  leavesChecked: boolean;
  readOnly: boolean;
  /** KvWriterOptions. */
  onCommit: (() => void) | undefined;
}
export interface KeyRange {
  start: Buffer;
  end: Buffer;
}
/** How a transaction may go to the file. */
export interface TransactionSize {
  /** Of keys and values, about. */
  bytes: number;
  /** It reads ranges of keys. */
  readsRanges: boolean;
  /** Of the disk, where it was seen a moment ago. */
  freeBytes?: number;
}

export class KvFile {
  readonly directory: string;
  readonly #database: Database;
  readonly #space: DatabaseSpace;
  /** What the transaction that is open has changed in the file. */
  #changed = { changes: 0, bytes: 0 };
  readonly #onCommit: (() => void) | undefined;
  readonly #log: StreamLog | undefined;
  readonly #stream: GroupStream | undefined;
  /** Of a log that keeps what the file lacks. */
  readonly #late: LateChanges | undefined;
  /** The transaction that is open is a late one. */
  #isLate = false;
  #writeSoon: NodeJS.Timeout | undefined;
  /** The newest record in a file that no log is given for: a copy. */
  #replayed: StreamPosition | undefined;
  #copying: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  constructor({ directory, flushed, log, leavesChecked, readOnly, onCommit }: KvFileOptions) {
    this.directory = directory;
    this.#onCommit = onCommit;
    this.#database = this.#guard(() => openDatabase({ directory, flushed, leavesChecked, readOnly }));
    this.#space = new DatabaseSpace(this.#database, directory);
    const position = readPosition(this);
    this.#log = log;
    this.#stream = log && this.#openStream(log, position);
    this.#late = log?.written === undefined ? undefined : new LateChanges();
    if (log === undefined) this.#replayed = position;
  }

  #openStream(log: StreamLog, position: StreamPosition | undefined): GroupStream {
    invariant(position !== undefined || !this.has(counterKey), 'a file with a log has had it from its beginning');
    if (position === undefined) markBoot(this.directory);
    return new GroupStream(log, position ?? streamStart, [...this.keys(rangeOfKind(keyKinds.tail))]);
  }

  get(key: Buffer): Buffer | undefined {
    const late = this.#late?.get(key);
    return late === undefined ? this.#database.getBinary(key) : (late.value ?? undefined);
  }
  has(key: Buffer): boolean {
    const late = this.#late?.get(key);
    return late === undefined ? this.#database.doesExist(key) : late.value !== null;
  }
  /** Entries of [start, end) in key order. */
  range({ start, end }: KeyRange): Iterable<{ key: Buffer; value: Buffer }> {
    this.#writeLate();
    return this.#database.getRange({ start, end, snapshot: false });
  }
  keys({ start, end }: KeyRange): Iterable<Buffer> {
    this.#writeLate();
    return this.#database.getKeys({ start, end, snapshot: false });
  }
  /** So many of the first. */
  firstKeys({ start, end }: KeyRange, limit: number): Buffer[] {
    this.#writeLate();
    return [...this.#database.getKeys({ start, end, limit })];
  }
  /** The entry with the greatest key of [start, end]. */
  last({ start, end }: KeyRange): { key: Buffer; value: Buffer } | undefined {
    this.#writeLate();
    for (const entry of this.#database.getRange({ start: end, end: start, reverse: true, limit: 1, inclusiveEnd: true })) return entry;
    return undefined;
  }

  /** Small transactions are. */
  get isWrittenLate(): boolean {
    return this.#late !== undefined;
  }
  /** Within a transaction: it is late, and may read single keys only. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Within a transaction. The bytes are not changed after it. */
  put(key: Buffer, value: Buffer): void {
    if (this.#isLate) this.#late?.set({ key, value });
    else this.#put(key, value);
    this.#stream?.put(key, value);
  }
  remove(key: Buffer): void {
    if (this.#isLate) this.#late?.set({ key, value: null });
    else this.#remove(key);
    this.#stream?.remove(key);
  }

  /** Changes, which become a part of a record where there is a log. */
  transaction({ bytes, readsRanges, freeBytes }: TransactionSize, body: () => void): void {
    invariant(this.#replayed === undefined, 'a copy changes by records only');
    const stream = this.#stream;
    const late = readsRanges || bytes > tuning.lateTransactionBytesMax ? undefined : this.#late;
    // What could not be written is in the way of more.
    if (late === undefined || this.#isFull) this.#writeLate();
    stream?.begin();
    if (stream !== undefined && late !== undefined) {
      this.#transactLate(late, stream, body);
      return;
    }
    try {
      this.#write(() => {
        body();
        stream?.end();
        stream?.write(this.#tail);
      }, freeBytes);
    } catch (error) {
      stream?.undo();
      throw error;
    }
    stream?.applied();
    this.#wrote();
  }

  #transactLate(late: LateChanges, stream: GroupStream, body: () => void): void {
    late.begin();
    this.#isLate = true;
    try {
      this.#guard(() => {
        body();
        stream.end();
        this.#onCommit?.();
      });
    } catch (error) {
      late.undo();
      stream.undo();
      throw error;
    } finally {
      this.#isLate = false;
    }
    stream.applied();
    if (this.#isFull) this.#tryToWrite();
    else this.#writeSoon ??= setTimeout(() => this.#tryToWrite(), tuning.lateMs).unref();
  }

  /** As much is late as may be. */
  get #isFull(): boolean {
    return this.#stream !== undefined && this.#stream.unwrittenBytes >= tuning.lateBytesMax;
  }

  /** All that is late, in one transaction. Throws as that does, and leaves it late. */
  #writeLate(): void {
    const late = this.#late;
    if (late === undefined || late.isEmpty) return;
    if (this.#stream?.lost !== undefined) throw this.#stream.lost;
    invariant(!this.#isLate, 'a late transaction reads single keys only');
    this.#write(() => {
      for (const { key, value } of late.values()) this.#change(key, value);
      this.#stream?.write(this.#tail);
    });
    this.#forgetLate();
    this.#wrote();
  }

  /** On a full disk it stays late: the transaction that would make it too much tries again, and is refused where that fails. */
  #tryToWrite(): void {
    this.#writeSoon = undefined;
    if (this.#stream?.lost !== undefined) return;
    try {
      this.#writeLate();
    } catch (error) {
      if (!isServiceError(error, 'control.STORAGE_FULL')) throw error;
    }
  }

  #forgetLate(): void {
    clearTimeout(this.#writeSoon);
    this.#writeSoon = undefined;
    this.#late?.clear();
  }

  #wrote(): void {
    if (this.#stream === undefined) return;
    this.#stream.written();
    this.#log?.written?.(this.#stream.position.number);
  }

  async flushed(): Promise<void> {
    await this.#stream?.flushed();
  }

  /** Of the newest record. */
  get position(): StreamPosition {
    return this.#stream?.position ?? this.#replayed ?? streamStart;
  }
  /** It changes by records, of a log or as a copy. */
  get isStreamed(): boolean {
    return this.#stream !== undefined || this.#replayed !== undefined;
  }

  /** KvWriter.replay. */
  replay(records: readonly StreamRecord[]): void {
    invariant(this.#stream === undefined, 'a file that writes to a log does not replay it');
    invariant(this.#replayed !== undefined || !this.has(counterKey), 'a copy has had its records from its beginning');
    if (this.#replayed === undefined) markBoot(this.directory);
    const surplus = [...this.keys(rangeOfKind(keyKinds.tail))];
    for (const { changes, position } of replayBatches(this.position, records)) {
      this.#write(() => {
        for (const { key, value } of changes) this.#change(key, value);
        // An owner's that follows now: the log has them, or others in their place.
        for (const key of surplus.splice(0)) this.#remove(key);
        this.#put(positionKey, encodePosition(position));
      });
      this.#replayed = position;
    }
  }

  /** Makes a copy a file of its own, which changes without a log. False where it is one. */
  leaveStream(): boolean {
    invariant(this.#stream === undefined, 'an owner does not leave its log');
    if (this.#replayed === undefined) return false;
    this.#write(() => {
      for (const key of [...this.keys(rangeOfKind(keyKinds.tail))]) this.#remove(key);
      this.#remove(positionKey);
    });
    this.#replayed = undefined;
    return true;
  }

  /** As it is at one moment from now on. Commits continue; a close waits for it. */
  async copyTo(directory: string): Promise<void> {
    this.#writeLate();
    const copying = copyDatabase(this.#database, directory);
    this.#copying = Promise.allSettled([this.#copying, copying]);
    await copying;
  }

  /** `beforeEnd`: what is still to be written. Rejects where something could not be flushed; it is closed all the same. */
  close(beforeEnd: () => void): Promise<void> {
    if (this.#closed === undefined) {
      // Of a file that another has now nothing more is written.
      const flushed = this.#stream?.lost === undefined ? this.#finish(beforeEnd) : Promise.resolve();
      this.#stream?.close();
      this.#forgetLate();
      this.#closed = flushed.finally(() => this.#release());
    }
    return this.#closed;
  }

  /** In place of it: nothing is written or flushed before. */
  abandon(): Promise<void> {
    this.#stream?.close();
    this.#forgetLate();
    this.#closed ??= this.#release();
    return this.#closed;
  }

  async #finish(beforeEnd: () => void): Promise<void> {
    // What a full disk does not take is kept for who opens the file again.
    this.#tryToWrite();
    this.#forgetLate();
    beforeEnd();
    await this.#sync();
  }
  /** Forces everything committed to the disk, off this thread. */
  #sync(): Promise<void> {
    this.#writeLate();
    return new Promise((resolve, reject) => {
      const database = this.#database as unknown as { sync(done: (error?: Error) => void): void };
      database.sync((error) => (error ? reject(storageError(error, this.directory)) : resolve()));
    });
  }
  async #release(): Promise<void> {
    await this.#copying;
    await this.#database.close();
  }

  readonly #tail = {
    put: (key: Buffer, value: Buffer): void => this.#put(key, value),
    remove: (key: Buffer): void => this.#remove(key),
  };

  #change(key: Buffer, value: Buffer | null): void {
    if (value === null) this.#remove(key);
    else this.#put(key, value);
  }
  #put(key: Buffer, value: Buffer): void {
    this.#database.putSync(key, value);
    this.#changed.changes += 1;
    this.#changed.bytes += key.length + value.length;
  }
  #remove(key: Buffer): void {
    this.#database.removeSync(key);
    this.#changed.changes += 1;
  }

  #write(body: () => void, freeBytes?: number): void {
    this.#changed = { changes: 0, bytes: 0 };
    this.#guard(() =>
      this.#database.transactionSync(() => {
        body();
        this.#space.require({ ...this.#changed, freeBytes });
        this.#onCommit?.();
      }),
    );
  }

  /** The gate keeps the watchdog from ending this thread while LMDB's write lock is held. */
  #guard<T>(body: () => T): T {
    try {
      return runCritical(body);
    } catch (error) {
      throw storageError(error, this.directory);
    }
  }
}

function storageError(error: unknown, directory: string): Error {
  return isDiskFull(error, directory) ? diskFull(error) : (error as Error);
}
