// The data files that a host has open, and which of them holds a world.
// `run`: one a world, named by it, open while the world is in memory. `shared`: `host-<n>`, open as long as the host; those of hosts that
// no longer stand are served by the ones that do. `homes`: `home-<n>`, from the first world of a home until the home is closed.
//   LMDB-FILES-1. Of a home that is not open no file is opened or made.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { dataFileOf } from '../files/database.js';
import { threadRealm } from '../tools/realm.js';
import { hostFileName, hostOfFileName } from './file-names.js';
import { homeFileName, homeOf, homeOfFileName } from './homes.js';
import type { CopyReply, CopyRequest, HostOptions } from './host-requests.js';
import type { StreamLog } from './kv/stream-log.js';
import { WorldRepository } from './state/world-repository.js';
import { copyWorldFile } from './world-file-copy.js';

export class LmdbFiles {
  readonly #options: HostOptions;
  readonly #index: number;
  readonly #logOf: ((file: string) => StreamLog) | undefined;
  readonly #open = new Map<string, WorldRepository>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #openHomes = new Set<number>();
  /** Of homes that somebody else has. */
  readonly #lost = new WeakSet<WorldRepository>();
  readonly #copies = new Set<Promise<unknown>>();
  /** Of a standing host, once it has looked: the files of hosts that no longer stand. */
  #leftBehind: readonly string[] | undefined;

  constructor(options: HostOptions, index: number, logOf?: (file: string) => StreamLog) {
    this.#options = options;
    this.#index = index;
    this.#logOf = logOf;
  }

