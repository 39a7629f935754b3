// The builds of a catalog that are quarantined, in memory: every call of a world asks.
//   CLOSED-BUILDS-1. A build whose quarantine is damaged is closed, for reads too: what it says is not known. No other build is.
import type { BuildQuarantine } from '../../contract/hosted/source.js';
import { everyListed, type OnDamage, type View } from '../catalog/tables.js';
import { type BuildPlace, buildKeyOf, type QuarantineRecord, quarantined, quarantineTable } from './quarantine-records.js';

type BuildName = Pick<BuildPlace, 'projectId' | 'buildHash'>;

export class ClosedBuilds {
  /** By build key. */
  readonly #closed = new Map<string, BuildQuarantine | { damage: unknown }>();

  constructor(view: View, onDamage?: OnDamage) {
    const damaged: OnDamage = (id, damage) => {
      this.#closed.set(id, { damage });
      onDamage?.(id, damage);
    };
    for (const record of everyListed(view, quarantineTable, { index: 'closed', prefix: [], onDamage: damaged })) this.keep(record);
  }

  get count(): number {
    return this.#closed.size;
  }

  /** world.BUILD_QUARANTINED for a build that is; StoredDamage. `read`: what runs no tool code that has not run already. */
  requireOpen(build: BuildName, how: 'use' | 'read' = 'use'): void {
    // Nearly always nothing is closed.
    if (this.#closed.size === 0) return;
    const found = this.#closed.get(buildKeyOf(build));
    if (found === undefined) return;
    if ('damage' in found) throw found.damage;
    if (how === 'use' || found.readsRefused) throw quarantined(found);
  }

  keep(record: QuarantineRecord): void {
    const { quarantine } = record;
    if (quarantine?.state === 'quarantined') this.#closed.set(buildKeyOf(record), quarantine);
    else this.forget(record);
  }

  forget(build: BuildName): void {
    this.#closed.delete(buildKeyOf(build));
  }
}
