// The catalog: every hosted resource, in one data file (LMDB) that only this process writes. Why: docs/decisions/004.
//   CATALOG-1. A change is applied whole or not at all: its function runs to its end before anything is kept, and what it wrote commits
//     together.
//   CATALOG-2. `change` resolves when what it wrote, and whatever it may have read, is on the disk. `view` sees only what is on the disk.
//     With a log, what is in the log counts as on the disk once it is in the file.
//   CATALOG-3. Changes see each other in order at once, in memory; each flush takes with it all that has come by then (group commit).
//   CATALOG-4. When a flush fails, for any reason, everything that is not on the disk is refused together, because later changes may
//     rest on earlier ones.
//   CATALOG-5. With a log, a flush is appended before it is put into the file. When it is lost, or the file cannot follow, every later
//     change is refused, too: only another incarnation knows what the log has.
//   CATALOG-6. With readers, a change of their tables resolves when they have seen it, or work no more before they have.
import { within } from '../../async/deadline.js';
import { ServiceError } from '../../contract/errors.js';
import { markBoot } from '../../files/boot-mark.js';
import { copyDatabase, type Database, openDatabase } from '../../files/database.js';
import { beforeExit } from '../../files/database-exit.js';
import { DatabaseSpace } from '../../files/database-space.js';
import { diskFull, isDiskFull } from '../../files/disk-full.js';
import { compareTexts } from '../../text/compare-texts.js';
import { positionKey } from '../../worlds/kv/keys.js';
import type { StreamLog, StreamPosition } from '../../worlds/kv/stream-log.js';
import { encodePosition, streamStart } from '../../worlds/kv/stream-position.js';
import { tuning } from '../tuning.js';
import { requireStreamOf } from './catalog-owner.js';
import { CatalogStream } from './catalog-stream.js';
import { KeptRecords } from './kept-records.js';
import { type CatalogRange, PendingWrites } from './pending-writes.js';
import { holdsNothing, keyBytes, storedKeys } from './stored-source.js';
import { type Change, Draft, type PutWatcher, Reader, type RecordSource, type View } from './tables.js';

export interface CatalogOptions {
  directory: string;
  /** Called before every flush: a test throws here what a full disk would. */
  onCommit?: () => void;
  /** The whole file has been checked since this process began. Default false. */
  checked?: boolean;
  /** Called when a flush finds the disk full; true where that has freed space, and the flush is tried once more. */
  freeSpace?: () => boolean;
  /** Where every flush is appended first; the file's position is in it. Default: none, and the file alone is what lasts. */
  log?: StreamLog;
  /** The log has given the catalog to another owner, or the file could not follow it (`cause`). Called once. */
  onLost?: (cause?: unknown) => void;
  /** Who reads a copy of it, and what they must have seen before a change is answered. Default: nobody does. */
  readers?: CatalogReaders | undefined;
}
export interface CatalogReaders {
  /** By name: tables of which no reader may work by an older state than what was acknowledged. */
  readonly tables: ReadonlySet<string>;
  /** Resolves when every reader has the record of this number, or works no more before it has. Never rejects. */
  caughtUp(number: number): Promise<void>;
}
/** What of a catalog is needed to read it. `commits` is another number after each that changed something. */
export type CatalogReads = Pick<Catalog, 'view' | 'commits'>;
export interface CatalogHealth {
  /** Why the last flush failed; undefined when it did not. */
  refuses: 'disk_full' | 'catalog_refuses' | undefined;
  /** How long the flush under way has taken; 0 when there is none. */
  lagMs: number;
}
interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

