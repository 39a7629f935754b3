// The data files that a host has open, and which of them holds a world.
// `run`: one a world, named by it, open while the world is in memory. `shared`: `host-<n>`, open as long as the host; those of hosts that
// no longer stand are served by the ones that do.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import { dataFileOf } from '../files/database.js';
import { threadRealm } from '../tools/realm.js';
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

  constructor(options: HostOptions, index: number, logOf?: (file: string) => StreamLog) {
    this.#options = options;
    this.#index = index;
    this.#logOf = logOf;
  }

  /** Where a new world goes. */
  ofNew(worldId: string): WorldRepository {
    return this.#file(this.#options.layout === 'run' ? worldId : homeName(this.#index % this.#options.hosts));
  }

  /** Which data file holds a world; undefined where this host finds none. */
  of(worldId: string): WorldRepository | undefined {
    if (this.#options.layout === 'run') {
      if (!existsSync(join(this.#options.directory, worldId, 'data.mdb'))) return undefined;
      const store = this.#file(worldId);
      return store.hasWorld(worldId) ? store : undefined;
    }
    return this.#homes()
      .map((name) => this.#file(name))
      .find((store) => store.hasWorld(worldId));
  }

  /** The world has left the memory. */
  release(worldId: string): void {
    if (this.#options.layout === 'run') this.#close(worldId);
  }

  /** Deletes the world and, in the `run` layout, its folder. */
  async destroy(worldId: string): Promise<boolean> {
    const store = this.of(worldId);
    const deleted = store?.deleteWorld(worldId) ?? false;
    await store?.flushed();
    if (this.#options.layout === 'run') {
      this.#close(worldId);
      await this.#closing.get(worldId);
      rmSync(join(this.#options.directory, worldId), { recursive: true, force: true });
    }
    return deleted;
  }

  /** Of the `shared` layout: those that this host serves. */
  async copy({ to, worldIds }: CopyRequest): Promise<CopyReply> {
    const names = this.#homes().filter((name) => existsSync(dataFileOf(join(this.#options.directory, name))));
    const kept = new Set(worldIds);
    for (const name of names) await copyWorldFile(this.#file(name), { name, to, kept });
    return { names };
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
    const closed = Promise.all([earlier, store.close()]).then(() => {
      if (this.#closing.get(name) === closed) this.#closing.delete(name);
    });
    this.#closing.set(name, closed);
  }

  /** This host's own first, then those left behind by hosts that no longer stand; a host of one world looks everywhere. */
  #homes(): string[] {
    const { directory, hosts } = this.#options;
    const own = homeName(this.#index % hosts);
    if (!existsSync(directory)) return [own];
    const others = readdirSync(directory)
      .map((name) => /^host-(\d+)$/.exec(name)?.[1])
      .filter((digits) => digits !== undefined)
      .map(Number)
      .filter((home) => this.#index >= hosts || home % hosts === this.#index)
      .sort((a, b) => a - b)
      .map(homeName);
    return [own, ...others.filter((name) => name !== own)];
  }
}

const homeName = (home: number): string => `host-${home}`;
