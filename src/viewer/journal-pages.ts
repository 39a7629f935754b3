// A journal, whole or filtered, as much of it as is looked at: pages by position (from 1), fetched once, the least recently used dropped.
//   JOURNAL-PAGES-1. A page is asked for once, however many rows of it are wanted; a page that was not full is asked for again once the
//     journal has grown. Who asks for an entry that a page lacks which was asked for before gets it from the page as it is now.
//   JOURNAL-PAGES-2. At most `journalPagesMax` pages are kept, so that scrolling through a million entries does not fill the memory.
import { LruMap } from '../collections/lru-map.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import { tuning } from './tuning.js';

export type LoadPage = (fromPosition: number, limit: number) => Promise<EvidenceEntry[]>;

export class JournalPages {
  readonly #load: LoadPage;
  readonly #listeners = new Set<() => void>();
  readonly #pages = new LruMap<number, EvidenceEntry[]>({ entriesMax: tuning.journalPagesMax });
  readonly #loading = new Map<number, Promise<EvidenceEntry[]>>();

  constructor(load: LoadPage) {
    this.#load = load;
  }

  /** Called whenever entries have arrived, until the function that it returns is called. */
  onArrival(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The entry if it is here. Asks for nothing. */
  peek(position: number): EvidenceEntry | undefined {
    return this.#pages.peek(pageOf(position))?.[(position - 1) % tuning.journalPageEntries];
  }

  /** Fetches the pages that positions from..to lie on, if they are not here. */
  want(from: number, to: number): void {
    for (let page = pageOf(from); page <= pageOf(to); page++) {
      const here = this.#pages.peek(page);
      const lastWanted = Math.min(to, (page + 1) * tuning.journalPageEntries);
      const count = lastWanted - page * tuning.journalPageEntries;
      if (here === undefined || here.length < count) this.#reach(page, count).catch(() => undefined);
      // Used: it stays.
      else this.#pages.get(page);
    }
  }

  async entry(position: number): Promise<EvidenceEntry | undefined> {
    const place = (position - 1) % tuning.journalPageEntries;
    return this.peek(position) ?? (await this.#reach(pageOf(position), place + 1))[place];
  }

  /** Entries from..to (both included), as far as there are any. */
  async range(from: number, to: number): Promise<EvidenceEntry[]> {
    const entries: EvidenceEntry[] = [];
    for (let page = pageOf(from); page <= pageOf(to); page++) {
      const here = this.#pages.peek(page);
      const count = Math.min(to - page * tuning.journalPageEntries, tuning.journalPageEntries);
      entries.push(...(here !== undefined && here.length >= count ? here : await this.#reach(page, count)));
    }
    const skipped = pageOf(from) * tuning.journalPageEntries + 1;
    return entries.slice(Math.max(from, 1) - skipped, to - skipped + 1);
  }

  /** The page with so many entries at least, if it has them by now. */
  async #reach(page: number, count: number): Promise<EvidenceEntry[]> {
    const pending = this.#loading.get(page);
    const entries = await (pending ?? this.#fetch(page));
    return pending !== undefined && entries.length < count ? await this.#fetch(page) : entries;
  }

  #fetch(page: number): Promise<EvidenceEntry[]> {
    const pending = this.#loading.get(page);
    if (pending !== undefined) return pending;
    const request = this.#load(page * tuning.journalPageEntries + 1, tuning.journalPageEntries)
      .then((entries) => {
        this.#pages.set(page, entries);
        for (const listener of this.#listeners) listener();
        return entries;
      })
      .finally(() => this.#loading.delete(page));
    this.#loading.set(page, request);
    return request;
  }
}

const pageOf = (position: number): number => Math.floor((Math.max(position, 1) - 1) / tuning.journalPageEntries);
