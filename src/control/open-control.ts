// One incarnation of the control plane: opens what it stands on, lays the areas' endpoints together, takes up what the last incarnation
// left, and ends.
import { within } from '../async/deadline.js';
import type { SharedBlobs } from '../contract/cluster-store.js';
import { defined } from '../contract/defined.js';
import type { EndpointId } from '../contract/hosted/endpoints.js';
import type { NotReadyReason } from '../contract/hosted/readiness.js';
import { limits } from '../contract/limits.js';
import type { BindingsPort } from '../drills/ports/bindings-port.js';
import type { Tracing } from '../tracing/tracing.js';
import type { StreamLog } from '../worlds/kv/stream-log.js';
import { authoringEndpoints, defineAuthoringRunners } from './authoring/authoring-endpoints.js';
import { baselineEndpoints } from './authoring/baseline-endpoints.js';
import { datasetEndpoints } from './authoring/dataset-endpoints.js';
import { datasetUploadEndpoints } from './authoring/dataset-uploads.js';
import { libraryEndpoints } from './authoring/library-endpoints.js';
import { setupEndpoints } from './authoring/setup-endpoints.js';
import { leaveBackup, requireWholeBackup } from './backup-manifest.js';
import { sweepBlobs } from './blob-sweep.js';
import { type Bootstrap, bootstrap } from './bootstrap.js';
import { buildEndpoints } from './builds/build-endpoints.js';
import { defineBuildRunners } from './builds/build-runner.js';
import { environmentEndpoints } from './builds/environment-endpoints.js';
import { Catalog, type CatalogReaders } from './catalog/catalog.js';
import type { EndpointSet } from './catalog/endpoint.js';
import { Keyring } from './catalog/keyring.js';
import type { ControlSettings } from './catalog/settings.js';
import { clusterEndpoints } from './cluster-endpoints.js';
import { ControlPlane } from './control-plane.js';
import { FileBlobs } from './core/blobs.js';
import { ClusterBlobs } from './core/cluster-blobs.js';
import { requireContainedProjects } from './core/containment.js';
import { DiskReserve } from './core/disk-reserve.js';
import { keepIdsAfterCatalog } from './core/id-floor.js';
import { operationEndpoints } from './core/operation-endpoints.js';
import { OperationEngine } from './core/operation-engine.js';
import { requireSharedKey, takeUpServerKey } from './core/server-key.js';
import type { ClusterPort, ControlLog, ControlServices, ServiceHomes, ServiceWorlds } from './core/services.js';
import { catalogFolder, requireOwnCatalog, requireWholeData } from './data-folder.js';
import { publishExampleBuild } from './example-build.js';
import { type ControlFigures, Figures } from './figures.js';
import { takeUpFormat } from './format-steps.js';
import { WorldGuard } from './guard/world-guard.js';
import { Health } from './health.js';
import { type ControlMeter, silentMeter } from './memory/control-meter.js';
import { noteWorlds } from './memory/storage-watch.js';
import { operatorEndpoints } from './operator-endpoints.js';
import { authEndpoints } from './organizations/auth-endpoints.js';
import { callbackEndpoints } from './organizations/callback-endpoints.js';
import { readOperatorToken } from './organizations/operator-token.js';
import { organizationEndpoints } from './organizations/organization-endpoints.js';
import { projectEndpoints } from './organizations/project-endpoints.js';
import type { OwnerReport } from './owner-report.js';
import { deleteProject, projectDeletionRunner } from './project-deletion.js';
import { purge } from './purge.js';
import { sweepRetention } from './retention.js';
import { defineRunRunners, runEndpoints, sweepRuns } from './runs/endpoints.js';
import { evidenceEndpoints } from './runs/evidence-bundles.js';
import { SharedBundles } from './runs/shared-bundles.js';
import { type OtherMemory, withMemory } from './service-memory.js';
import { deliverAgain } from './sessions/deliveries.js';
import { defineSessionRunners, sessionEndpoints } from './sessions/endpoints.js';
import { recoverSessions, sweepSessions } from './sessions/expiry.js';
import { HomesOpened } from './sessions/homes-opened.js';
import { storedAccesses } from './sessions/open-access.js';
import { quarantineEndpoints } from './sessions/quarantine-endpoints.js';
import { openServiceWorlds } from './sessions/service-worlds.js';
import { dataChoiceEndpoints } from './source/data-choice-endpoints.js';
import { sourceEndpoints } from './source/source-endpoints.js';
import { clearMaterialized } from './source/source-trees.js';
import { Sweeper } from './sweeper.js';
import { openTaskWorkers } from './tasks/task-services.js';

