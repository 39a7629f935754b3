// A catalog that another node owns, as it lies here: it follows the records of the owner's log, and is read.
//   CATALOG-COPY-1. What a record changes is applied with the position after it, whole or not at all: so the copy is at each moment what
//     the owner's file was at a record.
//   CATALOG-COPY-2. A record that is damaged, names a key of no table, or does not follow applies nothing (InvalidRecord).
// Its commits are not flushed: after another boot of the operating system the copy is made again (files/boot-mark.ts).
import { markBoot } from '../../files/boot-mark.js';
import { copyDatabase, type Database, openDatabase } from '../../files/database.js';
import { DatabaseSpace } from '../../files/database-space.js';
import { diskFull, isDiskFull } from '../../files/disk-full.js';
import { positionKey } from '../../worlds/kv/keys.js';
import { replayBatches } from '../../worlds/kv/record-replay.js';
import type { StreamPosition, StreamRecord } from '../../worlds/kv/stream-log.js';
import { encodePosition, streamStart } from '../../worlds/kv/stream-position.js';
import { requireStreamOf } from './catalog-owner.js';
import { storedSource } from './stored-source.js';
import { beginsTableKey, Reader, type View } from './tables.js';

export class CatalogCopy {
  /** What has been applied. */
  readonly view: View;
  readonly #database: Database;
  readonly #space: DatabaseSpace;
  readonly #directory: string;
  #position: StreamPosition;
  #following: Promise<void> = Promise.resolve();
  #copying: Promise<void> | undefined;
  #isClosed = false;

  readonly #onClose: (copy: CatalogCopy) => void;

  /**
   * `directory`: of the catalog (data-folder.ts); made where it is not there. control.STATE_CONFLICT for a catalog without a log.
   * `onClose`: called before its file can be read no more.
   */
  constructor(directory: string, onClose: (copy: CatalogCopy) => void = () => {}) {
    this.#onClose = onClose;
    this.#database = openDatabase({ directory, flushed: false });
    this.#space = new DatabaseSpace(this.#database, directory);
    this.#directory = directory;
    this.#position = requireStreamOf(this.#database, { directory, hasLog: true }) ?? streamStart;
    this.view = new Reader(storedSource({ database: this.#database, directory }));
  }

  /** Of the newest record that was applied. */
  get position(): StreamPosition {
    return this.#position;
  }

  /** As those of a catalog: another number after each record. */
  get commits(): number {
    return this.#position.number;
  }

  /** Applies records in order. Rejects for one that cannot be: what was before it is applied, of it nothing is. */
  follow(records: readonly StreamRecord[]): Promise<void> {
    const following = this.#following.then(() => this.#apply(records));
    this.#following = following.catch(() => {});
    return following;
  }

  /** The data file as it is at one moment from now on, in a folder of its own. */
  async copyTo(directory: string): Promise<void> {
    this.#copying = copyDatabase(this.#database, directory);
    await this.#copying;
  }

  /** Nothing is read of it any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  async close(): Promise<void> {
    this.#onClose(this);
    this.#isClosed = true;
    await this.#following;
    await this.#copying?.catch(() => {});
    await this.#database.close();
  }

  async #apply(records: readonly StreamRecord[]): Promise<void> {
    if (this.#position.number === 0) markBoot(this.#directory);
    for (const { changes, bytes, position } of replayBatches(this.#position, records, beginsTableKey)) {
      try {
        this.#space.require({ changes: changes.length, bytes });
        this.#database.transactionSync(() => {
          for (const { key, value } of changes) {
            if (value === null) this.#database.removeSync(key);
            else this.#database.putSync(key, value);
          }
          this.#database.putSync(positionKey, encodePosition(position));
        });
      } catch (error) {
        throw isDiskFull(error, this.#directory) ? diskFull(error) : error;
      }
      this.#position = position;
      // A long log leaves time to others between its batches.
      await new Promise(setImmediate);
    }
  }
}
