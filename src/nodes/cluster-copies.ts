// The copies of data files that a node has open: those that were used last.
//   CLUSTER-COPIES-1. A data file is open once, and a copy that is closing is closed before the same file is opened again.
import { tuning } from '../cluster/tuning.js';
import type { StreamPosition, StreamRecord } from '../worlds/kv/stream-log.js';
import type { TailRecord } from '../worlds/kv/stream-position.js';
import { KvWriter } from '../worlds/kv/writer.js';

/** A data file that follows its stream. The catalog's is control's (control/catalog/catalog-copy.ts). */
export interface CatalogCopyFile {
  readonly position: StreamPosition;
  /** Applies records in order; rejects with InvalidRecord for one that is damaged or does not follow. */
  follow(records: readonly StreamRecord[]): Promise<void>;
  /** The data file at one moment, in a folder that it makes. */
  copyTo(directory: string): Promise<void>;
  close(): Promise<void>;
}
export interface CopyFile extends CatalogCopyFile {
  readonly directory: string;
  /** Others read it as well: it is open until it is closed. */
  readonly isKept: boolean;
  /** Records that the log may not have. */
  tail(): TailRecord[];
}

export class OpenCopies {
  readonly #openCatalog: (directory: string) => CatalogCopyFile;
  /** By folder, the one that was used last at the end. */
  readonly #open = new Map<string, CopyFile>();
  readonly #closing = new Map<string, Promise<void>>();

  readonly #openMax: number;

  constructor(openCatalog: (directory: string) => CatalogCopyFile, { openMax = tuning.copiesOpenMax }: { openMax?: number } = {}) {
    this.#openCatalog = openCatalog;
    this.#openMax = openMax;
  }

  /** To be used at once: it may be closed when others are opened. */
  async of(home: number, directory: string): Promise<CopyFile> {
    await this.#closing.get(directory);
    const copy = this.#open.get(directory) ?? this.#opened(home, directory);
    this.#open.delete(directory);
    this.#open.set(directory, copy);
    for (const [other, { isKept }] of this.#open) {
      if (this.#open.size <= this.#openMax) break;
      if (!isKept) void this.close(other).catch(() => {});
    }
    return copy;
  }

  close(directory: string): Promise<void> {
    const copy = this.#open.get(directory);
    if (copy === undefined) return this.#closing.get(directory) ?? Promise.resolve();
    this.#open.delete(directory);
    const closed = copy.close().finally(() => this.#closing.delete(directory));
    this.#closing.set(directory, closed);
    return closed;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((directory) => this.close(directory)));
    await Promise.all(this.#closing.values());
  }

  #opened(home: number, directory: string): CopyFile {
    if (home !== 0) return new WorldsCopy(directory);
    const catalog = this.#openCatalog(directory);
    return {
      directory,
      isKept: true,
      get position() {
        return catalog.position;
      },
      tail: () => [],
      follow: (records) => catalog.follow(records),
      copyTo: (into) => catalog.copyTo(into),
      close: () => catalog.close(),
    };
  }
}

class WorldsCopy implements CopyFile {
  readonly isKept = false;
  readonly #file: KvWriter;

  constructor(readonly directory: string) {
    this.#file = KvWriter.open({ directory, durability: 'committed', leavesChecked: false });
  }
  get position(): StreamPosition {
    return this.#file.position;
  }
  tail(): TailRecord[] {
    return this.#file.tail();
  }
  async follow(records: readonly StreamRecord[]): Promise<void> {
    this.#file.replay(records);
  }
  copyTo(into: string): Promise<void> {
    return this.#file.copyTo(into);
  }
  close(): Promise<void> {
    return this.#file.abandon();
  }
}