export interface OpenControl {
  settings: ControlSettings;
  /** Where agents reach the worlds of this server. Closed with the control. */
  bindings: BindingsPort;
  log: ControlLog;
  /** Default: nobody counts. */
  meter?: ControlMeter;
  /** Default: no traces. */
  tracing?: Tracing | undefined;
  /** Default: the service has all worlds of its folder. */
  homes?: ServiceHomes | undefined;
  /** Default: it is one machine. */
  cluster?: ClusterPort | undefined;
  /** Default: the catalog is this service's alone. */
  catalog?: SharedCatalog | undefined;
  /** What several machines share of blobs and of evidence. Default: both are files below the data directory alone. */
  blobs?: SharedBlobs | undefined;
  /** Of homes that several machines own. Default: this control plane has all its worlds in this process, and opens them. */
  spread?: SpreadHomes | undefined;
  /** Epoch milliseconds. Default: the clock of the machine. */
  nowMs?: () => number;
}
/** Implemented by spread-homes.ts, which a service alone does not load. */
export interface SpreadHomes {
  /** The catalog is open here, until `close` is called. `left`: aborted when this incarnation ends. */
  open(ground: SpreadGround): { worlds: ServiceWorlds; memory: OtherMemory };
  close(catalog: Catalog): void;
}
export interface SpreadGround extends Pick<ControlServices, 'catalog' | 'keyring'> {
  left: AbortSignal;
}
/**
 * Of one that several machines share, and that is this one's now: its file here has everything that the log has, and nobody has it open.
 * The key file is one for all of them (settings.keyFile).
 */
export interface SharedCatalog {
  log: StreamLog;
  /** Who reads copies of it. Absent: nobody does. */
  readers?: CatalogReaders;
  /** Every later change is refused: the control is to be closed. `cause`: why its file could not follow the log. */
  onLost(cause?: unknown): void;
}
export interface Control {
  readonly plane: ControlPlane;
  /** What the first start made. */
  readonly first: Bootstrap;
  figures(): Promise<ControlFigures>;
  /** Why it is not ready for new work; empty when it is. */
  troubles(): Promise<NotReadyReason[]>;
  /** What an owner of homes has seen of its worlds, and the catalog is to keep. */
  take(report: OwnerReport): Promise<void>;
  /** The catalog's data file as it is at one moment from now on, with its position in the log, in a folder that is made for it. */
  copyCatalog(directory: string): Promise<void>;
  /** Refuses changes, finishes what runs within `graceMs` or leaves it to the next incarnation, closes every world. */
  close(graceMs: number): Promise<void>;
}

/** Every endpoint there is: the compiler sees that none is missing. */
export function allEndpoints(services: ControlServices): EndpointSet<EndpointId> {
  return {
    ...authEndpoints(services),
    ...organizationEndpoints(services),
    ...projectEndpoints(services),
    deleteProject: deleteProject(services),
    ...libraryEndpoints(services),
    ...setupEndpoints(services),
    ...authoringEndpoints(services),
    ...sourceEndpoints(services),
    ...dataChoiceEndpoints(),
    ...baselineEndpoints(services),
    ...buildEndpoints(services),
    ...datasetEndpoints(services),
    ...datasetUploadEndpoints(services),
    ...quarantineEndpoints(services),
    ...environmentEndpoints(services),
    ...sessionEndpoints(services),
    ...runEndpoints(services),
    ...evidenceEndpoints(services),
    ...callbackEndpoints(services),
    ...operationEndpoints(services),
    ...operatorEndpoints(services),
    ...clusterEndpoints(services),
  };
}

/** Of every kind of operation. */
export function defineRunners(services: ControlServices): void {
  defineBuildRunners(services);
  defineAuthoringRunners(services);
  defineSessionRunners(services);
  defineRunRunners(services);
  services.operations.define('project.delete', projectDeletionRunner(services));
}

export async function openControl(options: OpenControl): Promise<Control> {
  const { settings, log } = options;
  await clearMaterialized(settings.dataDirectory);
  const left = new AbortController();
  const { services, health, homesOpened } = await openServices(options, left.signal);
  try {
    keepIdsAfterCatalog(services.catalog.view);
    defineRunners(services);
    const plane = new ControlPlane(services, allEndpoints(services));
    const first = await bootstrap(services, publishExampleBuild);
    const moved = await recoverSessions(services);
    if (moved > 0) log.info('leases moved on, because an earlier version did not keep the access they had given', { sessions: moved });
    if (options.spread === undefined) services.bindings.recall?.(storedAccesses(services));
    plane.start();
    const delivering = options.spread === undefined ? deliverHomes(services, homesOpened, left.signal) : async () => {};
    const sweeper = new Sweeper({ everyMs: limits.sessionSweepMs }, log, [
      async () => services.disk.restore(),
      () => sweepSessions(services),
      () => sweepRuns(services),
      () => services.storageWatch.sweep(),
      () => plane.flushRefusals(),
    ]);
    const figures = new Figures(services);
    const often = { everyMs: limits.retentionSweepMs, firstMs: limits.retentionFirstSweepMs };
    const retention = new Sweeper(often, log, [() => sweepRetention(services), () => purge(services), () => sweepBlobs(services)]);
    const close = async (graceMs: number): Promise<void> => {
      left.abort();
      await services.backups.stop();
      await Promise.all([sweeper.stop(), retention.stop()]);
      // A request that hangs keeps nobody: what it would still change is refused.
      await within(Math.max(graceMs, limits.serverCloseGraceMs), plane.drain(graceMs));
      services.sessionMemory.leave();
      await delivering();
      health.stop();
      await figures.close();
      await closeServices(services, options.spread);
    };
    const copyCatalog = (directory: string): Promise<void> => services.catalog.copyTo(directory);
    const take = (report: OwnerReport): Promise<void> => takeReport(services, report);
    return { plane, first, figures: () => figures.read(), troubles: () => health.reasons(), take, copyCatalog, close };
  } catch (error) {
    left.abort();
    await services.operations.drain(0);
    health.stop();
    await closeServices(services, options.spread);
    throw error;
  }
}

