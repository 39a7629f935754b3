// The worlds of the homes that this machine owns, with all that stands before them: hosts, guard, callbacks, and the accesses of agents. It
// outlives the control plane, which may be another machine's; of the catalog it only reads.
//   OWNED-HOMES-1. An access is open only while the catalog, as it is here, has it.
//   OWNED-HOMES-2. When a home is another's, nothing of it is open here, and no callback of it leaves any more.
import type { SharedBlobs } from '../contract/cluster-store.js';
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import type { CompiledBuild } from '../contract/run/build.js';
import type { ProjectView } from '../contract/run/project-view.js';
import type { BindingsPort } from '../drills/ports/bindings-port.js';
import type { Tracing } from '../tracing/tracing.js';
import type { ForkWorld } from '../worlds/api.js';
import { homeOf } from '../worlds/homes.js';
import { loadBuild } from './builds/build-records.js';
import { FollowedCatalog } from './catalog/followed-catalog.js';
import { Keyring } from './catalog/keyring.js';
import { projectTable } from './catalog/organization-records.js';
import { sessionTable } from './catalog/session-records.js';
import type { ControlSettings } from './catalog/settings.js';
import { FileBlobs } from './core/blobs.js';
import { ClusterBlobs } from './core/cluster-blobs.js';
import type { ControlLog, ServiceHomes, WorldServices } from './core/services.js';
import { FollowedQuarantines } from './guard/followed-quarantines.js';
import { HostGuard } from './guard/host-guard.js';
import type { Strike } from './guard/quarantine-records.js';
import type { ControlMeter } from './memory/control-meter.js';
import { DeliveryWatch } from './memory/delivery-watch.js';
import { LoadedCache } from './memory/loaded-cache.js';
import { OrganizationsNow } from './memory/organization-now.js';
import { RunMemory } from './memory/run-memory.js';
import { StorageWatch } from './memory/storage-watch.js';
import type { AnswerTo, AskOptions, WorldAsk, WorldAskAnswers } from './memory/world-asks.js';
import type { OwnerReport } from './owner-report.js';
import { openSessionMemory } from './service-memory.js';
import { deliverAgain } from './sessions/deliveries.js';
import { makeWorld } from './sessions/making.js';
import { storedAccesses } from './sessions/open-access.js';
import { type ProjectWorlds, projectFolder } from './sessions/project-worlds.js';
import { openServiceWorlds } from './sessions/service-worlds.js';
import { Sweeper } from './sweeper.js';

/** A world is to be made of a session that the catalog does not have as it is here: it is behind that of who asks. */
export class SessionUnknown extends Error {
  override name = 'SessionUnknown';
}

export interface OwnedHomesParts {
  settings: ControlSettings;
  /** Where agents reach worlds of this machine. Closed with it. */
  bindings: BindingsPort;
  log: ControlLog;
  meter: ControlMeter;
  tracing: Tracing | undefined;
  homes: Omit<ServiceHomes, 'use'>;
  blobs: SharedBlobs;
  /** Rejects where it did not arrive: it is lost. */
  report(report: OwnerReport): Promise<void>;
  nowMs?: () => number;
}

