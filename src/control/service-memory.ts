// What one incarnation of the service remembers beyond its catalog, beside the ports it was opened with. It ends with the incarnation.
import { DeliveringWorld } from '../callbacks/delivering-world.js';
import { LruMap } from '../collections/lru-map.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { ProjectView } from '../contract/run/project-view.js';
import { type SessionRecord, sessionTable } from './catalog/session-records.js';
import type { View } from './catalog/tables.js';
import type { ControlServices, ServicePorts, WorldServices } from './core/services.js';
import { DataBackups } from './data-backups.js';
import { DeliveryWatch } from './memory/delivery-watch.js';
import { LoadedCache } from './memory/loaded-cache.js';
import { OrganizationsNow } from './memory/organization-now.js';
import { Removals } from './memory/removals.js';
import { RunMemory } from './memory/run-memory.js';
import { SessionMemory } from './memory/session-memory.js';
import { noteWorlds, StorageWatch } from './memory/storage-watch.js';
import { SessionReceivers } from './sessions/receivers.js';
import { tracedWorld } from './sessions/traced-world.js';

/** What of it is another's where worlds live on other machines. */
export type OtherMemory = Partial<Pick<ControlServices, 'sessionMemory' | 'runMemory' | 'deliveryWatch'>>;

/** The same object, with its memory. */
export function withMemory(ports: ServicePorts, other: OtherMemory = {}): ControlServices {
  const { loadedBuildsMax, loadedBuildsBytesMax, loadedViewsMax, loadedViewsBytesMax } = limits;
  const deliveryWatch = other.deliveryWatch ?? new DeliveryWatch(ports);
  const storageWatch = new StorageWatch({ ...ports, note: (figures) => noteWorlds(ports.catalog, figures) });
  const removals = new Removals();
  return Object.assign(ports, {
    sessionMemory: other.sessionMemory ?? openSessionMemory({ ...ports, deliveryWatch, storageWatch }),
    runMemory: other.runMemory ?? new RunMemory(),
    deliveryWatch,
    storageWatch,
    damageLogged: new LruMap<string, true>({ entriesMax: limits.damageLoggedMax }),
    organizationsNow: new OrganizationsNow(ports.catalog),
    removals,
    backups: new DataBackups({ ...ports, removals }),
    loadedBuilds: new LoadedCache<CompiledBuild>({ items: loadedBuildsMax, bytes: loadedBuildsBytesMax }),
    loadedViews: new LoadedCache<ProjectView>({ items: loadedViewsMax, bytes: loadedViewsBytesMax }),
  });
}

type WorldHolders = Pick<
  WorldServices,
  'worlds' | 'guard' | 'catalog' | 'keyring' | 'settings' | 'tracing' | 'deliveryWatch' | 'storageWatch'
>;

/** Of worlds that live on hosts of this machine. */
export function openSessionMemory(ports: WorldHolders): SessionMemory {
  const { worlds, guard, catalog, keyring, tracing, deliveryWatch, storageWatch } = ports;
  const hostOf = (worldId: string): number => worlds.hostOf(worldId);
  return new SessionMemory({
    worlds,
    held: (world, end) => {
      const { projectId, buildHash } = requireReadable(catalog.view, world.worldId).session;
      const guarded = guard.guarded(world, { projectId, buildHash, hostOf });
      // Not what the watch itself asks: no request is behind it.
      const watched = tracedWorld(storageWatch.watched(guarded), tracing);
      return new DeliveringWorld(watched, new SessionReceivers(ports, world.worldId, end), deliveryWatch);
    },
    acceptsKey: (generation) => keyring.accepts(generation),
  });
}

/** A copy of a catalog that is made again has it later, and who asks does so again. */
function requireReadable(view: View, sessionId: string): SessionRecord {
  const record = view.get(sessionTable, sessionId);
  if (record !== undefined) return record;
  throw new ServiceError('control.UNAVAILABLE', {
    message: 'The catalog of this machine does not have this session at the moment.',
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}