async function takeReport({ catalog, guard }: ControlServices, report: OwnerReport): Promise<void> {
  if (report.kind === 'strike') await guard.quarantines.strike(report.strike, report.sessionId);
  else await noteWorlds(catalog, report.figures);
}

/** Of the homes that the service owns, now and as each of them opens. Yields what waits until all that has begun is done. */
function deliverHomes(services: ControlServices, homesOpened: HomesOpened, signal: AbortSignal): () => Promise<void> {
  const { log } = services;
  const note = (err: unknown): void => log.error('callbacks were not delivered', { err });
  const deliver = (home?: number): Promise<void> =>
    deliverAgain(services, { home, signal })
      .then(({ rest }) => rest)
      .catch(note);
  let delivering = deliver();
  homesOpened.follow((home) => {
    delivering = Promise.all([delivering, deliver(home)]).then(() => {});
  });
  return () => delivering;
}

interface OpenParts {
  services: ControlServices;
  health: Health;
  homesOpened: HomesOpened;
}
async function openServices(options: OpenControl, left: AbortSignal): Promise<OpenParts> {
  const { settings, bindings, log, meter = silentMeter, tracing, homes, cluster, catalog: shared, blobs: store, spread } = options;
  const { nowMs = Date.now } = options;
  const { dataDirectory, keyFile } = settings;
  // What several machines share is looked at by who makes it follow the log, and what is not whole here is made again from there.
  if (shared !== undefined) requireSharedKey(settings);
  const needsKey = keyFile === undefined && settings.rotateKey === undefined;
  const isContained = settings.isolation !== 'thread';
  const damaged = shared === undefined ? requireWholeData(dataDirectory, { needsKey, isContained }) : undefined;
  if (shared === undefined) await requireWholeBackup(dataDirectory);
  const keyring = Keyring.open({ dataDirectory, nowMs, ...defined({ keyFile }) });
  const here = new FileBlobs(dataDirectory);
  const blobs = store === undefined ? here : new ClusterBlobs({ here, store });
  const bundles = store && new SharedBundles({ dataDirectory, store });
  const disk = new DiskReserve(dataDirectory);
  const catalog = new Catalog({ directory: catalogFolder(dataDirectory), checked: true, freeSpace: () => disk.release(), ...shared });
  const homesOpened = new HomesOpened();
  const health = new Health({ catalog, disk });
  try {
    requireOwnCatalog(dataDirectory, catalog);
    await takeUpFormat(catalog, { dataDirectory, mayMigrate: shared === undefined, nowMs });
    requireContainedProjects(settings, catalog.view);
    await takeUpServerKey({ catalog, keyring, settings });
    await readOperatorToken(catalog, dataDirectory);
    // Nothing refuses the start any more for what the folder is.
    await leaveBackup(dataDirectory);
    const guard = new WorldGuard({ settings, catalog, nowMs, log });
    const onStart = (start: { failed: boolean }): void => health.hostsStarted(start);
    const watchedHomes = homes && homesOpened.watched(homes);
    const opened = spread?.open({ catalog, keyring, left });
    const worlds = opened?.worlds ?? openServiceWorlds({ settings, catalog, log, guard, meter, homes: watchedHomes, onStart, damaged });
    const operations = new OperationEngine({ catalog, nowMs, log, meter, tracing, onSpent: (tx, record) => guard.spent(tx, record.lane) });
    const ports = { worlds, homes, cluster, guard, ...openTaskWorkers(settings), blobs, bundles, disk, meter, tracing, bindings };
    const services = withMemory({ settings, catalog, keyring, operations, ...ports, nowMs, log }, opened?.memory);
    return { services, health, homesOpened };
  } catch (error) {
    health.stop();
    spread?.close(catalog);
    await catalog.close();
    throw error;
  }
}

/** Access ends at once, and a call that runs on is answered as its world closes. Who may still write closes before what is written to. */
async function closeServices(
  { bindings, compiler, judge, worlds, catalog }: ControlServices,
  spread: SpreadHomes | undefined,
): Promise<void> {
  await Promise.all([bindings.close(), compiler.close(), judge.close(), worlds.close()]);
  spread?.close(catalog);
  await catalog.close();
}
