// How the control plane stands, for who watches the service: asked for at each scrape. It has counts alone, and nothing of any tenant.
import type { WorldHostStats } from '../worlds/api.js';
import { organizationTable } from './catalog/organization-records.js';
import { quotaUsed } from './catalog/quotas.js';
import { everyListed } from './catalog/tables.js';
import type { OperationFigure } from './core/operations.js';
import type { ControlServices, DiskFigures } from './core/services.js';
import { DiskUse, type FolderSizes } from './disk-use.js';

export interface ControlFigures {
  /** New work is taken. */
  isReady: boolean;
  hosts: HostFigure[];
  hostsReady: number;
  /** Sessions that have a world, in memory or not. */
  worlds: number;
  /** Of all hosts since the service started; what a host committed between the last figures and its end is left out. */
  worldCommits: number;
  catalogCommits: number;
  operations: OperationFigure[];
  runsActive: number;
  runsAwaitingAgent: number;
  callbacks: { inFlight: number; oldestSeconds: number };
  quarantinedBuilds: number;
  disk: DiskFigures & { folders: FolderSizes | undefined };
}
/** `slot`: a small number that no other host has while this one stands. */
export type HostFigure = Omit<WorldHostStats, 'commits' | 'index'> & { slot: number };

export class Figures {
  readonly #services: ControlServices;
  readonly #diskUse: DiskUse;
  readonly #slots = new Map<number, number>();
  /** As last seen, of hosts that stand. */
  readonly #commits = new Map<number, number>();
  #worldCommits = 0;

  constructor(services: ControlServices) {
    this.#services = services;
    this.#diskUse = new DiskUse(services.settings.dataDirectory);
  }

  async read(): Promise<ControlFigures> {
    const { worlds, catalog, operations, guard, disk } = this.#services;
    const [{ hosts, hostsReady = 0 }, folders] = await Promise.all([worlds.stats(), this.#diskUse.sizes()]);
    this.#countCommits(hosts);
    return {
      isReady: troublesOf(this.#services).length === 0,
      hosts: this.#slotted(hosts),
      hostsReady,
      worldCommits: this.#worldCommits,
      catalogCommits: catalog.commits,
      operations: operations.figures(),
      ...this.#quotasUsed(),
      runsAwaitingAgent: this.#services.runMemory.awaiting,
      callbacks: this.#services.deliveryWatch.figures(),
      quarantinedBuilds: guard.quarantines.count,
      disk: { ...disk.figures(), folders },
    };
  }

  close(): Promise<void> {
    return this.#diskUse.close();
  }

  /** Of all organizations. */
  #quotasUsed(): Pick<ControlFigures, 'worlds' | 'runsActive'> {
    const { view } = this.#services.catalog;
    let [worlds, runsActive] = [0, 0];
    const count = (organizationId: string): void => {
      worlds += quotaUsed(view, { organizationId, name: 'sessionsLiveMax' });
      runsActive += quotaUsed(view, { organizationId, name: 'runsActiveMax' });
    };
    // What it uses is counted by its id, which damage of its record leaves as it was.
    const all = everyListed(view, organizationTable, { index: 'all', prefix: [], onDamage: count });
    for (const { organizationId } of all) count(organizationId);
    return { worlds, runsActive };
  }

  /** A host begins again at none, and one that has ended is not there: the sum never falls. */
  #countCommits(hosts: readonly WorldHostStats[]): void {
    const seen = new Map([...this.#commits]);
    this.#commits.clear();
    for (const { index, commits } of hosts) {
      const before = seen.get(index) ?? 0;
      this.#worldCommits += commits < before ? commits : commits - before;
      this.#commits.set(index, commits);
    }
  }

  /** Numbers of hosts rise with the projects that a service has had; slots are as few as the hosts that stand. */
  #slotted(hosts: readonly WorldHostStats[]): HostFigure[] {
    const standing = new Set(hosts.map(({ index }) => index));
    for (const index of this.#slots.keys()) if (!standing.has(index)) this.#slots.delete(index);
    const taken = new Set(this.#slots.values());
    let free = 0;
    return hosts.map(({ index, commits: _, ...host }) => {
      let slot = this.#slots.get(index);
      if (slot === undefined) {
        while (taken.has(free)) free += 1;
        slot = free;
        taken.add(slot);
        this.#slots.set(index, slot);
      }
      return { ...host, slot };
    });
  }
}

/** Anybody who asks gets them: no path, and nothing of any tenant. */
function troublesOf({ disk }: Pick<ControlServices, 'disk'>): string[] {
  return disk.refusal() === undefined ? [] : ['the disk is full'];
}
