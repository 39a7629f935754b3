// What one incarnation of the service remembers beyond its catalog, beside the ports it was opened with. It ends with the incarnation.
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { ProjectView } from '../contract/run/project-view.js';
import type { WorldRef } from '../worlds/api.js';
import { requireRecord } from './catalog/session-records.js';
import type { ControlServices, ServicePorts } from './core/services.js';
import { DataBackups } from './data-backups.js';
import { DeliveryWatch } from './memory/delivery-watch.js';
import { LoadedCache } from './memory/loaded-cache.js';
import { OrganizationsNow } from './memory/organization-now.js';
import { Removals } from './memory/removals.js';
import { RunMemory } from './memory/run-memory.js';
import { SessionMemory } from './memory/session-memory.js';
import { StorageWatch } from './memory/storage-watch.js';
import { sessionReceivers } from './sessions/receivers.js';
import { tracedWorld } from './sessions/traced-world.js';

/** The same object, with its memory. */
export function withMemory(ports: ServicePorts): ControlServices {
  const { loadedBuildsMax, loadedBuildsBytesMax, loadedViewsMax, loadedViewsBytesMax } = limits;
  const deliveryWatch = new DeliveryWatch(ports);
  const storageWatch = new StorageWatch(ports);
  const removals = new Removals();
  return Object.assign(ports, {
    sessionMemory: openSessionMemory(ports, { deliveryWatch, storageWatch }),
    runMemory: new RunMemory(),
    deliveryWatch,
    storageWatch,
    organizationsNow: new OrganizationsNow(ports.catalog),
    removals,
    backups: new DataBackups({ ...ports, removals }),
    loadedBuilds: new LoadedCache<CompiledBuild>({ items: loadedBuildsMax, bytes: loadedBuildsBytesMax }),
    loadedViews: new LoadedCache<ProjectView>({ items: loadedViewsMax, bytes: loadedViewsBytesMax }),
  });
}

function openSessionMemory(
  ports: ServicePorts,
  { deliveryWatch, storageWatch }: Pick<ControlServices, 'deliveryWatch' | 'storageWatch'>,
): SessionMemory {
  const { worlds, guard, catalog, keyring, tracing } = ports;
  return new SessionMemory({
    worlds,
    guarded: (world: WorldRef) => {
      const { projectId, buildHash } = requireRecord(catalog.view, world.worldId).session;
      return guard.guarded(world, { projectId, buildHash, hostOf: (worldId) => worlds.hostOf(worldId) });
    },
    receiversOf: (sessionId, signal) => sessionReceivers(ports, sessionId, signal),
    // Not what the watch itself asks: no request is behind it.
    watched: (world) => tracedWorld(storageWatch.watched(world), tracing),
    deliveries: deliveryWatch,
    acceptsKey: (generation) => keyring.accepts(generation),
  });
}
