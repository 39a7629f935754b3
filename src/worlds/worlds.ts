// The worlds of one directory: creates, finds and forks them, and sends their messages to wherever they live.
import { join } from 'node:path';
import type { ActorLogEntry } from '../actors/options.js';
import { ActorSystem } from '../actors/system.js';
import { defined } from '../contract/defined.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { WorldProgram } from '../contract/run/build.js';
import { isSeed } from '../contract/seed-text.js';
import { worldAnswerFits } from '../contract/validate/answer-validators.js';
import { stepWords } from '../contract/world/step-words.js';
import type { WorldAnswers, WorldCommand, WorldPosition, WorldQuery } from '../contract/world/world-protocol.js';
import { dataFileOf } from '../files/database.js';
import type {
  CreateWorld,
  ForkWorld,
  HomedWorlds,
  HostChildren,
  SendOptions,
  WorldFiles,
  WorldHomes,
  WorldRef,
  Worlds,
  WorldsOptions,
} from './api.js';
import type { ForkCommand, ForkReply } from './commands/fork-world.js';
import { type PackedScheduleReply, packSchedule, scheduledIds } from './commands/packed-schedule.js';
import { isHomeFileName, isHostFileName } from './file-names.js';
import { HomePlacement, homeOf } from './homes.js';
import type { CopyReply, CreateReply, CreateRequest, FindReply, HostOptions, HostRequest } from './host-requests.js';
import { SystemHomes } from './system-homes.js';
import { takeFile } from './taken-file.js';
import { copyName } from './world-file-copy.js';

/** What every host of worlds loads. */
export const worldHostModule = new URL('./host.js', import.meta.url);
const worldIdShape = /^(run|world|ses)_[0-9a-z]{12,32}$/;

/** Rejects when a host could not be started. */
export async function openWorlds(options: WorldsOptions): Promise<Worlds & WorldFiles & HomedWorlds> {
  const { directory, layout, durability, hosts, hostsAtStart = hosts, isolation, handlerTimeoutMs, idlePassivationMs } = options;
  const {
    hostCoolDownMs = limits.hostCoolDownMs,
    freshModulePerTurn = false,
    printThrows = false,
    storedBytesMax,
    log = logBug,
    children,
    hostHeapMb,
    onStepSeen,
  } = options;
  const homes = layout === 'homes' ? new SystemHomes(options.homes as WorldHomes, { hosts, children }) : undefined;
  const hostOptions: HostOptions = {
    directory: children?.directory ?? directory,
    layout,
    homes: homes?.count,
    isLogged: options.homes?.log !== undefined,
    durability,
    hosts,
    freshModulePerTurn,
    printThrows,
    storedBytesMax,
  };
  const system = await ActorSystem.start({
    hostModule: worldHostModule,
    hostOptions,
    hosts,
    hostsAtStart,
    isolation,
    answerFits: worldAnswerFits,
    restarts: { max: limits.hostRestartsMax, windowMs: limits.hostRestartWindowMs, coolDownMs: hostCoolDownMs },
    log,
    ...(children === undefined ? {} : { takeChild: () => children.take() }),
    ...defined({ handlerTimeoutMs, idlePassivationMs }),
    ...(hostHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: hostHeapMb } }),
    ...defined({ onStepSeen }),
    ...(homes && {
      answer: (host, request) => homes.answer(host, request),
      placement: new HomePlacement({ homes: homes.count, hosts }),
    }),
  });
  homes?.use(system);
  return new LocalWorlds(system, hostOptions, { handlerTimeoutMs: handlerTimeoutMs ?? limits.handlerTimeoutMs, children, homes });
}

class LocalWorlds implements Worlds, WorldFiles, HomedWorlds {
  readonly #system: ActorSystem;
  readonly #hosts: number;
  readonly #layout: HostOptions['layout'];
  readonly #handlerTimeoutMs: number;
  readonly #children: HostChildren | undefined;
  readonly #homes: SystemHomes | undefined;
  readonly #door: WorldsDoor = {
    fork: (worldId, request) => this.#fork(worldId, request),
    destroy: (worldId) => this.#destroy(worldId),
    named: (error, command) => namedTimeout(error, command, this.#handlerTimeoutMs),
  };
  #closed: Promise<void> | undefined;

