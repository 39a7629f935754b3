// Which builds are quarantined, as a machine knows it that reads the catalog and does not change it. Strikes are reported to who does.
import type { BuildQuarantine } from '../../contract/hosted/source.js';
import type { CatalogReads } from '../catalog/catalog.js';
import { everyListed } from '../catalog/tables.js';
import type { BuildGate } from './guarded-world.js';
import { type BuildPlace, buildKeyOf, quarantined, quarantineTable } from './quarantine-records.js';

export interface FollowedQuarantinesParts {
  catalog: CatalogReads;
  strike: BuildGate['strike'];
}

export class FollowedQuarantines implements BuildGate {
  readonly strike: BuildGate['strike'];
  readonly #catalog: CatalogReads;
  /** By build key, as they were after so many commits. */
  #closed: ReadonlyMap<string, BuildQuarantine> = new Map();
  #commits = -1;

  constructor({ catalog, strike }: FollowedQuarantinesParts) {
    this.#catalog = catalog;
    this.strike = strike;
  }

  requireOpen(build: Pick<BuildPlace, 'projectId' | 'buildHash'>, how: 'use' | 'read' = 'use'): void {
    const { commits } = this.#catalog;
    if (commits !== this.#commits) {
      this.#closed = new Map(
        [...everyListed(this.#catalog.view, quarantineTable, { index: 'closed', prefix: [] })].flatMap((record) =>
          record.quarantine === undefined ? [] : [[buildKeyOf(record), record.quarantine] as const],
        ),
      );
      this.#commits = commits;
    }
    const found = this.#closed.get(buildKeyOf(build));
    if (found !== undefined && (how === 'use' || found.readsRefused)) throw quarantined(found);
  }
}
