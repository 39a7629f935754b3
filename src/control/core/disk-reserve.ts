// The room that a service keeps for the day its disk is full: a file of that size, so that nobody else can take it. It is given up when
// what ends work or frees room finds none, and made again when there is some. New work is refused before it comes to that.
//   DISK-RESERVE-1. Given up, it is for what was let in already and for what frees room: new work is refused as long as the disk is short.
//   DISK-RESERVE-2. It is made again only where it leaves room for new work.
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceError } from '../../contract/errors.js';
import { diskRoom, isDiskFull, shortOfRoom } from '../../files/disk-full.js';
import type { DiskFigures } from './services.js';

const fileName = 'disk-reserve';
const pieceBytes = 1024 * 1024;

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
    return shortOfRoom(this.#directory);
  }

  figures(): DiskFigures {
    return { ...diskRoom(this.#directory), reserveBytes: statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0 };
  }

  /** Whether there was something to give up. */
  release(): boolean {
    this.#isHeld = false;
    return releaseReserve(this.#directory);
  }

  /** Makes it where it is missing and there is room for it. */
  restore(): void {
    if (this.#isHeld) return;
    const { freeBytes, keptBytes } = diskRoom(this.#directory);
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

/** No file system can make them take less room than they have. */
function writeBytes(file: string, bytes: number): void {
  const piece = randomFillSync(Buffer.alloc(Math.min(bytes, pieceBytes)));
  const descriptor = openSync(file, 'w', 0o600);
  try {
    for (let done = 0; done < bytes; ) done += writeSync(descriptor, piece, 0, Math.min(piece.length, bytes - done));
  } finally {
    closeSync(descriptor);
  }
}
