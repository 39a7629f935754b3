// Which builds are quarantined, as a machine knows it that reads the catalog and does not change it. Strikes are reported to who does.
import type { CatalogReads } from '../catalog/catalog.js';
import { ClosedBuilds } from './closed-builds.js';
import type { BuildGate } from './guarded-world.js';
import type { BuildPlace } from './quarantine-records.js';

export interface FollowedQuarantinesParts {
  catalog: CatalogReads;
  strike: BuildGate['strike'];
}

export class FollowedQuarantines implements BuildGate {
  readonly strike: BuildGate['strike'];
  readonly #catalog: CatalogReads;
  /** As they were after so many commits. */
  #closed: ClosedBuilds | undefined;
  #commits = -1;

  constructor({ catalog, strike }: FollowedQuarantinesParts) {
    this.#catalog = catalog;
    this.strike = strike;
  }

  requireOpen(build: Pick<BuildPlace, 'projectId' | 'buildHash'>, how?: 'use' | 'read'): void {
    const { commits, view } = this.#catalog;
    if (this.#closed === undefined || commits !== this.#commits) {
      this.#closed = new ClosedBuilds(view);
      this.#commits = commits;
    }
    this.#closed.requireOpen(build, how);
  }
}
