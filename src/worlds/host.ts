// The world kind of actor: what a host thread or process loads. Owns its data files and the programs it has seen.
import { join } from 'node:path';
import type { Actor, ActorKind, CreateActorKind, HostFacts } from '../actors/definition.js';
import { LruMap } from '../collections/lru-map.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { WorldProgram } from '../contract/run/build.js';
import { type SpaceSeen, seeSpace } from '../files/disk-full.js';
import { begin, tagOf, worldInstanceId } from './commands/birth.js';
import { homeFileName, homeOfFileName } from './homes.js';
import type {
  CloseHomeRequest,
  CreateReply,
  CreateRequest,
  FindReply,
  HostOptions,
  HostRequest,
  OpenHomesAnswer,
  OpenHomesAsk,
} from './host-requests.js';
import { HostStreamLogs } from './host-stream-log.js';
import type { StreamLog } from './kv/stream-log.js';
import type { WriteSet } from './kv/write-set.js';
import { LmdbFiles } from './lmdb-files.js';
import { programKeyOf, type WorldRepository } from './state/world-repository.js';
import { checkSetup, Program } from './turn/program.js';
import type { WorldMeta } from './turn/world-meta.js';
import { WorldActor, type WorldWrites } from './world.js';

export const createActorKind: CreateActorKind = (options, host) => {
  const { layout, isLogged = false } = options as HostOptions;
  if (layout !== 'homes') return new WorldKind(options as HostOptions, host);
  const logs = isLogged ? new HostStreamLogs(host) : undefined;
  return new WorldKind(options as HostOptions, host, logs && ((file) => logs.of(homeOfFileName(file) as number)), logs).openHomes();
};
/** Hosts of several machines: each data file writes to its log, `logOf` by the name of the file. */
export const createLoggedKind = (options: HostOptions, host: HostFacts, logOf: (file: string) => StreamLog): ActorKind =>
  new WorldKind(options, host, logOf);

interface KnownProgram {
  program: Program;
  source: WorldProgram;
}

class WorldKind implements ActorKind {
  readonly #options: HostOptions;
  readonly #host: HostFacts;
  readonly #files: LmdbFiles;
  /** By program key. */
  readonly #programs = new LruMap<string, KnownProgram>({ entriesMax: limits.hostProgramsMax });
  /** The last request about a home: they are carried out one after the other. */
  readonly #homeTurns = new Map<number, Promise<void>>();

  /** Made here, and not committed yet; with a log, not in it yet. Nobody is answered for them. */
  readonly #unborn = new Map<string, Promise<unknown>>();
  readonly #isLogged: boolean;
  readonly #logs: HostStreamLogs | undefined;

  constructor(options: HostOptions, host: HostFacts, logOf?: (file: string) => StreamLog, logs?: HostStreamLogs) {
    this.#options = options;
    this.#host = host;
    this.#files = new LmdbFiles(options, host.index, logOf);
    this.#isLogged = logOf !== undefined;
    this.#logs = logs;
  }