export class Catalog {
  /** What is on the disk. */
  readonly view: View;
  readonly #database: Database;
  readonly #space: DatabaseSpace;
  readonly #directory: string;
  readonly #onCommit: () => void;
  readonly #freeSpace: () => boolean;
  readonly #stream: CatalogStream | undefined;
  readonly #readers: CatalogReaders | undefined;
  /** What the flush under way writes, and what the next one will. */
  #flushing = new PendingWrites();
  #next = new PendingWrites();
  readonly #kept: KeptRecords;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  readonly #watchers = new Set<PutWatcher>();
  #copying: Promise<void> | undefined;
  #commits = 0;
  #flushSinceMs: number | undefined;
  #refuses: CatalogHealth['refuses'];
  #closed = false;

  constructor(options: CatalogOptions) {
    const { directory, onCommit = () => {}, freeSpace = () => false, checked = false, log, onLost = () => {}, readers } = options;
    this.#database = openDatabase({ directory, flushed: log === undefined, leavesChecked: !checked });
    this.#space = new DatabaseSpace(this.#database, directory);
    const position = requireStreamOf(this.#database, { directory, hasLog: log !== undefined });
    if (log !== undefined) {
      if (position === undefined) markBoot(directory);
      this.#stream = new CatalogStream({ log, position: position ?? streamStart, onLost });
    }
    this.#kept = new KeptRecords({ database: this.#database, directory });
    this.#directory = directory;
    this.#onCommit = onCommit;
    this.#freeSpace = freeSpace;
    this.#readers = readers;
    this.view = new Reader(this.#source([]));
  }

  /** Flushes so far. */
  get commits(): number {
    return this.#commits;
  }

  /** Nothing is on the disk. */
  get isEmpty(): boolean {
    return holdsNothing(this.#database);
  }

  /** Of the file in its log; undefined where it has none. */
  get position(): StreamPosition | undefined {
    return this.#stream?.position;
  }

  get health(): CatalogHealth {
    return { refuses: this.#refuses, lagMs: this.#flushSinceMs === undefined ? 0 : performance.now() - this.#flushSinceMs };
  }

  /** Runs at once, synchronously; resolves with what it returned when that is durable. A throw of the function changes nothing. */
  async change<T>(work: (tx: Change) => T): Promise<T> {
    this.#requireOpen();
    this.#stream?.requireOwn();
    const writes = new PendingWrites();
    const draft = new Draft(this.#source([writes, this.#next, this.#flushing]), writes, this.#watchers);
    const result = work(draft);
    this.#stream?.take(writes);
    this.#next.add(writes);
    if (!this.#next.isEmpty || !this.#flushing.isEmpty) await this.#durable();
    for (const follow of draft.followers) follow();
    await this.#seenByReaders(draft);
    return result;
  }

  async #seenByReaders({ tables }: Draft): Promise<void> {
    const [readers, position] = [this.#readers, this.position];
    if (readers === undefined || position === undefined) return;
    for (const name of tables) if (readers.tables.has(name)) return await readers.caughtUp(position.number);
  }

  /** Until the returned function is called. What earlier changes put is on the disk once a change begun now has resolved. */
  watch(watcher: PutWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** What is on the disk at one moment from now on, in a folder of its own. Changes continue. */
  async copyTo(directory: string): Promise<void> {
    this.#requireOpen();
    this.#copying = copyDatabase(this.#database, directory);
    await this.#copying;
  }

  /** Lets what was changed reach the disk, then closes. What is asked afterwards is refused: control.UNAVAILABLE. */
  async close(): Promise<void> {
    if (this.#closed) return;
    while (this.#running !== undefined) await this.#running;
    this.#closed = true;
    await this.#copying?.catch(() => {});
    await this.#database.close();
  }

  #requireOpen(): void {
    if (this.#closed) throw new ServiceError('control.UNAVAILABLE', { message: 'The server has shut down.' });
  }

  #durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#running ??= this.#flushAll();
    });
  }

  async #flushAll(): Promise<void> {
    // The changes of this turn of the event loop travel together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#flushing = this.#next;
      this.#next = new PendingWrites();
      this.#kept.leaveOut(this.#flushing);
      try {
        this.#flushSinceMs = performance.now();
        if (!this.#flushing.isEmpty) {
          await this.#writeOrFreeSpace(this.#flushing);
          this.#refuses = undefined;
          this.#kept.take(this.#flushing);
        }
        this.#flushing = new PendingWrites();
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        const lost = [...waiting, ...this.#waiting];
        this.#waiting = [];
        this.#flushing = new PendingWrites();
        this.#next = new PendingWrites();
        this.#refuses = isDiskFull(error, this.#directory) ? 'disk_full' : 'catalog_refuses';
        for (const { reject } of lost) reject(refusalOf(error, this.#directory));
      }
      this.#flushSinceMs = undefined;
    }
    this.#running = undefined;
  }

  async #writeOrFreeSpace(writes: PendingWrites): Promise<void> {
    const position = await this.#stream?.append(writes);
    try {
      await this.#write(writes, position).catch(async (error) => {
        if (!isDiskFull(error, this.#directory) || !this.#freeSpace()) throw error;
        await this.#write(writes, position);
      });
    } catch (error) {
      // The log has it, and the file has not.
      throw this.#stream?.lose(error) ?? error;
    }
    if (position !== undefined) this.#stream?.moveTo(position);
  }

  async #write(writes: PendingWrites, position: StreamPosition | undefined): Promise<void> {
    this.#onCommit();
    this.#space.require(writes.size);
    const body = (): void => {
      for (const [key, value] of writes.entries()) {
        if (value === null) this.#database.remove(keyBytes(key));
        else this.#database.put(keyBytes(key), value);
      }
      if (position !== undefined) this.#database.put(positionKey, encodePosition(position));
    };
    const written = beforeExit(() => this.#database.transaction(body));
    // A promise of its own rejects with the reason for which a commit failed. For some numbers of errors (EPERM) lmdb-js never does.
    await written.catch(async (error: { commitError?: Promise<never> }) => {
      if (error.commitError !== undefined) await within(tuning.commitReasonWaitMs, error.commitError);
      throw error;
    });
    this.#commits += 1;
  }

  /** `layers`: what is pending, the newest first. */
  #source(layers: readonly PendingWrites[]): RecordSource {
    return {
      get: (key, isOneOfMany) => {
        this.#requireOpen();
        for (const layer of layers) {
          const record = layer.records.get(key);
          if (record !== undefined) return record?.value;
        }
        return this.#kept.get(key, { keeps: !isOneOfMany && !this.#flushing.records.has(key) });
      },
      keys: (range) => this.#keys(range, layers),
    };
  }

  *#keys(range: CatalogRange, layers: readonly PendingWrites[]): Generator<string> {
    this.#requireOpen();
    const { reverse } = range;
    const pending = pendingIn(layers, range);
    if (reverse) pending.reverse();
    const precedes = (left: string, right: string): boolean => (reverse ? left > right : left < right);
    let index = 0;
    for (const key of storedKeys(this.#database, range)) {
      for (; index < pending.length && precedes(pending[index]![0], key); index++) if (pending[index]![1]) yield pending[index]![0];
      if (index < pending.length && pending[index]![0] === key) {
        if (pending[index]![1]) yield key;
        index++;
      } else {
        yield key;
      }
    }
    for (; index < pending.length; index++) if (pending[index]![1]) yield pending[index]![0];
  }
}

/** Keys of the range that are pending, in order, each with whether it stays. */
function pendingIn(layers: readonly PendingWrites[], range: CatalogRange): [string, boolean][] {
  const found = new Map<string, boolean>();
  for (const layer of layers) {
    for (const [key, stays] of layer.within(range)) if (!found.has(key)) found.set(key, stays);
  }
  return [...found].sort(([left], [right]) => compareTexts(left, right));
}

function refusalOf(error: unknown, directory: string): unknown {
  return isDiskFull(error, directory) ? diskFull(error) : error;
}
