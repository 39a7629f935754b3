// Which builds are quarantined. The records are the catalog's (quarantine-records.ts); in memory is what every call of a world asks.
//   QUARANTINES-1. What is in memory is on the disk.
//   QUARANTINES-2. A strike is counted for the build of the session whose world was at work, in the session's own project.
import type { BuildQuarantine } from '../../contract/hosted/source.js';
import { newId } from '../../contract/ids.js';
import { auditTable } from '../catalog/audit-records.js';
import type { Catalog } from '../catalog/catalog.js';
import { sessionTable } from '../catalog/session-records.js';
import type { ControlSettings } from '../catalog/settings.js';
import type { Change } from '../catalog/tables.js';
import { ClosedBuilds } from './closed-builds.js';
import type { BuildGate } from './guarded-world.js';
import { type BuildPlace, buildKeyOf, type QuarantineRecord, quarantineTable, type Strike, struck } from './quarantine-records.js';

export interface QuarantineParts {
  catalog: Pick<Catalog, 'view' | 'change'>;
  bounds: ControlSettings['quarantine'];
  nowMs(): number;
  log: { warn(message: string, fields?: object): void; error(message: string, fields?: object): void };
}

export class Quarantines implements BuildGate {
  readonly #parts: QuarantineParts;
  readonly #closed: ClosedBuilds;

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
    this.#closed = new ClosedBuilds(parts.catalog.view, (id, err) =>
      parts.log.error('what is stored of a quarantine is damaged; its build stays closed', { id, err }),
    );
  }

  /** How many builds are quarantined. */
  get count(): number {
    return this.#closed.count;
  }

  requireOpen(build: Pick<BuildPlace, 'projectId' | 'buildHash'>, how?: 'use' | 'read'): void {
    this.#closed.requireOpen(build, how);
  }

  /** Counts against the build of a session what its world did to its host. */
  async strike(kind: Strike['kind'], sessionId: string): Promise<void> {
    try {
      await this.#parts.catalog.change((tx) => this.strikeIn(tx, kind, sessionId));
    } catch (err) {
      this.#parts.log.warn('what a build did to its host was not counted', { sessionId, err });
    }
  }

  strikeIn(tx: Change, kind: Strike['kind'], sessionId: string): void {
    const session = tx.get(sessionTable, sessionId)?.session;
    if (session === undefined) return;
    const { organizationId, projectId, buildHash } = session;
    const place = { organizationId, projectId, buildHash };
    const before = tx.get(quarantineTable, buildKeyOf(place)) ?? { ...place, strikes: [] };
    const after = struck(before, { kind, sessionId, atMs: this.#parts.nowMs() }, this.#parts.bounds);
    tx.put(quarantineTable, after);
    if (after.quarantine === before.quarantine) return;
    tx.put(auditTable, {
      schemaVersion: 1,
      auditEventId: newId('audit'),
      organizationId,
      projectId,
      atMs: this.#parts.nowMs(),
      action: 'quarantineBuild',
      credentialId: 'service',
      resourceType: 'build',
      resourceId: buildHash,
      correlationId: newId('corr'),
    });
    tx.afterCommit(() => {
      this.#closed.keep(after);
      this.#parts.log.warn('a build was quarantined', { ...after.quarantine });
    });
  }

  release(tx: Change, record: QuarantineRecord & { quarantine: BuildQuarantine }, releasedBy: string): BuildQuarantine {
    const { quarantine } = record;
    const released: BuildQuarantine = {
      ...quarantine,
      state: 'released',
      readsRefused: false,
      version: quarantine.version + 1,
      releasedBy,
      releasedAtMs: this.#parts.nowMs(),
    };
    const after = { ...record, strikes: [], quarantine: released };
    tx.put(quarantineTable, after);
    tx.afterCommit(() => this.#closed.keep(after));
    return released;
  }

  /** Its project goes. */
  forget(tx: Change, record: QuarantineRecord): void {
    tx.remove(quarantineTable, buildKeyOf(record));
    tx.afterCommit(() => this.#closed.forget(record));
  }
}
