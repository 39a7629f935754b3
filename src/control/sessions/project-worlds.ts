// The worlds of a service, each with the hosts of its project: worlds of two projects never share a host. A project's hosts start with the
// first message to one of its worlds and end when none has had one for a while; the next message starts them again, and no holder of a
// reference notices.
//   PROJECT-WORLDS-1. The hosts of a project own one data folder, and a data folder has the hosts of one project.
//   PROJECT-WORLDS-2. Messages of one world are sent in the order of the calls, over a restart of its hosts too; hosts end only where
//     nobody has asked for them since they were found quiet.
//   PROJECT-WORLDS-3. Once the worlds of a project are removed nothing starts its hosts any more, and its folder is gone; of homes, the
//     files of those that the service owns.
//   PROJECT-WORLDS-4. Of homes, hosts serve those that the service owns, whenever they started; when one is closed, no file of it is open.
//   PROJECT-WORLDS-5. A copy has plain files of worlds alone: no link that a host left in the folder is followed, and no pipe opened.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LruMap } from '../../collections/lru-map.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { AdvanceProgress, WorldAnswers, WorldCommand, WorldQuery } from '../../contract/world/world-protocol.js';
import { dataFileOf } from '../../files/database.js';
import { removeFolder } from '../../files/remove-folder.js';
import type {
  CreateWorld,
  FolderLog,
  ForkWorld,
  HomedWorlds,
  SendOptions,
  WorldFiles,
  WorldHomes,
  WorldRef,
  Worlds,
} from '../../worlds/api.js';
import { homeFileName } from '../../worlds/homes.js';
import { isPlainFile, takeCopy } from '../../worlds/taken-file.js';
import type { HomesLog, ServiceHomes, ServiceWorlds } from '../core/services.js';
import { tuning } from '../tuning.js';

export interface ProjectWorldsParts {
  /** The folder of all data folders. */
  directory: string;
  /** The project of a world; undefined when no session of that name is known. */
  projectOf(worldId: string): string | undefined;
  /** False: its hosts are not to start any more. */
  isOpen(projectId: string): boolean;
  /**
   * Starts the hosts of one project. Among all hosts of the service, theirs are numbered from `firstHost`. `homes`: of `homes`, as they are
   * now.
   */
  open(folder: string, of: { projectId: string; firstHost: number; homes: WorldHomes | undefined }): Promise<HostedWorlds>;
  /** Absent: the service has all worlds of its folder. */
  homes?: Omit<ServiceHomes, 'use'> | undefined;
  /** Projects whose hosts stand at once. Default limits.projectsLiveMax. */
  projectsLiveMax?: number;
  idleMs?: number;
  /** How many processes wait to become hosts. Default: none do. */
  hostsReady?: () => number;
  /** After the last host has ended. */
  onClosed?: () => Promise<void>;
}

type HostedWorlds = Worlds & WorldFiles & HomedWorlds;
/** Of one project while its hosts stand, or start. */
interface Hosts {
  worlds: Promise<HostedWorlds>;
  /** Once they stand. */
  ready?: HostedWorlds;
  /** Copies of their files under way: they stand as long. */
  copying: number;
  usedMs: number;
  /** How often somebody has asked for them. */
  uses: number;
  firstHost: number;
}

export class ProjectWorlds implements ServiceWorlds, HomedWorlds {
  readonly #parts: ProjectWorldsParts;
  readonly #projects = new Map<string, Hosts>();
  /** Of projects whose hosts are ending: the next ones start after them. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #look: NodeJS.Timeout;
  /** Of each project that has had hosts, while the service runs. */
  readonly #firstHosts = new Map<string, number>();
  /** A world stays in its project, and each message asks. */
  readonly #projectsOfWorlds = new LruMap<string, string>({ entriesMax: limits.projectsOfWorldsKept });
  #closed = false;

  constructor(parts: ProjectWorldsParts) {
    this.#parts = parts;
    this.#look = setInterval(() => void this.#endIdle(), Math.max(tuning.hostLookMsMin, this.#idleMs / tuning.hostLooksPerIdleTime));
    this.#look.unref();
  }

