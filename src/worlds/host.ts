// The world kind of actor: what a host thread or process loads. Owns its data files and the programs it has seen.
import type { Actor, ActorKind, CreateActorKind, HostFacts } from '../actors/definition.js';
import { LruMap } from '../collections/lru-map.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import type { WorldProgram } from '../contract/run/build.js';
import { begin, tagOf, worldInstanceId } from './commands/birth.js';
import type { CreateReply, CreateRequest, FindReply, HostOptions, HostRequest } from './host-requests.js';
import type { StreamLog } from './kv/stream-log.js';
import type { WriteSet } from './kv/write-set.js';
import { LmdbFiles } from './lmdb-files.js';
import { programKeyOf, type WorldRepository } from './state/world-repository.js';
import { checkSetup, Program } from './turn/program.js';
import type { WorldMeta } from './turn/world-meta.js';
import { WorldActor, type WorldWrites } from './world.js';

export const createActorKind: CreateActorKind = (options, host) => new WorldKind(options as HostOptions, host);
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

  constructor(options: HostOptions, host: HostFacts, logOf?: (file: string) => StreamLog) {
    this.#options = options;
    this.#host = host;
    this.#files = new LmdbFiles(options, host.index, logOf);
  }

  activate(worldId: string, incarnation: number): Actor {
    const store = this.#files.of(worldId);
    const storage = store?.loadWorld(worldId, incarnation);
    if (store === undefined || storage === undefined) throw notFound(worldId);
    const known = this.#program(storage.programKey, () => store.loadProgram(storage.programKey));
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
    (writeSets as readonly WorldWrites[]).forEach((entry, index) => {
      if (entry.refusal !== undefined) return;
      for (const { store, set } of entry.writes) {
        const members = byStore.get(store);
        if (members === undefined) byStore.set(store, [{ set, index }]);
        else members.push({ set, index });
      }
    });
    for (const [store, members] of byStore) {
      store.commit(members.map(({ set }) => set)).forEach((error, place) => {
        const { index } = members[place] as { index: number };
        results[index] ??= error;
      });
    }
    await Promise.all([...byStore].map(([store, members]) => refuseLost(store, members, results)));
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
        return this.#files.destroy(request.worldId);
      case 'copy':
        return this.#files.copy(request);
      default:
        throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such request.' });
    }
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  async #create(request: CreateRequest): Promise<CreateReply> {
    const { worldId, buildHash, setupHash, seed } = request;
    const key = programKeyOf(buildHash, setupHash);
    const known = this.#program(key, () => request.program);
    if (known === undefined) return { kind: 'unknown_program' };
    this.#requireFree(worldId);
    const store = this.#files.ofNew(worldId);
    store.putProgram(known.source);
    const tag = tagOf({ buildHash, setupHash, seed });
    const storage = store.createWorld({ worldId, incarnation: 0, programKey: key, tag });
    const settings = { ...request, stateHash: store.baseStateHash(key) };
    const simulation = begin(storage, known.program, settings);
    storage.commitNow(simulation.meta());
    await store.flushed();
    return { kind: 'created', worldInstanceId: worldInstanceId(tag) };
  }

  #requireFree(worldId: string): void {
    if (this.#files.of(worldId) === undefined) return;
    throw new ServiceError('control.STATE_CONFLICT', { message: 'The world exists.', details: { worldId } });
  }
  async #find(worldId: string): Promise<FindReply> {
    const store = this.#files.of(worldId);
    const tag = store?.tagOf(worldId);
    // What is in the file may not be in its log yet.
    await store?.flushed();
    return tag === undefined ? undefined : { worldInstanceId: worldInstanceId(tag) };
  }

  /** A program is checked once, when this host first sees it. */
  #program(key: string, source: () => WorldProgram | undefined): KnownProgram | undefined {
    const known = this.#programs.get(key);
    if (known !== undefined) return known;
    const found = source();
    if (found === undefined) return undefined;
    const program = new Program(found);
    checkSetup(program);
    const entered = { program, source: found };
    this.#programs.set(key, entered);
    return entered;
  }
}

/** Where the log of a file has another owner, every set of that file is refused, and none of the others. */
async function refuseLost(store: WorldRepository, members: readonly { index: number }[], results: (Error | undefined)[]): Promise<void> {
  try {
    await store.flushed();
  } catch (error) {
    for (const { index } of members) results[index] ??= error as Error;
  }
}

/** An engine's own words about a bug of tool code: for its author, where no report holds them. */
function printThrow(worldId: string, text: string): void {
  console.error(`drillyard: ${worldId}: ${text}`);
}

function notFound(worldId: string): ServiceError {
  return new ServiceError('control.NOT_FOUND', { message: 'There is no such world.', details: { worldId } });
}
