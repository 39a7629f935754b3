// The catalog as it lies on a node of a cluster: a copy that follows, or the catalog itself while this node leads.
import { pause } from '../async/pause.js';
import { steadyClock } from '../cluster/clock.js';
import { limits } from '../contract/limits.js';
import type { Catalog } from '../control/catalog/catalog.js';
import { CatalogCopy } from '../control/catalog/catalog-copy.js';
import type { FollowedCatalog } from '../control/catalog/followed-catalog.js';
import type { SpreadHomes } from '../control/open-control.js';
import type { ClusterKeeper } from './cluster-keeper.js';

export class ClusterCatalog {
  readonly #followed: FollowedCatalog;
  #here: CatalogCopy | Catalog | undefined;
  #isOwn = false;
  /** Called when it is not there any more. */
  #whenGone = (): void => {};

  /** `followed`: what is read of it here. */
  constructor(followed: FollowedCatalog) {
    this.#followed = followed;
  }

  /** It is no copy. */
  get isOwn(): boolean {
    return this.#isOwn;
  }
  /** Of the newest record that can be read here. */
  get number(): number {
    return this.#here?.position?.number ?? 0;
  }

  /** Resolves when it can be read here, or has not come within limits.ownerWaitMs. Between two owners nobody has it for a moment. */
  async untilThere(): Promise<void> {
    for (const untilMs = steadyClock.now() + limits.ownerWaitMs; !this.#followed.isThere && steadyClock.now() < untilMs; )
      await pause(limits.clusterLookMs);
  }

  openCopy(directory: string): CatalogCopy {
    const copy = new CatalogCopy(directory, (closed) => {
      this.#followed.leave(closed);
      if (this.#here === closed) this.#leave();
    });
    this.#here = copy;
    this.#followed.follow(copy);
    return copy;
  }

  /** A copy is opened by the first record that it follows; where none comes, it is read all the same. */
  async keepOpen(keeper: ClusterKeeper, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      // The next look tries again.
      if (this.#here === undefined) await keeper.openCatalog().catch(() => {});
      await pause(limits.clusterLookMs);
      if (this.#here !== undefined) await new Promise<void>((gone) => (this.#whenGone = gone));
    }
  }

  #leave(): void {
    this.#here = undefined;
    this.#isOwn = false;
    this.#whenGone();
  }

  /** The same; what it opens is the catalog here as long as it is open. */
  watched({ open, close }: SpreadHomes): SpreadHomes {
    return {
      open: (ground) => {
        const opened = open(ground);
        [this.#here, this.#isOwn] = [ground.catalog, true];
        return opened;
      },
      close: (catalog) => {
        close(catalog);
        if (this.#here === catalog) this.#leave();
      },
    };
  }
}