  /** Where a new world goes. */
  ofNew(worldId: string): WorldRepository {
    if (this.#options.layout === 'homes') return this.#file(homeFileName(this.#requireOpen(worldId)));
    return this.#file(this.#options.layout === 'run' ? worldId : hostFileName(this.#index % this.#options.hosts));
  }

  /** Which data file holds a world; undefined where this host finds none. */
  of(worldId: string): WorldRepository | undefined {
    if (this.#options.layout === 'run') {
      if (!existsSync(join(this.#options.directory, worldId, 'data.mdb'))) return undefined;
      const store = this.#file(worldId);
      return store.hasWorld(worldId) ? store : undefined;
    }
    if (this.#options.layout === 'homes') {
      const name = homeFileName(this.#requireOpen(worldId));
      const isThere = this.#open.has(name) || existsSync(dataFileOf(join(this.#options.directory, name)));
      const store = isThere ? this.#file(name) : undefined;
      return store?.hasWorld(worldId) ? store : undefined;
    }
    for (const name of this.#names()) {
      const store = this.#file(name);
      if (store.hasWorld(worldId)) return store;
    }
    return undefined;
  }

  /** The world has left the memory. */
  release(worldId: string): void {
    if (this.#options.layout === 'run') this.#close(worldId);
  }

  /** Deletes the world and, in the `run` layout, its folder. */
  async destroy(worldId: string): Promise<boolean> {
    const store = this.of(worldId);
    const deleted = (await store?.deleteWorld(worldId)) ?? false;
    await store?.flushed();
    if (this.#options.layout === 'run') {
      this.#close(worldId);
      await this.#closing.get(worldId);
      rmSync(join(this.#options.directory, worldId), { recursive: true, force: true });
    }
    return deleted;
  }

  homeOf(worldId: string): number {
    return homeOf(worldId, this.#options.homes as number);
  }
  openHome(home: number): void {
    this.#openHomes.add(home);
  }
  /** Of its worlds none is found or made any more. `isLost`: nor is anything of them to be committed. */
  shutHome(home: number, { isLost }: { isLost: boolean }): void {
    this.#openHomes.delete(home);
    const store = this.#open.get(homeFileName(home));
    if (!isLost || store === undefined) return;
    this.#lost.add(store);
    store.lose();
  }
  isLost(store: WorldRepository): boolean {
    return this.#lost.has(store);
  }
  /** Of a home that is shut and has no world in memory: resolves when its file is on the disk, or lost, and released. */
  async closeHome(home: number): Promise<void> {
    const name = homeFileName(home);
    await Promise.allSettled(this.#copies);
    const store = this.#open.get(name);
    // What no answer waits for is also to be in its log. Where that fails it stays in the file, as its tail.
    if (store !== undefined && !this.isLost(store)) await store.flushed().catch(() => {});
    this.#close(name);
    try {
      await this.#closing.get(name);
    } finally {
      // A flush that failed was reported here, and the file is released.
      this.#closing.delete(name);
    }
  }

  /** Of the layouts `shared` and `homes`: those that this host serves. */
  copy(request: CopyRequest): Promise<CopyReply> {
    const copying = this.#copy(request);
    this.#copies.add(copying);
    const forget = (): boolean => this.#copies.delete(copying);
    copying.then(forget, forget);
    return copying;
  }

  async #copy({ to, worldIds }: CopyRequest): Promise<CopyReply> {
    const names = [...this.#names()].filter((name) => existsSync(dataFileOf(join(this.#options.directory, name))));
    const kept = new Set(worldIds);
    const copied: string[] = [];
    for (const name of names) {
      const home = homeOfFileName(name);
      // Closed while another was copied.
      if (home !== undefined && !this.#openHomes.has(home)) continue;
      await copyWorldFile(this.#file(name), { name, to, kept });
      copied.push(name);
    }
    return { names: copied };
  }

  async close(): Promise<void> {
    for (const name of [...this.#open.keys()]) this.#close(name);
    await Promise.all(this.#closing.values());
  }

  #file(name: string): WorldRepository {
    let store = this.#open.get(name);
    if (store === undefined) {
      const directory = join(this.#options.directory, name);
      store = this.#opened(directory, this.#logOf?.(name));
      this.#open.set(name, store);
    }
    return store;
  }

  #opened(directory: string, log: StreamLog | undefined): WorldRepository {
    const { layout, durability } = this.#options;
    const { revive } = threadRealm();
    try {
      const leavesChecked = layout === 'run';
      return WorldRepository.open({ directory, durability, log, leavesChecked, parseRow: revive as (text: string) => JsonObject });
    } catch (error) {
      if (layout === 'run' || !(error instanceof ServiceError)) throw error;
      // Of a service: its owner's log names the file, and the caller does not learn it.
      console.error(`drillyard: ${error.message}`);
      const code = error.code === 'control.INVALID_REQUEST' ? 'control.INTERNAL' : error.code;
      throw new ServiceError(code, { message: 'The storage of this world cannot be opened; nothing was changed.' });
    }
  }

  #close(name: string): void {
    const store = this.#open.get(name);
    if (store === undefined) return;
    this.#open.delete(name);
    const earlier = this.#closing.get(name);
    const closed = Promise.all([earlier, this.isLost(store) ? store.abandon() : store.close()]).then(() => {
      if (this.#closing.get(name) === closed) this.#closing.delete(name);
    });
    this.#closing.set(name, closed);
  }

  #requireOpen(worldId: string): number {
    const home = this.homeOf(worldId);
    if (this.#openHomes.has(home)) return home;
    throw new ServiceError('control.UNAVAILABLE', {
      message: 'The home of this world is not open here.',
      retryAfterMs: limits.unavailableRetryAfterMs,
    });
  }

  /**
   * Those of open homes. Else this host's own first, then those left behind by hosts that no longer stand; a host of one world looks
   * everywhere.
   */
  *#names(): Generator<string> {
    if (this.#options.layout === 'homes') {
      yield* [...this.#openHomes].sort((one, other) => one - other).map(homeFileName);
      return;
    }
    const own = hostFileName(this.#index % this.#options.hosts);
    yield own;
    for (const name of this.#leftBehind ?? this.#findOthers()) if (name !== own) yield name;
  }

  #findOthers(): string[] {
    const { directory, hosts } = this.#options;
    if (!existsSync(directory)) return [];
    const others = readdirSync(directory)
      .map(hostOfFileName)
      .filter((host) => host !== undefined)
      .filter((host) => this.#index >= hosts || host % hosts === this.#index)
      .sort((a, b) => a - b)
      .map(hostFileName);
    // The files of hosts that stand come as they are needed; no more are left behind while they stand.
    if (this.#index < hosts) this.#leftBehind = others;
    return others;
  }
}