export class OwnedHomes {
  readonly catalog = new FollowedCatalog();
  readonly services: WorldServices;
  readonly worlds: ProjectWorlds;
  readonly #count: number;
  readonly #sweeper: Sweeper;
  #delivering: Promise<void> = Promise.resolve();
  /** Sessions of homes that are asked again: no more than homes. */
  readonly #delivered = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(parts: OwnedHomesParts) {
    const { settings, bindings, log, meter, tracing, homes, nowMs = Date.now } = parts;
    const { dataDirectory, keyFile } = settings;
    const { catalog } = this;
    const strike = (kind: Strike['kind'], sessionId: string): Promise<void> =>
      parts
        .report({ kind: 'strike', strike: kind, sessionId })
        .catch((err) => log.warn('what a build did to its host was not counted', { sessionId, err }));
    const guard = new HostGuard({
      catalog,
      quarantines: new FollowedQuarantines({ catalog, strike }),
      heldMsPerMinute: settings.heldMsPerMinute,
    });
    const shared: ServiceHomes = { count: homes.count, owned: () => homes.owned(), log: homes.log, use: () => {} };
    const worlds = openServiceWorlds({ settings, catalog, log, guard, meter, onStart: () => {}, homes: shared });
    const keyring = Keyring.open({ dataDirectory, nowMs, ...defined({ keyFile }) });
    const storageWatch = new StorageWatch({ catalog, settings, note: (figures) => parts.report({ kind: 'storage', figures }) });
    const deliveryWatch = new DeliveryWatch({ meter, tracing });
    const { loadedBuildsMax, loadedBuildsBytesMax, loadedViewsMax, loadedViewsBytesMax } = limits;
    const ground = { settings, catalog, keyring, worlds, guard, tracing, deliveryWatch, storageWatch };
    this.services = {
      ...ground,
      ...{ homes: shared, meter, bindings, nowMs, log },
      blobs: new ClusterBlobs({ here: new FileBlobs(dataDirectory), store: parts.blobs }),
      sessionMemory: openSessionMemory(ground),
      runMemory: new RunMemory(),
      organizationsNow: new OrganizationsNow(catalog),
      loadedBuilds: new LoadedCache<CompiledBuild>({ items: loadedBuildsMax, bytes: loadedBuildsBytesMax }),
      loadedViews: new LoadedCache<ProjectView>({ items: loadedViewsMax, bytes: loadedViewsBytesMax }),
    };
    this.worlds = worlds;
    this.#count = homes.count;
    bindings.recall?.(storedAccesses(this.services));
    this.#sweeper = new Sweeper({ everyMs: limits.sessionSweepMs }, log, [
      async () => {
        if (catalog.isThere) this.services.sessionMemory.dropVoid(nowMs());
      },
      async () => {
        if (catalog.isThere) await storageWatch.sweep();
      },
    ]);
  }

  /** The home is this machine's: its worlds can be asked, and what is due of their callbacks goes out. */
  async openHome(home: number): Promise<void> {
    await this.worlds.openHome(home);
    const { log } = this.services;
    const note = (err: unknown): void => log.error('callbacks were not delivered', { err, home });
    this.#delivering = this.#delivering
      .then(async () => {
        const { rest } = await deliverAgain(this.services, { home, signal: this.#ending.signal });
        const ended = rest.catch(note).finally(() => this.#delivered.delete(ended));
        this.#delivered.add(ended);
      })
      .catch(note);
  }

  /** Starts the hosts of projects, named by their folders: homes in which they have worlds may soon be this machine's. */
  async prepare(folders: readonly string[], isOver: () => boolean): Promise<void> {
    for (const projectId of await this.#projectsIn(folders)) if (!isOver()) await this.worlds.prepare(projectId);
  }

  /** A page at a time: there may be many, and the catalog may be another's a moment later. */
  async #projectsIn(folders: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (let after: string | undefined; this.catalog.isThere && found.length < folders.length; ) {
      const place = { index: 'byOrganization', prefix: [], limit: limits.purgeRecordsMax };
      const { records, next } = this.catalog.view.list(projectTable, { ...place, ...defined({ after }) });
      for (const { projectId } of records) if (folders.includes(projectFolder(projectId))) found.push(projectId);
      if (next === undefined) break;
      after = next;
      await new Promise(setImmediate);
    }
    return found;
  }

  /** Resolves when nothing here has a file of the home open. */
  async closeHome(home: number, how: { lost: boolean }): Promise<void> {
    const isIn = (sessionId: string): boolean => homeOf(sessionId, this.#count) === home;
    if (how.lost) this.services.sessionMemory.leaveThose(isIn);
    await this.worlds.closeHome(home, how);
    this.services.sessionMemory.leaveThose(isIn);
  }

  /** For the control plane, in this process or another. */
  async answer<A extends WorldAsk>(sessionId: string, ask: A, options?: AskOptions): Promise<AnswerTo<A>> {
    return (await this.#answer(sessionId, ask, options)) as AnswerTo<A>;
  }

  /** The project is being deleted. Yields the homes that have nothing of it any more. */
  async removeProject(projectId: string): Promise<number[]> {
    const { homes, worlds } = this.services;
    const before = new Set(homes?.owned());
    await worlds.removeProject(projectId);
    return (homes?.owned() ?? []).filter((home) => before.has(home));
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#sweeper.stop();
    const { sessionMemory, bindings } = this.services;
    sessionMemory.leave();
    await bindings.close();
    await this.#delivering;
    await Promise.all(this.#delivered);
    await this.worlds.close();
  }

  async #answer(sessionId: string, ask: WorldAsk, options: AskOptions | undefined): Promise<unknown> {
    const { sessionMemory } = this.services;
    switch (ask.kind) {
      case 'make':
        return await this.#make(sessionId, ask);
      case 'open':
        return madeOf(await sessionMemory.world(sessionId));
      case 'command':
        return await (await sessionMemory.world(sessionId)).command(ask.command, options);
      case 'query':
        return await (await sessionMemory.world(sessionId)).query(ask.query);
      case 'fork':
        return await this.#fork(sessionId, ask.request);
      case 'passivate':
        await (await sessionMemory.world(sessionId)).passivate();
        return null;
      case 'destroy':
        return await this.#destroy(sessionId);
      case 'ended':
        sessionMemory.ended(sessionId);
        return null;
      case 'delivering':
        return sessionMemory.isDelivering(sessionId);
      case 'unanswered':
        return await sessionMemory.unansweredOf(sessionId);
      case 'closeRun':
        return await this.#closeRun(ask.hostedRunId);
    }
  }

  async #make(sessionId: string, { isNew }: Extract<WorldAsk, { kind: 'make' }>): Promise<WorldAskAnswers['make']> {
    const record = this.catalog.view.get(sessionTable, sessionId);
    if (record === undefined) throw new SessionUnknown();
    const build = await loadBuild(this.services, record.session);
    return madeOf(await makeWorld(this.services, record, { build, isNew }));
  }

  async #fork(sessionId: string, request: ForkWorld): Promise<WorldAskAnswers['fork']> {
    const { sessionMemory } = this.services;
    if (this.catalog.view.get(sessionTable, request.worldId) === undefined) throw new SessionUnknown();
    const { world, position } = await (await sessionMemory.world(sessionId)).fork(request);
    sessionMemory.remember(world);
    return { ...madeOf(world), position };
  }

  async #destroy(sessionId: string): Promise<null> {
    const { sessionMemory, worlds } = this.services;
    sessionMemory.ended(sessionId);
    await (await worlds.open(sessionId)).destroy();
    sessionMemory.forget(sessionId);
    return null;
  }

  async #closeRun(hostedRunId: string): Promise<WorldAskAnswers['closeRun']> {
    const { runMemory } = this.services;
    await runMemory.close(hostedRunId);
    return { observed: runMemory.takeObserved(hostedRunId), ...defined({ unanswered: runMemory.takeUnanswered(hostedRunId) }) };
  }
}

const madeOf = ({ worldInstanceId }: { worldInstanceId: string }): WorldAskAnswers['open'] => ({ worldInstanceId });
