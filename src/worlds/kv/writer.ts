// One data file (an LMDB environment) and the group commit of the worlds in it.
//   WRITER-1. A write set is applied whole or not at all, and only to the very state its world was in when it was made: a zombie of an
//     earlier incarnation, or a second opener, finds another incarnation or another count of commits and is refused.
//   WRITER-2. `committed`: no flush but at sync() and close(); LMDB loses nothing of it with the process. `flushed`: every commit is on the
//     disk before it returns, in LMDB's own order (data, then meta page), so that a power cut leaves a whole tree too.
//   WRITER-3. With a log, no change is made outside of its records, and a file that has a position changes by them only: the copy that
//     replays them equals the file.
// Nothing but puts and removes runs inside a transaction: a thread that ended in one would leave the write lock held.
import { runCritical } from '../../async/critical-section.js';
import { invariant, isServiceError, ServiceError } from '../../contract/errors.js';
import { markBoot } from '../../files/boot-mark.js';
import { copyDatabase, type Database, openDatabase } from '../../files/database.js';
import { diskFull, diskShortage, isDiskFull, type SpaceSeen } from '../../files/disk-full.js';
import { tuning } from '../tuning.js';
import { GroupStream } from './group-stream.js';
import {
  counterKey,
  headKey,
  keyKinds,
  layerKinds,
  positionKey,
  rangeOfKind,
  readTombstoneKey,
  referencesKey,
  tombstoneKey,
} from './keys.js';
import { replayBatches } from './record-replay.js';
import type { StreamLog, StreamPosition, StreamRecord } from './stream-log.js';
import { encodePosition, readPosition, readTail, streamStart, type TailRecord } from './stream-position.js';
import { headVersion } from './world-head.js';
import type { WriteSet } from './write-set.js';

export interface KvWriterOptions {
  directory: string;
  /** With a log it is `committed`: the log is what makes a change durable. */
  durability: 'committed' | 'flushed';
  /** Every change becomes a record of it. Of a new file, or of one that the log has up to its position. Default: none. */
  log?: StreamLog | undefined;
  /** Default true; false where the whole file has been checked since this process began. */
  leavesChecked?: boolean;
  /** Nothing is written: for reading a file that nobody serves. Default false. */
  readOnly?: boolean;
  /** Called inside every commit, before it: a test throws here what a full disk would. */
  onCommit?: (() => void) | undefined;
}
export interface KeyRange {
  start: Buffer;
  end: Buffer;
}
const none = Buffer.alloc(0);

export class KvWriter {
  readonly directory: string;
  readonly durability: 'committed' | 'flushed';
  readonly #database: Database;
  readonly #onCommit: (() => void) | undefined;
  readonly #readOnly: boolean;
  readonly #stream: GroupStream | undefined;
  /** The newest record in a file that no log is given for: a copy. */
  #replayed: StreamPosition | undefined;
  #nextId = 0;
  #idsLeft = 0;
  #hasTombstones: boolean;
  #copying: Promise<unknown> | undefined;
  #closed: Promise<void> | undefined;

  static open(options: KvWriterOptions): KvWriter {
    return new KvWriter(options);
  }

  private constructor({ directory, durability, log, leavesChecked = true, readOnly = false, onCommit }: KvWriterOptions) {
    this.#readOnly = readOnly;
    this.directory = directory;
    this.durability = log === undefined ? durability : 'committed';
    this.#onCommit = onCommit;
    const flushed = this.durability === 'flushed';
    this.#database = this.#guard(() => openDatabase({ directory, flushed, leavesChecked, readOnly }));
    this.#hasTombstones = this.#first(rangeOfKind(keyKinds.tombstone)) !== undefined;
    const position = readPosition(this);
    this.#stream = log && this.#openStream(log, position);
    if (log === undefined) this.#replayed = position;
  }

