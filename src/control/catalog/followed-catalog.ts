// The catalog as this machine has it at the moment, for readers that outlive its moves: the copy that follows another's log, or the catalog
// itself while it is this machine's. Between the two there is none for a moment.
//   FOLLOWED-CATALOG-1. Nothing is read from a file that is being closed: it is refused with control.UNAVAILABLE.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { CatalogReads } from './catalog.js';
import type { View } from './tables.js';

export class FollowedCatalog implements CatalogReads {
  readonly view: View = {
    get: (table, id) => this.#require().view.get(table, id),
    list: (table, request) => this.#require().view.list(table, request),
    count: (table, place) => this.#require().view.count(table, place),
    scan: (table, page) => this.#require().view.scan(table, page),
    lastId: (table) => this.#require().view.lastId(table),
  };
  #source: CatalogReads | undefined;
  /** What `commits` was when the present source came, and what that said of itself. */
  #base = 0;
  #sourceBase = 0;

  get isThere(): boolean {
    return this.#source !== undefined;
  }

  /** Never the same number for two states, of two sources either. */
  get commits(): number {
    return this.#base + (this.#source === undefined ? 0 : this.#source.commits - this.#sourceBase);
  }

  /** From now on it is read. */
  follow(source: CatalogReads): void {
    this.#base = this.commits + 1;
    this.#source = source;
    this.#sourceBase = source.commits;
  }

  /** It can be read no more. */
  leave(source: CatalogReads): void {
    if (this.#source !== source) return;
    this.#base = this.commits + 1;
    this.#source = undefined;
  }

  #require(): CatalogReads {
    if (this.#source !== undefined) return this.#source;
    throw new ServiceError('control.UNAVAILABLE', {
      message: 'The catalog of this machine is changing its owner.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    });
  }
}
