// The worlds of one service where its settings put them: hosts of one project in threads, in a process, or in a box.
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { mebibyte } from '../../contract/units.js';
import { makeFolder } from '../../files/make-folder.js';
import type { WorldsOptions } from '../../worlds/api.js';
import { recoverSlots } from '../../worlds/box-slot.js';
import { BoxPool } from '../../worlds/boxes.js';
import { isHostFileName } from '../../worlds/file-names.js';
import { type HostPool, type HostPoolOptions, PlainPool } from '../../worlds/ready-hosts.js';
import { openWorlds } from '../../worlds/worlds.js';
import type { CatalogReads } from '../catalog/catalog.js';
import { isOpenProject, projectTable } from '../catalog/organization-records.js';
import { quotaMax } from '../catalog/quotas.js';
import { sessionTable } from '../catalog/session-records.js';
import type { ControlSettings } from '../catalog/settings.js';
import type { ControlLog, DamagedProjects, ServiceHomes } from '../core/services.js';
import type { HostGuard } from '../guard/host-guard.js';
import type { ControlMeter } from '../memory/control-meter.js';
import { ProjectWorlds, projectFolder } from './project-worlds.js';

export interface ServiceWorldsParts {
  settings: ControlSettings;
  catalog: Pick<CatalogReads, 'view'>;
  log: ControlLog;
  guard: HostGuard;
  /** After each start of a project's hosts. */
  onStart(start: { failed: boolean }): void;
  meter: ControlMeter;
  homes?: ServiceHomes | undefined;
  /** No hosts start on their files. Default: none are. */
  damaged?: DamagedProjects | undefined;
}

export function openServiceWorlds(parts: ServiceWorldsParts): ProjectWorlds {
  const { settings, catalog, log, guard, meter, onStart, homes: shared, damaged } = parts;
  const { dataDirectory, durability, isolation, handlerTimeoutMs, hostHeapMb, workers } = settings;
  const memoryBytesMax = hostHeapMb * mebibyte + limits.hostBesideHeapBytesMax;
  const bounds = {
    memoryBytesMax,
    cpuPercentMax: limits.hostCpuPercentMax,
    cpuWeight: limits.hostCpuWeight,
    processesMax: limits.hostProcessesMax,
  };
  const resourceLimits = { maxOldGenerationSizeMb: hostHeapMb };
  const directory = join(dataDirectory, 'worlds');
  makeFolder(directory);
  const slotsGone = recoverSlots(directory);
  moveSharedHosts(directory, catalog);
  for (const err of damaged?.values() ?? []) log.error('the worlds of a project are damaged; it is not served', { err });
  const pool = poolOf(isolation, { directory, bounds, resourceLimits });
  const common = {
    layout: shared === undefined ? 'shared' : 'homes',
    durability,
    isolation: isolation === 'thread' ? 'thread' : 'process',
    handlerTimeoutMs,
    // One process a project: it has the data folder to itself.
    hosts: isolation === 'thread' ? workers : 1,
    hostHeapMb,
  } as const satisfies Omit<WorldsOptions, 'directory'>;
  const noticesOf = (firstHost: number): Pick<WorldsOptions, 'log' | 'onStepSeen'> => ({
    log: (own) => {
      const entry = { ...own, host: firstHost + own.host };
      const { event, ...fields } = entry;
      if (event === 'host_started') log.info(event, fields);
      else log.error(event, fields);
      if (entry.event === 'host_ended') meter.hostEnded(entry.reason);
      guard.noted(entry);
    },
    onStepSeen: (seen) => {
      meter.stepSeen(seen.standsForMs / 1000);
      guard.seen({ ...seen, host: firstHost + seen.host });
    },
  });
  const childrenOf = (folder: string): Pick<WorldsOptions, 'children'> =>
    pool === undefined ? {} : { children: pool.childrenOf(folder, common.layout) };
  const worlds = new ProjectWorlds({
    directory,
    projectOf: (worldId) => catalog.view.get(sessionTable, worldId)?.session.projectId,
    isOpen: (projectId) => isOpenProject(catalog.view, projectId),
    homes: shared,
    open: async (folder, { projectId, firstHost, homes }) => {
      if (damaged?.has(basename(folder)) === true) throw damagedForTenants();
      const bytes = { storedBytesMax: storedBytesMax({ settings, catalog }, projectId), ...defined({ homes }) };
      try {
        makeFolder(folder);
        const opened = await openWorlds({ ...common, ...bytes, ...noticesOf(firstHost), directory: folder, ...childrenOf(folder) });
        onStart({ failed: false });
        return opened;
      } catch (error) {
        onStart({ failed: true });
        log.error('the hosts of a project cannot start', { projectId, err: error });
        throw forTenants(error);
      }
    },
    hostsReady: () => pool?.waiting ?? 0,
    onClosed: async () => {
      await Promise.all([pool?.close(), slotsGone]);
    },
  });
  shared?.use(worlds);
  return worlds;
}

/** The log of the start names the file. */
const damagedForTenants = (): ServiceError =>
  new ServiceError('control.DATA_DAMAGED', { message: 'The stored worlds of this project are damaged; nothing was changed.' });

/** Why hosts do not start is the operator's to know: it names files of the service. A later request may find them up. */
function forTenants(error: unknown): ServiceError {
  const code = error instanceof ServiceError && error.code === 'control.STORAGE_FULL' ? error.code : 'control.UNAVAILABLE';
  return new ServiceError(code, { message: 'The hosts of this project cannot start; nothing was changed.' });
}

function poolOf(isolation: ControlSettings['isolation'], options: HostPoolOptions): HostPool | undefined {
  if (isolation === 'thread') return undefined;
  return isolation === 'box' ? new BoxPool(options) : new PlainPool(options);
}

/** Of one session of the project, as it is when the project's hosts start. */
function storedBytesMax({ settings, catalog: { view } }: Pick<ServiceWorldsParts, 'settings' | 'catalog'>, projectId: string): number {
  const organizationId = view.get(projectTable, projectId)?.organizationId;
  return organizationId === undefined
    ? settings.quotas.sessionBytesMax
    : quotaMax(view, settings, { organizationId, name: 'sessionBytesMax' });
}

/**
 * Earlier versions kept the worlds of all projects in the data folders of hosts. Those of one project are moved to where they belong now.
 */
function moveSharedHosts(directory: string, catalog: ServiceWorldsParts['catalog']): void {
  const shared = readdirSync(directory).filter(isHostFileName);
  if (shared.length === 0) return;
  const { records } = catalog.view.list(projectTable, { index: 'byOrganization', prefix: [], limit: 2 });
  if (records.length !== 1) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `${join(directory, shared[0] as string)} holds worlds of several projects in one file, as an earlier version kept them. Start that version, destroy its sessions, stop it, and remove the folders host-*.`,
    });
  }
  const folder = join(directory, projectFolder((records[0] as { projectId: string }).projectId));
  makeFolder(folder);
  for (const name of shared) if (!existsSync(join(folder, name))) renameSync(join(directory, name), join(folder, name));
}
