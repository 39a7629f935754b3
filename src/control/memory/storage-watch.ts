// The worlds of sessions, watched for what they store: after commands a world is asked how much it has, at the next sweep, and while its
// project or organization has stored what it may, no command that could add to it reaches a world.
//   STORAGE-WATCH-1. Sums follow the worlds by a sweep or two (limits.sessionSweepMs), so a tenant may pass its bound by what it can write
//     meanwhile; the bound of each session holds at once, in its world.
import { batchesOf } from '../../async/batches.js';
import { limits } from '../../contract/limits.js';
import type { AdvanceProgress, WorldAnswers, WorldCommand } from '../../contract/world/world-protocol.js';
import type { SendOptions, WorldRef } from '../../worlds/api.js';
import { needsSpace } from '../../worlds/needs-space.js';
import { WorldView } from '../../worlds/world-view.js';
import type { Catalog, CatalogReads } from '../catalog/catalog.js';
import { isLive, sessionTable } from '../catalog/session-records.js';
import type { ControlSettings } from '../catalog/settings.js';
import { noteStorage, storageOf, storageRefusal, type Tenant } from '../catalog/storage-use.js';

export interface StorageFigure {
  worldId: string;
  bytes: number;
}
interface Ground {
  catalog: CatalogReads;
  settings: ControlSettings;
  /** Writes what worlds store, a batch at a time. */
  note(figures: readonly StorageFigure[]): Promise<void>;
}
type WatchedTenant = Tenant & { isFull: boolean };

export class StorageWatch {
  readonly #ground: Ground;
  /** By project. */
  readonly #tenants = new Map<string, WatchedTenant>();
  /** Worlds that may have changed since they were asked. */
  readonly #touched = new Map<string, WorldRef>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** The same world, watched. */
  watched(world: WorldRef): WorldRef {
    const session = this.#ground.catalog.view.get(sessionTable, world.worldId)?.session;
    if (session === undefined) return world;
    return new WatchedWorld(world, this, this.#tenant(session));
  }

  /** A command is about to be sent. */
  begin(world: WorldRef, command: WorldCommand, tenant: WatchedTenant): void {
    if (tenant.isFull && needsSpace(command)) this.#requireFreeSpace(tenant);
    this.touched(world);
  }
  touched(world: WorldRef): void {
    this.#touched.set(world.worldId, world);
  }

  /** Asks worlds that were used what they store. Yields how many were asked. */
  async sweep(): Promise<number> {
    const asked = [...this.#touched].slice(0, limits.storageWorldsAsked);
    for (const [worldId] of asked) this.#touched.delete(worldId);
    const figures = await Promise.all(asked.map(async ([worldId, world]) => ({ worldId, bytes: await bytesOf(world) })));
    try {
      for (const batch of batchesOf(figures, limits.sessionBatch)) await this.#note(batch);
    } catch (error) {
      for (const [worldId, world] of asked) this.#touched.set(worldId, world);
      throw error;
    }
    const { catalog, settings } = this.#ground;
    for (const tenant of this.#tenants.values()) tenant.isFull = storageRefusal(catalog.view, settings, tenant) !== undefined;
    return asked.length;
  }

  /** Its project is gone, and its worlds with it. */
  forget(projectId: string): void {
    this.#tenants.delete(projectId);
  }

  #tenant({ organizationId, projectId }: Tenant): WatchedTenant {
    let tenant = this.#tenants.get(projectId);
    if (tenant === undefined) {
      const { catalog, settings } = this.#ground;
      tenant = { organizationId, projectId, isFull: storageRefusal(catalog.view, settings, { organizationId, projectId }) !== undefined };
      this.#tenants.set(projectId, tenant);
    }
    return tenant;
  }
  /** What was deleted meanwhile is free at once. */
  #requireFreeSpace(tenant: WatchedTenant): void {
    const { catalog, settings } = this.#ground;
    const refusal = storageRefusal(catalog.view, settings, tenant);
    tenant.isFull = refusal !== undefined;
    if (refusal !== undefined) throw refusal;
  }

  async #note(figures: readonly { worldId: string; bytes: number | undefined }[]): Promise<void> {
    const { catalog, note } = this.#ground;
    const moved = figures.flatMap(({ worldId, bytes }) =>
      bytes !== undefined && Math.abs(bytes - storageOf(catalog.view, worldId)) >= limits.storageNotedBytes ? [{ worldId, bytes }] : [],
    );
    if (moved.length > 0) await note(moved);
  }
}

class WatchedWorld extends WorldView {
  readonly #watch: StorageWatch;
  readonly #tenant: WatchedTenant;

  constructor(world: WorldRef, watch: StorageWatch, tenant: WatchedTenant) {
    super(world);
    this.#watch = watch;
    this.#tenant = tenant;
  }

  override async command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]> {
    this.#watch.begin(this.world, command, this.#tenant);
    try {
      return await this.world.command(command, options);
    } finally {
      this.#watch.touched(this.world);
    }
  }
}

/** Notes in the catalog what worlds store. */
export async function noteWorlds(catalog: Pick<Catalog, 'change'>, figures: readonly StorageFigure[]): Promise<void> {
  await catalog.change((tx) => {
    for (const { worldId, bytes } of figures) {
      const record = tx.get(sessionTable, worldId);
      // The end of a session releases what was noted, and must not come before it.
      if (record === undefined || !isLive(record)) continue;
      const { organizationId, projectId } = record.session;
      noteStorage(tx, { ownerId: worldId, organizationId, projectId, bytes });
    }
  });
}

/** Undefined for one that cannot say now: it is asked again when it was used again. */
async function bytesOf(world: WorldRef): Promise<number | undefined> {
  try {
    return (await world.query({ kind: 'storage' })).bytes;
  } catch {
    return undefined;
  }
}
