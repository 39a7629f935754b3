// One data file (an LMDB environment) and the group commit of the worlds in it.
//   WRITER-1. A write set is applied whole or not at all, and only to the very state its world was in when it was made: a zombie of an
//     earlier incarnation, or a second opener, finds another incarnation or another count of commits and is refused.
//   WRITER-2. `committed`: no flush but at close(); LMDB loses nothing of it with the process. `flushed`: every commit is on the
//     disk before it returns, in LMDB's own order (data, then meta page), so that a power cut leaves a whole tree too.
//   WRITER-3. With a log, no change is made outside of its records, and a file that has a position changes by them only: the copy that
//     replays them equals the file.
//   WRITER-4. Stored bytes that cannot be decoded are damage of this file, named as such, and no fault of the program.
import { isServiceError, ServiceError } from '../../contract/errors.js';
import { decodeStored } from '../../files/decode-stored.js';
import { type SpaceSeen, seeSpace } from '../../files/disk-full.js';
import { tuning } from '../tuning.js';
import { counterKey, headKey, keyKinds, layerKinds, rangeOfKind, readTombstoneKey, referencesKey, tombstoneKey } from './keys.js';
import { type KeyRange, KvFile } from './kv-file.js';
import type { StreamLog, StreamPosition, StreamRecord } from './stream-log.js';
import { readTail, type TailRecord } from './stream-position.js';
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
const none = Buffer.alloc(0);

export class KvWriter {
  readonly directory: string;
  readonly durability: 'committed' | 'flushed';
  readonly #file: KvFile;
  readonly #readOnly: boolean;
  #nextId = 0;
  #idsLeft = 0;
  #hasTombstones: boolean;
  /** To sweep with the next commit. */
  #keysDue = 0;

  static open(options: KvWriterOptions): KvWriter {
    return new KvWriter(options);
  }

  private constructor({ directory, durability, log, leavesChecked = true, readOnly = false, onCommit }: KvWriterOptions) {
    this.#readOnly = readOnly;
    this.directory = directory;
    this.durability = log === undefined ? durability : 'committed';
    this.#file = new KvFile({ directory, flushed: this.durability === 'flushed', log, leavesChecked, readOnly, onCommit });
    this.#hasTombstones = this.#firstTombstone() !== undefined;
  }

  get(key: Buffer): Buffer | undefined {
    return this.#file.get(key);
  }
  /** WRITER-4. */
  decoded<T>(what: string, decode: () => T): T {
    return decodeStored(this.directory, what, decode);
  }
  has(key: Buffer): boolean {
    return this.#file.has(key);
  }
  /** Entries of [start, end) in key order. */
  range(range: KeyRange): Iterable<{ key: Buffer; value: Buffer }> {
    return this.#file.range(range);
  }
  keys(range: KeyRange): Iterable<Buffer> {
    return this.#file.keys(range);
  }
  /** The entry with the greatest key of [start, end]. */
  last(range: KeyRange): { key: Buffer; value: Buffer } | undefined {
    return this.#file.last(range);
  }

