// Copies of journals that no report holds: of a run that is under way, or whose report is gone. The archive indexes them as they grow.
import { join } from 'node:path';
import { limits } from '../contract/limits.js';
import type { JournalPlace } from './journal/archive-calls.js';
import type { ArchivePort } from './journal/archive-port.js';
import { tuning } from './tuning.js';
import { linesOf, type Readable } from './world-pages.js';

interface Mirror {
  toSequence: number;
  /** Of the one before. */
  catchingUp: Promise<void>;
}

export class JournalMirrors {
  readonly #folder: string;
  readonly #archive: ArchivePort;
  readonly #mirrors = new Map<string, Mirror>();
  /** The archive has not forgotten them yet: a new one of the same id waits. */
  readonly #dropping = new Map<string, Promise<void>>();
  #made = 0;

  constructor(folder: string, archive: ArchivePort) {
    this.#folder = folder;
    this.#archive = archive;
  }

  /** With everything the journal has now. */
  async of(id: string, world: Readable): Promise<JournalPlace> {
    let mirror = this.#mirrors.get(id);
    if (mirror === undefined) {
      mirror = { toSequence: 0, catchingUp: this.#dropping.get(id) ?? Promise.resolve() };
      this.#mirrors.set(id, mirror);
      // Where the archive has ended, the copies have ended with it.
      for (const old of [...this.#mirrors.keys()].slice(0, -tuning.mirrorsMax)) void this.drop(old).catch(() => {});
    }
    const current = mirror;
    current.catchingUp = current.catchingUp.catch(() => {}).then(() => this.#catchUp(id, world, current));
    await current.catchingUp;
    return { kind: 'mirror', id };
  }

  async drop(id: string): Promise<void> {
    const mirror = this.#mirrors.get(id);
    if (mirror === undefined) return;
    this.#mirrors.delete(id);
    const dropping = mirror.catchingUp
      .catch(() => {})
      .then(() => this.#archive.ask('dropMirror', { id }))
      .then(() => {})
      .finally(() => {
        if (this.#dropping.get(id) === dropping) this.#dropping.delete(id);
      });
    this.#dropping.set(id, dropping);
    await dropping;
  }

  async #catchUp(id: string, world: Readable, mirror: Mirror): Promise<void> {
    for (let more = true; more; ) {
      const lines: string[] = [];
      let next = mirror.toSequence + 1;
      for (let chars = 0; more && chars < tuning.mirrorBatchChars; ) {
        const page = await linesOf(world, next, limits.evidencePageEntriesMax);
        lines.push(page.lines);
        chars += page.lines.length;
        next += page.count;
        more = page.nextSequence !== undefined;
      }
      if (next === mirror.toSequence + 1 && mirror.toSequence > 0) return;
      const file = join(this.#folder, `journal-${++this.#made}.jsonl`);
      mirror.toSequence = (await this.#archive.ask('mirror', { id, file, lines: lines.join('') })).toSequence;
    }
  }
}