  #openStream(log: StreamLog, position: StreamPosition | undefined): GroupStream {
    invariant(position !== undefined || !this.has(counterKey), 'a file with a log has had it from its beginning');
    if (position === undefined) markBoot(this.directory);
    return new GroupStream(log, position ?? streamStart, [...this.keys(rangeOfKind(keyKinds.tail))]);
  }

  get(key: Buffer): Buffer | undefined {
    return this.#database.getBinary(key);
  }
  has(key: Buffer): boolean {
    return this.#database.doesExist(key);
  }
  /** Entries of [start, end) in key order. */
  range({ start, end }: KeyRange): Iterable<{ key: Buffer; value: Buffer }> {
    return this.#database.getRange({ start, end, snapshot: false });
  }
  keys({ start, end }: KeyRange): Iterable<Buffer> {
    return this.#database.getKeys({ start, end, snapshot: false });
  }
  /** The entry with the greatest key of [start, end]. */
  last({ start, end }: KeyRange): { key: Buffer; value: Buffer } | undefined {
    for (const entry of this.#database.getRange({ start: end, end: start, reverse: true, limit: 1, inclusiveEnd: true })) return entry;
    return undefined;
  }

  /** A new id for a layer or a journal: never given before, to any caller. Commits keep some in reserve. */
  allocateId(): number {
    if (this.#idsLeft === 0) this.#transaction(() => this.#reserveIds());
    this.#idsLeft--;
    return this.#nextId++;
  }

  /** Puts what is not of a world (programs, bases). */
  put(entries: readonly { key: Buffer; value: Buffer }[]): void {
    const short = diskShortage(this.directory);
    if (short !== undefined) throw short;
    this.#transaction(() => {
      for (const { key, value } of entries) this.#put(key, value);
    });
  }

  /**
   * One transaction for all the sets, applied when the call returns. A stale set is refused alone (world.ACTOR_RESTARTED), as is the
   * creation of a world that exists (control.STATE_CONFLICT); a full disk refuses all (control.STORAGE_FULL) and leaves all as it was, one
   * that is nearly so those that free nothing. `space`: as it was seen in this very moment, of another file of the disk.
   */
  commit(sets: readonly WriteSet[], space?: SpaceSeen): (Error | undefined)[] {
    let refusals: (Error | undefined)[] = [];
    try {
      const { short } = space ?? { short: diskShortage(this.directory) };
      this.#transaction(() => {
        const done = new Map<WriteSet, Error | undefined>();
        if (short !== undefined) for (const set of sets) if (!set.freesSpace) done.set(set, short);
        for (const set of sets) this.#applyOnce(set, sets, done);
        refusals = sets.map((set) => done.get(set));
        this.#referAll(sets.filter((_, index) => refusals[index] === undefined));
        if (this.#hasTombstones) this.#sweep(tuning.sweepKeysMax * Math.max(sets.length, 1));
        if (this.#idsLeft < tuning.idBlock / 2) this.#reserveIds();
      });
    } catch (error) {
      refusals = sets.map(() => error as Error);
      this.#idsLeft = 0;
    }
    sets.forEach((set, index) => {
      set.settle(refusals[index] === undefined ? 'applied' : 'refused');
    });
    return refusals;
  }

  /** Deletes some of what has a tombstone; true while there is more. Commits do so by the way. */
  sweep(): boolean {
    if (this.#hasTombstones) this.#transaction(() => this.#sweep(tuning.sweepKeysMax));
    return this.#hasTombstones;
  }

  /**
   * Resolves when all that was committed is at the durability level of the store: a `flushed` commit is when it returns; with a log, when
   * the log has it. Rejects (world.ACTOR_RESTARTED) where the log has given the file to another owner.
   */
  async flushed(): Promise<void> {
    await this.#stream?.flushed();
  }

  /** Of the newest record in the file. */
  get position(): StreamPosition {
    return this.#stream?.position ?? this.#replayed ?? streamStart;
  }
  /** Records that the log may not have: of an owner that has ended. */
  tail(): TailRecord[] {
    return readTail(this);
  }

  /**
   * Applies records of the log to a copy, which nobody serves. Throws InvalidRecord for one that is damaged or does not follow: what was
   * before it is applied, of it nothing is.
   */
  replay(records: readonly StreamRecord[]): void {
    invariant(this.#stream === undefined, 'a file that writes to a log does not replay it');
    invariant(this.#replayed !== undefined || !this.has(counterKey), 'a copy has had its records from its beginning');
    if (this.#replayed === undefined) markBoot(this.directory);
    const surplus = [...this.keys(rangeOfKind(keyKinds.tail))];
    for (const { changes, position } of replayBatches(this.position, records)) {
      this.#write(() => {
        for (const { key, value } of changes) {
          if (value === null) this.#database.removeSync(key);
          else this.#database.putSync(key, value);
        }
        // An owner's that follows now: the log has them, or others in their place.
        for (const key of surplus.splice(0)) this.#database.removeSync(key);
        this.#database.putSync(positionKey, encodePosition(position));
      });
      this.#replayed = position;
    }
  }

  /** Makes a copy a file of its own, which changes without a log. */
  leaveStream(): void {
    invariant(this.#stream === undefined, 'an owner does not leave its log');
    if (this.#replayed === undefined) return;
    this.#write(() => {
      for (const key of [...this.keys(rangeOfKind(keyKinds.tail))]) this.#database.removeSync(key);
      this.#database.removeSync(positionKey);
    });
    this.#replayed = undefined;
    this.#hasTombstones = this.#first(rangeOfKind(keyKinds.tombstone)) !== undefined;
  }

  /** Forces everything committed to the disk, off this thread. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      const database = this.#database as unknown as { sync(done: (error?: Error) => void): void };
      database.sync((error) => (error ? reject(storageError(error, this.directory)) : resolve()));
    });
  }

  /** The data file as it is at one moment from now on. Commits continue; a close waits for it. */
  async copyTo(directory: string): Promise<void> {
    const copying = copyDatabase(this.#database, directory);
    this.#copying = Promise.allSettled([this.#copying, copying]);
    await copying;
  }

  close(): Promise<void> {
    if (this.#readOnly) this.#closed ??= this.#database.close();
    this.#stream?.close();
    const isOwn = this.#stream === undefined && this.#replayed === undefined;
    if (this.#closed === undefined && isOwn) this.#sweepAtClose();
    // What could not be flushed is reported; a later incarnation finds what the system still writes.
    this.#closed ??= this.#end();
    return this.#closed;
  }

  /** In place of `close`, of a file that somebody else has now, or that was only read: nothing is deleted or flushed before. */
  abandon(): Promise<void> {
    this.#stream?.close();
    this.#closed ??= this.#release();
    return this.#closed;
  }

  async #end(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#release();
    }
  }
  async #release(): Promise<void> {
    await this.#copying;
    await this.#database.close();
  }

  /** On a full disk it stays for the next incarnation. */
  #sweepAtClose(): void {
    try {
      for (let round = 0; round < tuning.sweepsAtClose && this.sweep(); round++);
    } catch (error) {
      if (!isServiceError(error, 'control.STORAGE_FULL')) throw error;
    }
  }

  /** What a set requires goes first, wherever it stands in the group, and takes it along when it is refused. */
  #applyOnce(set: WriteSet, sets: readonly WriteSet[], done: Map<WriteSet, Error | undefined>): Error | undefined {
    if (done.has(set)) return done.get(set);
    const { requires } = set;
    let refusal: Error | undefined;
    if (requires !== undefined && requires.state !== 'applied') {
      refusal = sets.includes(requires) ? this.#applyOnce(requires, sets, done) : stale(set.worldId);
    }
    refusal ??= this.#apply(set);
    done.set(set, refusal);
    return refusal;
  }

  #apply(set: WriteSet): Error | undefined {
    const { worldId, expected } = set;
    const head = this.#database.getBinary(headKey(worldId));
    if (expected === undefined) {
      if (head !== undefined) return new ServiceError('control.STATE_CONFLICT', { message: 'The world exists.', details: { worldId } });
    } else {
      const found = head === undefined ? undefined : headVersion(head);
      if (found?.incarnation !== expected.incarnation || found.commits !== expected.commits) return stale(worldId);
    }
    const { keys, values } = set;
    for (let index = 0; index < keys.length; index++) {
      const value = values[index] as Buffer | null;
      if (value === null) this.#remove(keys[index] as Buffer);
      else this.#put(keys[index] as Buffer, value);
      if ((keys[index] as Buffer)[0] === keyKinds.tombstone) this.#hasTombstones = true;
    }
    return undefined;
  }

  /** The changes of a group together: a layer that one set leaves and another begins to share always has an owner. */
  #referAll(sets: readonly WriteSet[]): void {
    const changes = new Map<number, number>();
    for (const { references } of sets) for (const [layer, change] of references) changes.set(layer, (changes.get(layer) ?? 0) + change);
    for (const [layer, change] of changes) this.#refer(layer, change);
  }

  /** A change of 0 is of a layer that came and went within one set: nobody names it, but it may have been written. */
  #refer(layer: number, change: number): void {
    const key = referencesKey(layer);
    const count = (this.#database.getBinary(key)?.readUInt32BE(0) ?? 0) + change;
    if (count > 0) {
      const value = Buffer.allocUnsafe(4);
      value.writeUInt32BE(count, 0);
      this.#put(key, value);
      return;
    }
    this.#remove(key);
    for (const kind of layerKinds) {
      const tombstone = tombstoneKey(kind, layer, 0);
      if (this.#first(readTombstoneKey(tombstone)) === undefined) continue;
      this.#put(tombstone, none);
      this.#hasTombstones = true;
    }
  }

  #sweep(keysMax: number): void {
    let left = keysMax;
    while (left > 0) {
      const tombstone = this.#first(rangeOfKind(keyKinds.tombstone));
      if (tombstone === undefined) {
        this.#hasTombstones = false;
        return;
      }
      const keys = [...this.#database.getKeys({ ...readTombstoneKey(tombstone), limit: left })];
      for (const key of keys) this.#remove(key);
      if (keys.length < left) this.#remove(tombstone);
      left -= keys.length + 1;
    }
  }

  #first({ start, end }: KeyRange): Buffer | undefined {
    for (const key of this.#database.getKeys({ start, end, limit: 1 })) return key;
    return undefined;
  }

  /** The durable counter moves by a block; ids left of the last block are never used. */
  #reserveIds(): void {
    const stored = this.#database.getBinary(counterKey);
    this.#nextId = stored === undefined ? 1 : stored.readUInt32BE(0);
    this.#idsLeft = tuning.idBlock;
    const next = Buffer.allocUnsafe(4);
    next.writeUInt32BE(this.#nextId + tuning.idBlock, 0);
    this.#put(counterKey, next);
  }

  #put(key: Buffer, value: Buffer): void {
    this.#database.putSync(key, value);
    this.#stream?.put(key, value);
  }
  #remove(key: Buffer): void {
    this.#database.removeSync(key);
    this.#stream?.remove(key);
  }

  /** One transaction of changes, which become a part of a record where there is a log. */
  #transaction(body: () => void): void {
    invariant(this.#replayed === undefined, 'a copy changes by records only');
    this.#stream?.begin();
    this.#write(() => {
      body();
      this.#stream?.write({ put: (key, value) => this.#database.putSync(key, value), remove: (key) => this.#database.removeSync(key) });
    });
    this.#stream?.applied();
  }

  #write(body: () => void): void {
    this.#guard(() =>
      this.#database.transactionSync(() => {
        this.#onCommit?.();
        body();
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

function stale(worldId: string): ServiceError {
  return new ServiceError('world.ACTOR_RESTARTED', {
    message: 'Another incarnation of this world has written since.',
    details: { worldId },
  });
}

function storageError(error: unknown, directory: string): Error {
  return isDiskFull(error, directory) ? diskFull(error) : (error as Error);
}
