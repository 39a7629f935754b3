// The step board: a page on which a host notes what it is about to run, so that a watcher knows, even of a host that is stuck
// or dead, which message it was running, since when, and which messages it had begun at all.
// A thread's page is a SharedArrayBuffer; a process's is an unlinked file both sides hold open (a blocked loop sends no messages, and what
// is written to a file survives the abort of its writer; one write a step, about 1 us).
//   BOARD-1. A slot's record is written before the first step of its message, and again before every later one.
//   BOARD-2. The record with the highest serial is the present step; slot 0 means that nothing runs.
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { closeSection, sectionBytes, useSection } from '../async/critical-section.js';
import { limits } from '../contract/limits.js';
import { makeMemoryFolder } from '../files/memory-folder.js';

/** Slots that are no message: nothing at all, the host's own work, a commit. */
const restSlot = 0;
export const hostWorkSlot = 1;
export const commitSlot = 2;
export const firstCallSlot = 3;

const slots = firstCallSlot + limits.hostMessagesMax;
/** A record: stamp of the message, serial of the step, monotonic ms at its start. */
const recordWords = 3;
const recordBytes = recordWords * Float64Array.BYTES_PER_ELEMENT;
const pageBytes = slots * recordBytes;

export interface RunningStep {
  slot: number;
  stamp: number;
  sinceMs: number;
}

/**
 * What a host is handed: shared memory, the thread's critical section behind the records, or the number of the inherited file descriptor.
 */
export type BoardPage = { kind: 'shared'; buffer: SharedArrayBuffer } | { kind: 'file'; fd: number };

export function createSharedPage(): BoardPage & { kind: 'shared' } {
  return { kind: 'shared', buffer: new SharedArrayBuffer(pageBytes + sectionBytes) };
}
/**
 * Unlinked at once: nobody else can open it and nothing is left behind. In memory if it can be: a host whose steps cannot be noted, because
 * the disk is full, could run none. `lastResort`: of makeMemoryFolder.
 */
export function createFilePage({ lastResort }: { lastResort?: string | undefined } = {}): BoardPage & { kind: 'file' } {
  const folder = makeMemoryFolder(lastResort);
  try {
    return { kind: 'file', fd: openSync(join(folder, 'board'), 'w+', 0o600) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds on the clock that all threads and processes of a machine share. */
export function monotonicMs(): number {
  return monotonicOffsetMs + performance.now();
}
const [bootSeconds, bootNanoseconds] = process.hrtime();
const monotonicOffsetMs = bootSeconds * 1e3 + bootNanoseconds / 1e6 - performance.now();

/** A thread's critical section lies behind its records. */
export function useSectionOf(page: BoardPage): void {
  if (page.kind === 'shared') useSection(new Int32Array(page.buffer, pageBytes, 1));
}

/** The host's side. */
export class BoardWriter {
  readonly #words: Float64Array;
  readonly #fd: number | undefined;
  #serial = 0;

  constructor(page: BoardPage) {
    if (page.kind === 'shared') {
      this.#words = new Float64Array(page.buffer, 0, slots * recordWords);
    } else {
      this.#words = new Float64Array(recordWords);
      this.#fd = page.fd;
    }
  }

  begin(slot: number, stamp: number, nowMs: number): void {
    const words = this.#words;
    const at = this.#fd === undefined ? slot * recordWords : 0;
    words[at] = stamp;
    words[at + 2] = nowMs;
    words[at + 1] = ++this.#serial;
    if (this.#fd !== undefined) writeSync(this.#fd, words, 0, recordBytes, slot * recordBytes);
  }

  rest(): void {
    this.begin(restSlot, 0, 0);
  }
}

/** The watcher's side. */
export class BoardReader {
  readonly #page: BoardPage;
  readonly #words: Float64Array;

  constructor(page: BoardPage) {
    this.#page = page;
    this.#words = page.kind === 'shared' ? new Float64Array(page.buffer, 0, slots * recordWords) : new Float64Array(slots * recordWords);
  }

  /** Brings what is read below up to date, for slots under `slotsUsed`. */
  refresh(slotsUsed: number): void {
    if (this.#page.kind === 'file') readSync(this.#page.fd, this.#words, 0, slotsUsed * recordBytes, 0);
  }

  /** The step a host is in, among the slots under `slotsUsed`. */
  running(slotsUsed: number): RunningStep | undefined {
    const words = this.#words;
    let latest = 0;
    let serial = words[1]!;
    for (let slot = 1; slot < slotsUsed; slot++) {
      const own = words[slot * recordWords + 1]!;
      if (own > serial) [latest, serial] = [slot, own];
    }
    if (latest === restSlot) return undefined;
    return { slot: latest, stamp: words[latest * recordWords]!, sinceMs: words[latest * recordWords + 2]! };
  }

  /** Whether the host has begun the message `stamp` in `slot`. */
  begun(slot: number, stamp: number): boolean {
    return this.#words[slot * recordWords] === stamp;
  }

  /** Makes sure that the host is ended outside of its critical section; false while it is inside. */
  closeSection(): boolean {
    return this.#page.kind === 'file' || closeSection(new Int32Array(this.#page.buffer, pageBytes, 1));
  }

  close(): void {
    if (this.#page.kind === 'file') closeSync(this.#page.fd);
  }
}
