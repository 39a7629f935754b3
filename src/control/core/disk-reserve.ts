// The space that a service keeps for the day its disk is full: a file of that size, so that nobody else can take it. It is released when
// what ends work or frees space finds none, and made again when there is some. New work is refused before it comes to that.
//   DISK-RESERVE-1. Once released, it is for what was let in already and for what frees space: new work is refused as long as the disk is
//     short.
//   DISK-RESERVE-2. It is made again only where it leaves space for new work.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceError } from '../../contract/errors.js';
import { diskSpace, isDiskFull, seeSpace } from '../../files/disk-full.js';
import { tuning } from '../tuning.js';
import type { DiskFigures } from './services.js';

const fileName = 'disk-reserve';

/** Before a service is there to hold it; whether there was one. */
export function releaseReserve(directory: string): boolean {
  const file = join(directory, fileName);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
  rmSync(file, { force: true });
  return true;
}

export class DiskReserve {
  readonly #directory: string;
  readonly #file: string;
  #isHeld: boolean;

  /** Of a data directory, which is there. */
  constructor(directory: string) {
    this.#directory = directory;
    this.#file = join(directory, fileName);
    this.#isHeld = statSync(this.#file, { throwIfNoEntry: false }) !== undefined;
    this.restore();
  }

  /** Why new work is refused: control.STORAGE_FULL; undefined while it is not. */
  refusal(): ServiceError | undefined {
    return seeSpace(this.#directory).short;
  }

  figures(): DiskFigures {
    return { ...diskSpace(this.#directory), reserveBytes: statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0 };
  }

  /** Whether there was something to give up. */
  release(): boolean {
    this.#isHeld = false;
    return releaseReserve(this.#directory);
  }

  /** Makes it where it is missing and there is space for it. */
  restore(): void {
    if (this.#isHeld) return;
    const { freeBytes, keptBytes } = diskSpace(this.#directory);
    if (freeBytes < 3 * keptBytes) return;
    const draft = `${this.#file}.new`;
    try {
      writeBytes(draft, keptBytes);
      renameSync(draft, this.#file);
      this.#isHeld = true;
    } catch (error) {
      rmSync(draft, { force: true });
      if (!isDiskFull(error, this.#directory)) throw error;
    }
  }
}

/** No file system can make them take less space than they have. */
function writeBytes(file: string, bytes: number): void {
  const piece = randomFillSync(Buffer.alloc(Math.min(bytes, tuning.reservePieceBytes)));
  const descriptor = openSync(file, 'w', 0o600);
  try {
    for (let done = 0; done < bytes; ) done += writeSync(descriptor, piece, 0, Math.min(piece.length, bytes - done));
  } finally {
    closeSync(descriptor);
  }
}
