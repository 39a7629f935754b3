// The space on the disk that a transaction may need, before LMDB writes it.
//   DATABASE-SPACE-1. lmdb-js describes a write that found no space in 100 bytes of memory, which the description may exceed: the process
//     ends by it sooner or later. So on a disk that is short of space writes of this project give the data file what a transaction may
//     need, and a transaction that cannot have it is refused.
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { type Database, dataFileOf } from './database.js';
import { diskSpace } from './disk-full.js';
import { fillHoles } from './holes.js';
import { tuning } from './tuning.js';

/** What a transaction changes, or more. */
export interface TransactionChanges {
  changes: number;
  /** Of the keys and values that it puts. */
  bytes: number;
  /** Of the disk, where it was seen a moment ago. */
  freeBytes?: number | undefined;
}

export class DatabaseSpace {
  readonly #database: Database;
  readonly #directory: string;
  /** Of the file when its holes were filled. */
  #filledBytes = 0;

  constructor(database: Database, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Within a transaction that has written nothing yet, or before it. Throws as a write of the file does, and has changed nothing then. */
  require({ changes, bytes, freeBytes = diskSpace(this.#directory).freeBytes }: TransactionChanges): void {
    // Each page on the way to a changed key is written again, in another place.
    const pathBytes = changes * tuning.pathPagesMax * tuning.madePageBytes;
    if (freeBytes > tuning.amplySpacedBytes + pathBytes + 2 * bytes) return;
    const { lastPageNumber, pageSize } = this.#database.getStats() as { lastPageNumber: number; pageSize: number };
    const usedBytes = (lastPageNumber + 1) * pageSize;
    const newBytes = Math.min(pathBytes, usedBytes) + 2 * bytes + tuning.transactionPages * pageSize;
    this.#extend(usedBytes + newBytes);
  }

  #extend(toBytes: number): void {
    const file = dataFileOf(this.#directory);
    const { size, blocks } = statSync(file);
    const hasHoles = blocks * 512 < size && size !== this.#filledBytes;
    if (size >= toBytes && !hasHoles) return;
    const descriptor = openSync(file, 'r+');
    try {
      // A page that LMDB took and did not need was never written.
      if (hasHoles) fillHoles(descriptor, size);
      const piece = Buffer.alloc(tuning.filledPieceBytes);
      for (let at = size; at < toBytes; ) at += writeSync(descriptor, piece, 0, Math.min(piece.length, toBytes - at), at);
      this.#filledBytes = Math.max(size, toBytes);
    } finally {
      closeSync(descriptor);
    }
  }
}