  async create(request: CreateWorld): Promise<WorldRef> {
    const projectId = this.#requireProject(request.worldId);
    const worlds = await this.hostsOf(projectId);
    return this.#ref(projectId, worlds, await worlds.create(request));
  }

  async open(worldId: string): Promise<WorldRef> {
    const projectId = this.#requireProject(worldId);
    const worlds = await this.hostsOf(projectId);
    return this.#ref(projectId, worlds, await worlds.open(worldId));
  }

  hostOf(worldId: string): number {
    const projectId = this.#requireProject(worldId);
    return this.#firstHostOf(projectId) + (this.#projects.get(projectId)?.ready?.hostOf(worldId) ?? 0);
  }

  get hostCount(): number {
    return [...this.#projects.values()].reduce((sum, { ready }) => sum + (ready?.hostCount ?? 0), 0);
  }

  async killHost(index: number): Promise<void> {
    const hosts = [...this.#projects.values()].find(
      ({ firstHost, ready }) => index >= firstHost && index < firstHost + (ready?.hostCount ?? 0),
    );
    if (hosts === undefined) throw new ServiceError('control.NOT_FOUND', { message: `There is no host ${index}.` });
    await hosts.ready?.killHost(index - hosts.firstHost);
  }

  async stats(): ReturnType<Worlds['stats']> {
    const stats = await Promise.all(
      [...this.#projects.values()].map(async ({ firstHost, ready }) => {
        const { hosts } = (await ready?.stats()) ?? { hosts: [] };
        return hosts.map((host) => ({ ...host, index: firstHost + host.index }));
      }),
    );
    return { hosts: stats.flat(), hostsReady: this.#parts.hostsReady?.() ?? 0 };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#look);
    await Promise.all([...this.#projects.keys()].map((projectId) => this.#end(projectId)));
    await Promise.all(this.#ending.values());
    await this.#parts.onClosed?.();
  }

  async removeProject(projectId: string): Promise<void> {
    // Those that were asked for before it was closed stand or start by now, and none come after them.
    await this.#end(projectId);
    await this.#ending.get(projectId);
    const folder = projectFolder(projectId);
    const log = this.#parts.homes?.log;
    // What lies in the folder of homes that are another's goes by that one's log.
    if (log !== undefined) await log.removeStream(folder);
    else await removeFolder(join(this.#parts.directory, folder));
  }

  async copyProject(projectId: string, into: string, worldIds: readonly string[]): Promise<void> {
    const folder = join(this.#parts.directory, projectFolder(projectId));
    const stood = this.#projects.has(projectId);
    if (!stood) await this.#ending.get(projectId);
    if (!stood && !existsSync(folder)) return;
    if (!stood && !this.#parts.isOpen(projectId)) return copyAtRest(folder, into, this.#parts.homes);
    const worlds = await this.hostsOf(projectId);
    const hosts = this.#projects.get(projectId);
    if (hosts === undefined) throw new ServiceError('world.ACTOR_RESTARTED', { message: 'The hosts of the project have ended.' });
    hosts.copying += 1;
    try {
      await worlds.copyFiles(into, worldIds);
    } finally {
      hosts.copying -= 1;
      if (!stood) await this.#endQuiet(projectId, hosts);
    }
  }

  /** To be called when `homes.owned` has it. Hosts that start later open it by themselves. */
  async openHome(home: number): Promise<void> {
    await this.#ofAllHosts((worlds) => worlds.openHome(home));
  }

  /** To be called when `homes.owned` has it no more. Resolves when no host of the service has a file of it open. */
  async closeHome(home: number, how?: { lost?: boolean }): Promise<void> {
    const ending = [...this.#ending.values()];
    await this.#ofAllHosts((worlds) => worlds.closeHome(home, how));
    await Promise.all(ending);
  }

  /** Those that start are waited for. */
  async #ofAllHosts(tell: (worlds: HostedWorlds) => Promise<void>): Promise<void> {
    const all = [...this.#projects.values()].map(async ({ worlds }) => {
      const started = await worlds.catch(() => undefined);
      if (started !== undefined) await tell(started);
    });
    await Promise.all(all);
  }

  /**
   * The worlds of a project, its hosts started if need be. Rejects with control.UNAVAILABLE where no more may stand and none can be spared.
   */
  hostsOf(projectId: string): Promise<HostedWorlds> {
    const known = this.#projects.get(projectId);
    if (known !== undefined) {
      noteUse(known);
      return known.worlds;
    }
    if (this.#closed) return Promise.reject(new ServiceError('control.UNAVAILABLE', { message: 'The service is closing.' }));
    if (!this.#parts.isOpen(projectId))
      return Promise.reject(new ServiceError('control.NOT_FOUND', { message: 'The worlds of this project are removed.' }));
    const firstHost = this.#firstHostOf(projectId);
    const hosts: Hosts = { worlds: this.#start(projectId, firstHost), usedMs: performance.now(), uses: 0, copying: 0, firstHost };
    this.#projects.set(projectId, hosts);
    hosts.worlds.then(
      (worlds) => {
        hosts.ready = worlds;
      },
      () => this.#projects.delete(projectId),
    );
    return hosts.worlds;
  }

  /** Its hosts will be needed soon. As many as may stand do already, or they do not start: the first message finds out. */
  async prepare(projectId: string): Promise<void> {
    if (this.#projects.size < this.#liveMax) await this.hostsOf(projectId).catch(() => {});
  }

  /** The worlds themselves when they stand: no promise stands between a message and them. */
  readyOf(projectId: string): Worlds | undefined {
    const known = this.#projects.get(projectId);
    if (known?.ready === undefined) return undefined;
    noteUse(known);
    return known.ready;
  }

  #firstHostOf(projectId: string): number {
    const known = this.#firstHosts.get(projectId) ?? this.#firstHosts.size * tuning.hostsOfProjectMax;
    this.#firstHosts.set(projectId, known);
    return known;
  }

  async #start(projectId: string, firstHost: number): Promise<HostedWorlds> {
    await this.#freeHosts();
    await this.#ending.get(projectId);
    const { homes: all, directory } = this.#parts;
    const stream = projectFolder(projectId);
    const homes = all && { count: all.count, open: all.owned(), ...(all.log && { log: logOfFolder(all.log, stream) }) };
    return await this.#parts.open(join(directory, stream), { projectId, firstHost, homes });
  }

  /** Ends the hosts that were used least lately, if nobody is at work there. */
  async #freeHosts(): Promise<void> {
    if (this.#projects.size < this.#liveMax) return;
    const oldest = [...this.#projects]
      .filter(([, { ready }]) => ready !== undefined)
      .sort(([, one], [, other]) => one.usedMs - other.usedMs);
    for (const [projectId, hosts] of oldest) {
      if (performance.now() - hosts.usedMs >= limits.hostsSpareMs && (await this.#endQuiet(projectId, hosts))) return;
    }
    throw new ServiceError('control.UNAVAILABLE', {
      message: 'As many projects are at work as the service can hold.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    });
  }

  async #endIdle(): Promise<void> {
    for (const [projectId, hosts] of this.#projects) {
      if (hosts.ready === undefined || performance.now() - hosts.usedMs < this.#idleMs) continue;
      await this.#endQuiet(projectId, hosts);
    }
  }

  /** False where something is under way, or came while that was asked: then they stand. */
  async #endQuiet(projectId: string, hosts: Hosts): Promise<boolean> {
    const { uses } = hosts;
    const stats = await hosts.ready?.stats();
    const isQuiet = (stats?.hosts ?? []).every(({ mailboxDepth }) => mailboxDepth === 0);
    if (!isQuiet || hosts.copying > 0 || hosts.uses !== uses || this.#projects.get(projectId) !== hosts) return false;
    await this.#end(projectId);
    return true;
  }

  #end(projectId: string): Promise<void> {
    const hosts = this.#projects.get(projectId);
    if (hosts === undefined) return Promise.resolve();
    this.#projects.delete(projectId);
    const ended = hosts.worlds
      .then((worlds) => worlds.close())
      .catch(() => {})
      .finally(() => this.#ending.delete(projectId));
    this.#ending.set(projectId, ended);
    return ended;
  }

  get #liveMax(): number {
    return this.#parts.projectsLiveMax ?? limits.projectsLiveMax;
  }
  get #idleMs(): number {
    return this.#parts.idleMs ?? limits.hostsIdleMs;
  }

  #requireProject(worldId: string): string {
    const known = this.#projectsOfWorlds.get(worldId);
    if (known !== undefined) return known;
    const projectId = this.#parts.projectOf(worldId);
    if (projectId === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'There is no such world.', details: { worldId } });
    this.#projectsOfWorlds.set(worldId, projectId);
    return projectId;
  }

  #ref(projectId: string, worlds: Worlds, ref: WorldRef): WorldRef {
    return new ProjectWorldRef(this, projectId, { worlds, ref });
  }
  /** Of a world that was made beside another one of its project. */
  refOf(projectId: string, worlds: Worlds, ref: WorldRef): WorldRef {
    return this.#ref(projectId, worlds, ref);
  }
}

function noteUse(hosts: Hosts): void {
  hosts.usedMs = performance.now();
  hosts.uses += 1;
}

/** Of a project whose hosts start no more. Code that has left its realm may have put anything there: what is no file is no world's. */
async function copyAtRest(folder: string, into: string, homes: ProjectWorldsParts['homes']): Promise<void> {
  const owned = homes && new Set(homes.owned().map(homeFileName));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || owned?.has(entry.name) === false) continue;
    const file = dataFileOf(join(folder, entry.name));
    if (await isPlainFile(file)) await takeCopy(file, dataFileOf(join(into, entry.name)));
  }
}

const logOfFolder = (log: HomesLog, stream: string): FolderLog => ({
  append: (home, record) => log.append(home, stream, record),
  endOf: (home) => log.endOf(home, stream),
  unwritten: (home) => log.unwritten(home, stream),
  written: (home, number) => log.written(home, stream, number),
});

/** The folder is named by a digest: an id is never a path. */
export function projectFolder(projectId: string): string {
  return `p-${createHash('sha256').update(projectId).digest('hex').slice(0, 32)}`;
}
export const isProjectFolder = (name: string): boolean => /^p-[0-9a-f]{32}$/.test(name);

interface Current {
  worlds: Worlds;
  ref: WorldRef;
}

class ProjectWorldRef implements WorldRef {
  readonly worldId: string;
  readonly worldInstanceId: string;
  readonly #owner: ProjectWorlds;
  readonly #projectId: string;
  #current: Current;
  /** While the hosts start again: every message waits for it, in order. */
  #reopening: Promise<Current> | undefined;

  constructor(owner: ProjectWorlds, projectId: string, current: Current) {
    this.worldId = current.ref.worldId;
    this.worldInstanceId = current.ref.worldInstanceId;
    this.#owner = owner;
    this.#projectId = projectId;
    this.#current = current;
  }

  command<C extends WorldCommand>(command: C, options?: SendOptions<AdvanceProgress>): Promise<WorldAnswers[C['kind']]> {
    return this.#with(({ ref }) => ref.command(command, options));
  }
  query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]> {
    return this.#with(({ ref }) => ref.query(query));
  }
  async fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    return await this.#with(async ({ worlds, ref }) => {
      const { world, position } = await ref.fork(request);
      return { world: this.#owner.refOf(this.#projectId, worlds, world), position };
    });
  }
  passivate(): Promise<void> {
    return this.#with(({ ref }) => ref.passivate());
  }
  destroy(): Promise<void> {
    return this.#with(({ ref }) => ref.destroy());
  }

  #with<T>(send: (current: Current) => Promise<T>): Promise<T> {
    if (this.#reopening === undefined && this.#owner.readyOf(this.#projectId) === this.#current.worlds) return send(this.#current);
    this.#reopening ??= this.#reopen();
    return this.#reopening.then(send);
  }

  async #reopen(): Promise<Current> {
    try {
      for (;;) {
        const worlds = await this.#owner.hostsOf(this.#projectId);
        if (worlds !== this.#current.worlds) this.#current = { worlds, ref: await worlds.open(this.worldId) };
        // They may have ended meanwhile. Asked for now, they stand until those that wait have been sent.
        if (this.#owner.readyOf(this.#projectId) === worlds) return this.#current;
      }
    } finally {
      // After those that wait have been sent.
      queueMicrotask(() => {
        this.#reopening = undefined;
      });
    }
  }
}