  constructor(
    system: ActorSystem,
    { hosts, layout }: HostOptions,
    { handlerTimeoutMs, children, homes }: { handlerTimeoutMs: number; children: HostChildren | undefined; homes: SystemHomes | undefined },
  ) {
    this.#homes = homes;
    this.#handlerTimeoutMs = handlerTimeoutMs;
    this.#children = children;
    this.#system = system;
    this.#hosts = hosts;
    this.#layout = layout;
  }

  async create(request: CreateWorld): Promise<WorldRef> {
    const {
      worldId,
      build,
      setup,
      setupHash,
      seed,
      budgets = { maxToolCalls: null, maxEvents: null },
      recordRandom = false,
      placement = 'shared',
      isNew = false,
      isChecked = false,
    } = request;
    requireWorldId(worldId);
    if (!isSeed(seed.seed)) throw new ServiceError('control.INVALID_REQUEST', { message: 'A seed is a decimal unsigned 64-bit integer.' });
    if (this.#homes !== undefined && placement !== 'shared')
      throw new ServiceError('control.INVALID_REQUEST', { message: 'A world is on the host of its home.' });
    const ask: CreateRequest = { kind: 'create', worldId, buildHash: build.buildHash, setupHash, seed, budgets, recordRandom, isChecked };
    const home = typeof placement === 'object' ? this.#standing(placement.host) : this.#system.hostOf(worldId);
    if (!isNew && (await this.#isElsewhere(worldId, home))) throw worldExists(worldId);
    const host = placement === 'exclusive' ? await this.#system.place(worldId, 'exclusive') : home;
    try {
      let reply = await this.#ask<CreateReply>(host, ask);
      if (reply.kind === 'unknown_program') {
        const program: WorldProgram = { schemaVersion: 1, buildHash: build.buildHash, tools: build.tools, setup, setupHash };
        reply = await this.#ask<CreateReply>(host, { ...ask, program });
      }
      if (reply.kind !== 'created') throw new Error('a host that was given a program does not know it');
      requireInstanceId(reply);
      // It had to be made before it is given the place: one that exists already lives elsewhere.
      if (typeof placement === 'object') await this.#system.placeNew(worldId, placement);
      return this.#ref(worldId, reply.worldInstanceId);
    } catch (error) {
      if (placement === 'exclusive') await this.#system.release(worldId);
      throw error;
    }
  }

  async open(worldId: string): Promise<WorldRef> {
    requireWorldId(worldId);
    const first = this.#system.hostOf(worldId);
    for (const host of this.#homes === undefined ? [first, ...this.#hostsBut(first)] : [first]) {
      const found = await this.#ask<FindReply>(host, { kind: 'find', worldId });
      if (found === undefined) continue;
      requireInstanceId(found);
      if (host !== first) await this.#system.place(worldId, { host });
      return this.#ref(worldId, found.worldInstanceId);
    }
    throw new ServiceError('control.NOT_FOUND', { message: 'There is no such world.', details: { worldId } });
  }

  get hostCount(): number {
    return this.#hosts;
  }
  hostOf(worldId: string): number {
    return this.#system.hostOf(worldId);
  }
  killHost(index: number): Promise<void> {
    return this.#system.killHost(index);
  }

  async stats(): ReturnType<Worlds['stats']> {
    const hosts = await this.#system.stats();
    return {
      hosts: hosts.map(({ index, actorsLive, mailboxDepth, commits, residentBytes, restarts }) => ({
        index,
        worldsLive: actorsLive,
        mailboxDepth,
        commits,
        residentBytes,
        restarts,
      })),
    };
  }

  async copyFiles(into: string, worldIds: readonly string[]): Promise<void> {
    for (let host = 0; host < this.#hosts; host++) {
      const { inside, outside } = this.#children?.exchange ?? { inside: into, outside: () => into };
      const reply = await this.#ask<CopyReply>(host, { kind: 'copy', to: inside, worldIds: [...worldIds] });
      // The folder of a host that has ended meanwhile went with it, and there is nothing to take.
      const from = outside();
      for (const name of requireFileNames(reply, this.#layout)) await takeFile(join(from, copyName(name)), dataFileOf(join(into, name)));
    }
  }

  async openHome(home: number): Promise<void> {
    await this.#requireHomes().openHome(home);
  }
  async closeHome(home: number, how?: { lost?: boolean }): Promise<void> {
    const homes = this.#requireHomes();
    await (this.#closed ?? homes.closeHome(home, how));
  }

  close(): Promise<void> {
    this.#closed ??= this.#system.close();
    return this.#closed;
  }

  #requireHomes(): SystemHomes {
    if (this.#homes !== undefined) return this.#homes;
    throw new ServiceError('control.INVALID_REQUEST', { message: 'These worlds have no homes.' });
  }

  /** A host searches its own data file before it makes a world; this searches those of the others. */
  async #isElsewhere(worldId: string, home: number): Promise<boolean> {
    if (this.#layout !== 'shared') return false;
    const found = await Promise.all(this.#hostsBut(home).map((host) => this.#ask<FindReply>(host, { kind: 'find', worldId })));
    return found.some((world) => world !== undefined);
  }
  #standing(host: number): number {
    if (Number.isInteger(host) && host >= 0 && host < this.#hosts) return host;
    throw new ServiceError('control.INVALID_REQUEST', { message: `A host is one of 0 to ${this.#hosts - 1}.` });
  }
  #hostsBut(host: number): number[] {
    return Array.from({ length: this.#hosts }, (_, index) => index).filter((index) => index !== host);
  }

  #ask<T>(host: number, request: HostRequest): Promise<T> {
    return this.#system.control(host, request) as Promise<T>;
  }

  #ref(worldId: string, worldInstanceId: string): WorldRef {
    return new LocalWorldRef({ worldId, worldInstanceId }, this.#system, this.#door);
  }

  /** The child is on the host where it was made: beside its parent, or on the standing host of that data file. */
  async #fork(
    parentId: string,
    { worldId, atSequence, snapshotId, isNew = false }: ForkWorld,
  ): Promise<{ world: WorldRef; position: WorldPosition }> {
    requireWorldId(worldId);
    if (this.#homes !== undefined && homeOf(worldId, this.#homes.count) !== homeOf(parentId, this.#homes.count))
      throw new ServiceError('control.INVALID_REQUEST', { message: 'A fork is in the home of its parent.' });
    const command: ForkCommand = { kind: 'fork', worldId };
    if (atSequence !== undefined) command.atSequence = atSequence;
    if (snapshotId !== undefined) command.snapshotId = snapshotId;
    const home = this.#system.hostOf(parentId) % this.#hosts;
    // Sent before anything is awaited: a fork keeps its place among the commands of its parent.
    const making = this.#system.command(parentId, command) as Promise<ForkReply>;
    const [{ worldInstanceId, position }, isTaken] = await Promise.all([making, isNew ? false : this.#isElsewhere(worldId, home)]);
    if (isTaken) {
      await this.#ask(home, { kind: 'destroy', worldId });
      throw worldExists(worldId);
    }
    if (this.#system.hostOf(worldId) !== home) await this.#system.placeNew(worldId, { host: home });
    return { world: this.#ref(worldId, worldInstanceId), position };
  }

  async #destroy(worldId: string): Promise<void> {
    await this.#system.passivate(worldId);
    await this.#ask(this.#system.hostOf(worldId), { kind: 'destroy', worldId });
    await this.#system.release(worldId);
  }
}

/** A step that was ended is reported with what it was, and how long it may take. */
function namedTimeout(error: unknown, asked: WorldCommand | WorldQuery, handlerTimeoutMs: number): unknown {
  if (!isServiceError(error, 'world.HANDLER_TIMEOUT')) return error;
  if (asked.kind !== 'checkTools') {
    const message = `${stepWords(asked)} took longer than ${handlerTimeoutMs} ms and was ended.`;
    return new ServiceError(error.code, { ...error.extra, message, cause: error });
  }
  const { packageId } = asked;
  const message = `${packageId === undefined ? 'A tool' : `Tool '${packageId}'`} cannot be loaded: its module did not end within ${handlerTimeoutMs} ms.`;
  return new ServiceError(error.code, {
    ...error.extra,
    message,
    ...(packageId === undefined ? {} : { details: { packageId } }),
    cause: error,
  });
}

/** One for all worlds: what a reference has of its own is its names. */
interface WorldsDoor {
  named(error: unknown, asked: WorldCommand | WorldQuery): unknown;
  fork(worldId: string, request: ForkWorld): ReturnType<WorldRef['fork']>;
  destroy(worldId: string): Promise<void>;
}

class LocalWorldRef implements WorldRef {
  readonly worldId: string;
  readonly worldInstanceId: string;
  readonly #system: ActorSystem;
  readonly #door: WorldsDoor;

  constructor({ worldId, worldInstanceId }: { worldId: string; worldInstanceId: string }, system: ActorSystem, door: WorldsDoor) {
    this.worldId = worldId;
    this.worldInstanceId = worldInstanceId;
    this.#system = system;
    this.#door = door;
  }

  command<C extends WorldCommand>(command: C, { signal, onProgress }: SendOptions<never> = {}): Promise<WorldAnswers[C['kind']]> {
    const options = { ...(signal && { signal }), ...(onProgress && { onProgress: onProgress as (value: unknown) => void }) };
    const packed = command.kind === 'schedule' ? packSchedule(command) : undefined;
    const sent = this.#system.command(this.worldId, packed ?? command, options);
    const answer = (
      packed === undefined ? sent : sent.then((reply) => ({ scheduledEventIds: scheduledIds(reply as PackedScheduleReply, packed) }))
    ) as Promise<WorldAnswers[C['kind']]>;
    return answer.catch((error: unknown) => {
      throw this.#door.named(error, command);
    });
  }
  query<Q extends WorldQuery>(query: Q): Promise<WorldAnswers[Q['kind']]> {
    const answer = this.#system.query(this.worldId, query) as Promise<WorldAnswers[Q['kind']]>;
    return answer.catch((error: unknown) => {
      throw this.#door.named(error, query);
    });
  }
  fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    return this.#door.fork(this.worldId, request);
  }
  passivate(): Promise<void> {
    return this.#system.passivate(this.worldId);
  }
  destroy(): Promise<void> {
    return this.#door.destroy(this.worldId);
  }
}

function logBug(entry: ActorLogEntry): void {
  if (entry.event === 'actor_failed') console.error(`drillyard: ${entry.actorId} (${entry.correlationId})\n${entry.stack}`);
}

/** A host in a process of its own may have sent anything. */
function requireInstanceId({ worldInstanceId }: { worldInstanceId: unknown }): void {
  if (typeof worldInstanceId !== 'string' || !/^world_[0-9a-z]{1,64}$/.test(worldInstanceId))
    throw new Error('a host named a world by no id');
}

function requireFileNames({ names }: { names: unknown }, layout: HostOptions['layout']): string[] {
  const isNameHere = layout === 'homes' ? isHomeFileName : isHostFileName;
  const isName = (name: unknown): boolean => typeof name === 'string' && isNameHere(name);
  if (!Array.isArray(names) || !names.every(isName) || new Set(names).size < names.length)
    throw new Error('a host named its files by something else than their names');
  return names as string[];
}

function worldExists(worldId: string): ServiceError {
  return new ServiceError('control.STATE_CONFLICT', { message: 'The world exists.', details: { worldId } });
}

function requireWorldId(worldId: string): void {
  if (worldIdShape.test(worldId)) return;
  throw new ServiceError('control.INVALID_REQUEST', {
    message: 'A world id is run_, world_ or ses_ and 12 to 32 digits or lower-case letters.',
  });
}