  /** A new id for a layer or a journal: never given before, to any caller. Commits keep some in reserve. */
  allocateId(): number {
    try {
      if (this.#idsLeft === 0) this.#file.transaction({ bytes: 0, readsRanges: false }, () => this.#reserveIds());
    } catch (error) {
      // The counter has not moved: what it would have reserved is others'.
      this.#idsLeft = 0;
      throw error;
    }
    this.#idsLeft--;
    return this.#nextId++;
  }

  /** Puts what is not of a world (programs, bases). */
  put(entries: readonly { key: Buffer; value: Buffer }[]): void {
    const { short, freeBytes } = seeSpace(this.directory);
    if (short !== undefined) throw short;
    const bytes = entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
    this.#file.transaction({ bytes, readsRanges: false, freeBytes }, () => {
      for (const { key, value } of entries) this.#file.put(key, value);
    });
  }

  /**
   * One transaction for all the sets, applied when the call returns. A stale set is refused alone (world.ACTOR_RESTARTED), as is the
   * creation of a world that exists (control.STATE_CONFLICT); a full disk refuses all (control.STORAGE_FULL) and leaves all as it was, one
   * that is nearly so those that free nothing. `space`: as it was seen in this very moment, of another file of the disk.
   */
  commit(sets: readonly WriteSet[], space?: SpaceSeen): (Error | undefined)[] {
    let refusals: (Error | undefined)[] = [];
    const hadTombstones = this.#hasTombstones;
    try {
      const { short, freeBytes } = space ?? seeSpace(this.directory);
      const bytes = this.#file.isWrittenLate ? sets.reduce((sum, set) => sum + set.bytes, 0) : 0;
      this.#file.transaction({ bytes, readsRanges: this.#hasTombstones, freeBytes }, () => {
        const done = new Map<WriteSet, Error | undefined>();
        if (short !== undefined) for (const set of sets) if (!set.freesSpace) done.set(set, short);
        for (const set of sets) this.#applyOnce(set, sets, done);
        refusals = sets.map((set) => done.get(set));
        this.#referAll(sets.filter((_, index) => refusals[index] === undefined));
        if (this.#hasTombstones) this.#sweepFor(sets.length);
        if (this.#idsLeft < tuning.idBlock / 2) this.#reserveIds();
      });
    } catch (error) {
      refusals = sets.map(() => error as Error);
      this.#idsLeft = 0;
      // Nothing was swept.
      this.#hasTombstones ||= hadTombstones;
    }
    sets.forEach((set, index) => {
      set.settle(refusals[index] === undefined ? 'applied' : 'refused');
    });
    return refusals;
  }

  /** Deletes some of what has a tombstone; true while there is more. Commits do so by the way. */
  sweep(): boolean {
    if (this.#hasTombstones) this.#file.transaction({ bytes: 0, readsRanges: true }, () => this.#sweep(tuning.sweepKeysMax));
    return this.#hasTombstones;
  }

  /**
   * Resolves when all that was committed is at the durability level of the store: a `flushed` commit is when it returns; with a log, when
   * the log has it. Rejects (world.ACTOR_RESTARTED) where the log has given the file to another owner.
   */
  async flushed(): Promise<void> {
    await this.#file.flushed();
  }

  /** Of the newest record in the file. */
  get position(): StreamPosition {
    return this.#file.position;
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
    this.#file.replay(records);
  }

  /** Makes a copy a file of its own, which changes without a log. */
  leaveStream(): void {
    if (this.#file.leaveStream()) this.#hasTombstones = this.#firstTombstone() !== undefined;
  }

  /** The data file as it is at one moment from now on. Commits continue; a close waits for it. */
  copyTo(directory: string): Promise<void> {
    return this.#file.copyTo(directory);
  }

  /** What could not be flushed is reported; a later incarnation finds what the system still writes. */
  close(): Promise<void> {
    if (this.#readOnly) return this.#file.abandon();
    return this.#file.close(() => {
      if (!this.#file.isStreamed) this.#sweepAtClose();
    });
  }

  /** In place of `close`, of a file that somebody else has now, or that was only read: nothing is deleted or flushed before. */
  abandon(): Promise<void> {
    return this.#file.abandon();
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
    const head = this.#file.get(headKey(worldId));
    if (expected === undefined) {
      if (head !== undefined) return new ServiceError('control.STATE_CONFLICT', { message: 'The world exists.', details: { worldId } });
    } else {
      const found = head === undefined ? undefined : headVersion(head);
      if (found?.incarnation !== expected.incarnation || found.commits !== expected.commits) return stale(worldId);
    }
    const { keys, values } = set;
    for (let index = 0; index < keys.length; index++) {
      const value = values[index] as Buffer | null;
      if (value === null) this.#file.remove(keys[index] as Buffer);
      else this.#file.put(keys[index] as Buffer, value);
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
    const count = (this.#file.get(key)?.readUInt32BE(0) ?? 0) + change;
    if (count > 0) {
      const value = Buffer.allocUnsafe(4);
      value.writeUInt32BE(count, 0);
      this.#file.put(key, value);
      return;
    }
    this.#file.remove(key);
    for (const kind of layerKinds) {
      const tombstone = tombstoneKey(kind, layer, 0);
      // A late transaction may read no range: what has nothing is then swept like what has.
      if (!this.#file.isLate && this.#file.firstKeys(readTombstoneKey(tombstone), 1).length === 0) continue;
      this.#file.put(tombstone, none);
      this.#hasTombstones = true;
    }
  }

  /** As much for each set, so that many that share a commit leave no more; the next commit does it where this one may read no range. */
  #sweepFor(sets: number): void {
    this.#keysDue = Math.min(this.#keysDue + sets * tuning.sweepKeysMax, tuning.sharedSetsMax * tuning.sweepKeysMax);
    if (this.#file.isLate) return;
    this.#sweep(this.#keysDue);
    this.#keysDue = 0;
  }

  #sweep(keysMax: number): void {
    let left = keysMax;
    while (left > 0) {
      const tombstone = this.#firstTombstone();
      if (tombstone === undefined) {
        this.#hasTombstones = false;
        return;
      }
      const keys = this.#file.firstKeys(readTombstoneKey(tombstone), left);
      for (const key of keys) this.#file.remove(key);
      if (keys.length < left) this.#file.remove(tombstone);
      left -= keys.length + 1;
    }
  }

  #firstTombstone(): Buffer | undefined {
    return this.#file.firstKeys(rangeOfKind(keyKinds.tombstone), 1)[0];
  }

  /** The durable counter moves by a block; ids left of the last block are never used. */
  #reserveIds(): void {
    const stored = this.#file.get(counterKey);
    this.#nextId = stored === undefined ? 1 : stored.readUInt32BE(0);
    this.#idsLeft = tuning.idBlock;
    const next = Buffer.allocUnsafe(4);
    next.writeUInt32BE(this.#nextId + tuning.idBlock, 0);
    this.#file.put(counterKey, next);
  }
}

function stale(worldId: string): ServiceError {
  return new ServiceError('world.ACTOR_RESTARTED', {
    message: 'Another incarnation of this world has written since.',
    details: { worldId },
  });
}