  /** An earlier incarnation of this host may have served others. */
  async openHomes(): Promise<this> {
    const { homes } = (await this.#host.ask({ kind: 'openHomes' } satisfies OpenHomesAsk)) as OpenHomesAnswer;
    for (const home of homes) {
      // What is wrong with one concerns no other: its worlds are refused.
      await this.#openHome(home).catch((error: Error) => console.error(`drillyard: home ${home} is not open: ${error.message}`));
    }
    return this;
  }

  activate(worldId: string, incarnation: number): Actor {
    if (this.#unborn.has(worldId)) throw unborn(worldId);
    const store = this.#files.of(worldId);
    const storage = store?.loadWorld(worldId, incarnation);
    if (store === undefined || storage === undefined) throw notFound(worldId);
    // It was checked before it was stored.
    const known = this.#program(storage.programKey, () => store.loadProgram(storage.programKey), true);
    if (known === undefined) throw new Error(`the program of ${worldId} is missing`);
    return new WorldActor(
      { storage, program: known.program, meta: storage.meta as WorldMeta },
      {
        store,
        running: {
          freshModulePerTurn: this.#options.freshModulePerTurn,
          storedBytesMax: this.#options.storedBytesMax,
          report: this.#options.printThrows ? (text) => printThrow(worldId, text) : () => {},
        },
        storeForFork: (childId) => {
          this.#requireFree(childId);
          const target = this.#files.ofNew(childId);
          target.putProgram(known.source);
          return target;
        },
        wantsIdle: () => this.#host.wantsIdle(worldId),
        left: () => this.#files.release(worldId),
      },
    );
  }

  async commit(writeSets: readonly unknown[]): Promise<readonly (Error | undefined)[]> {
    const results = (writeSets as readonly WorldWrites[]).map(({ refusal }) => refusal);
    const byStore = new Map<WorldRepository, { set: WriteSet; index: number }[]>();
    /** Of one data file: what is wrong with it concerns no other. */
    const refuse = (store: WorldRepository, error: Error): void => {
      for (const { index } of byStore.get(store) ?? []) results[index] ??= error;
    };
    (writeSets as readonly WorldWrites[]).forEach((entry, index) => {
      if (entry.refusal !== undefined) return;
      for (const { store, set } of entry.writes) {
        const members = byStore.get(store);
        if (members === undefined) byStore.set(store, [{ set, index }]);
        else members.push({ set, index });
      }
    });
    const born: string[] = [];
    // All files of a host lie on one disk.
    let space: SpaceSeen | undefined;
    for (const [store, members] of byStore) {
      if (this.#files.isLost(store)) continue;
      space ??= spaceOf(store);
      store
        .commit(
          members.map(({ set }) => set),
          space,
        )
        .forEach((error, place) => {
          const { index, set } = members[place] as { index: number; set: WriteSet };
          results[index] ??= error;
          if (this.#isLogged && error === undefined && set.expected === undefined) born.push(set.worldId);
        });
    }
    const flushing = Promise.all([...byStore.keys()].map((store) => store.flushed().catch((error: Error) => refuse(store, error))));
    for (const worldId of born) this.#unborn.set(worldId, flushing);
    await flushing;
    for (const worldId of born) this.#unborn.delete(worldId);
    // Also where it was lost meanwhile: whether this commit is in what its next owner has is not known here.
    for (const store of byStore.keys()) if (this.#files.isLost(store)) refuse(store, new ServiceError('world.ACTOR_RESTARTED'));
    return results;
  }

  control(message: unknown): unknown {
    const request = message as HostRequest;
    switch (request.kind) {
      case 'create':
        return this.#create(request);
      case 'find':
        return this.#find(request.worldId);
      case 'destroy':
        return this.#destroy(request.worldId);
      case 'copy':
        return this.#files.copy(request);
      case 'openHome':
        return this.#inTurn(request.home, () => this.#openHome(request.home));
      case 'closeHome':
        return this.#closeHome(request);
      default:
        throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such request.' });
    }
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async #openHome(home: number): Promise<void> {
    await this.#logs?.bringIn(home, join(this.#options.directory, homeFileName(home)));
    this.#files.openHome(home);
  }

  #closeHome({ home, isLost }: CloseHomeRequest): Promise<void> {
    // At once, whatever the home waits for.
    this.#files.shutHome(home, { isLost });
    return this.#inTurn(home, async () => {
      this.#files.shutHome(home, { isLost });
      await this.#host.dismiss((worldId) => this.#files.homeOf(worldId) === home, { isLost });
      await this.#files.closeHome(home);
    });
  }

  #inTurn(home: number, work: () => Promise<void>): Promise<void> {
    const turn = (this.#homeTurns.get(home) ?? Promise.resolve()).catch(() => {}).then(work);
    this.#homeTurns.set(home, turn);
    return turn;
  }

  async #create(request: CreateRequest): Promise<CreateReply> {
    const { worldId, buildHash, setupHash, seed } = request;
    const key = programKeyOf(buildHash, setupHash);
    const known = this.#program(key, () => request.program, request.isChecked === true);
    if (known === undefined) return { kind: 'unknown_program' };
    this.#requireFree(worldId);
    const store = this.#files.ofNew(worldId);
    store.putProgram(known.source);
    const tag = tagOf({ buildHash, setupHash, seed });
    const storage = store.createWorld({ worldId, incarnation: 0, programKey: key, tag });
    const settings = { ...request, stateHash: store.baseStateHash(key) };
    const simulation = begin(storage, known.program, settings);
    const made = store.commitMade(storage, simulation.meta()).then(() => store.flushed());
    this.#unborn.set(worldId, made);
    try {
      await made;
    } finally {
      this.#unborn.delete(worldId);
    }
    return { kind: 'created', worldInstanceId: worldInstanceId(tag) };
  }

  async #destroy(worldId: string): Promise<boolean> {
    await this.#whenBorn(worldId);
    return await this.#files.destroy(worldId);
  }

  /** Whether it could be made or not. */
  async #whenBorn(worldId: string): Promise<void> {
    await this.#unborn.get(worldId)?.catch(() => {});
  }

  #requireFree(worldId: string): void {
    if (!this.#unborn.has(worldId) && this.#files.of(worldId) === undefined) return;
    throw new ServiceError('control.STATE_CONFLICT', { message: 'The world exists.', details: { worldId } });
  }

  async #find(worldId: string): Promise<FindReply> {
    await this.#whenBorn(worldId);
    const store = this.#files.of(worldId);
    const tag = store?.tagOf(worldId);
    // What is in the file may not be in its log yet.
    await store?.flushed();
    return tag === undefined ? undefined : { worldInstanceId: worldInstanceId(tag) };
  }

  /** A program is checked once, when this host first sees it, unless somebody else has. */
  #program(key: string, source: () => WorldProgram | undefined, isChecked: boolean): KnownProgram | undefined {
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const found = source();
    if (found === undefined) return undefined;
    const program = new Program(found);
    if (!isChecked) checkSetup(program);
    const entered = { program, source: found };
    this.#programs.set(key, entered);
    return entered;
  }
}

/** Undefined where the system does not say: then each file finds out for itself, and refuses its own sets. */
function spaceOf({ store }: WorldRepository): SpaceSeen | undefined {
  try {
    return seeSpace(store.directory);
  } catch {
    return undefined;
  }
}

/** An engine's own words about a bug of tool code: for its author, where no report holds them. */
function printThrow(worldId: string, text: string): void {
  console.error(`drillyard: ${worldId}: ${text}`);
}

function unborn(worldId: string): ServiceError {
  return new ServiceError('control.UNAVAILABLE', {
    message: 'This world is being made.',
    details: { worldId },
    retryAfterMs: limits.unavailableRetryAfterMs,
  });
}
function notFound(worldId: string): ServiceError {
  return new ServiceError('control.NOT_FOUND', { message: 'There is no such world.', details: { worldId } });
}
