// Files over a whole run: each is written beside its place and renamed, so that it is there whole or not at all. One that cannot be written
// takes along what an earlier run left in its place, which would be taken for this run's.
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Throws what the system says. */
export function writeWhole(file: string, text: string): void {
  const draft = draftOf(file);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) rmSync(file);
    throw error;
  }
}

/** JSON lines, gathered as they come. A failure is kept until somebody asks for the file: it ends no run. */
export class LinesFile {
  readonly file: string;
  readonly #draft: string;
  #descriptor: number | undefined;
  #failure: unknown;

  constructor(file: string) {
    this.file = file;
    this.#draft = draftOf(file);
    try {
      mkdirSync(dirname(file), { recursive: true });
      rmSync(file, { force: true });
      this.#descriptor = openSync(this.#draft, 'w');
    } catch (error) {
      this.#failure = error;
    }
  }

  add(line: object): void {
    if (this.#descriptor === undefined || this.#failure !== undefined) return;
    try {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    } catch (error) {
      this.#failure = error;
    }
  }

  /** Throws what the system said when a line could not be written. */
  publish(): void {
    const failure = this.#failure;
    if (failure !== undefined) {
      this.discard();
      throw failure;
    }
    this.#close();
    renameSync(this.#draft, this.file);
  }

  /** What has been gathered goes. Safe to call twice, and after `publish`. */
  discard(): void {
    this.#close();
    rmSync(this.#draft, { force: true });
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

const draftOf = (file: string): string => `${file}.${process.pid}.tmp`;
