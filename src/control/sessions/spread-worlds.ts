// The worlds of a service whose homes several machines own, as its control plane holds them: each message goes to the owner of the world's
// home.
import { ServiceError } from '../../contract/errors.js';
import type { CreateWorld, WorldRef, Worlds } from '../../worlds/api.js';
import type { ServiceWorlds } from '../core/services.js';
import { AskedWorld } from '../memory/asked-worlds.js';
import type { HomesPort } from '../memory/world-asks.js';

export class SpreadWorlds implements ServiceWorlds {
  readonly #homes: HomesPort;
  /** Hosts of this machine: nobody but its owner knows those of another one. */
  readonly #here: Pick<Worlds, 'hostCount' | 'killHost' | 'stats'>;

  constructor(homes: HomesPort, here: Pick<Worlds, 'hostCount' | 'killHost' | 'stats'>) {
    this.#homes = homes;
    this.#here = here;
  }

  /** Its owner knows the rest by the session's record. */
  async create({ worldId, isNew = false }: CreateWorld): Promise<WorldRef> {
    const { worldInstanceId } = await this.#homes.ask(worldId, { kind: 'make', isNew });
    return new AskedWorld(this.#homes, { worldId, worldInstanceId });
  }
  async open(worldId: string): Promise<WorldRef> {
    const { worldInstanceId } = await this.#homes.ask(worldId, { kind: 'open' });
    return new AskedWorld(this.#homes, { worldId, worldInstanceId });
  }
  get hostCount(): number {
    return this.#here.hostCount;
  }
  /** Turns on hosts are taken at the owner. */
  hostOf(): number {
    return 0;
  }
  killHost(index: number): Promise<void> {
    return this.#here.killHost(index);
  }
  stats(): ReturnType<Worlds['stats']> {
    return this.#here.stats();
  }
  /** Hosts outlive the control plane. */
  async close(): Promise<void> {}
  removeProject(projectId: string): Promise<void> {
    return this.#homes.removeProject(projectId);
  }
  copyProject(): Promise<void> {
    return Promise.reject(
      new ServiceError('control.STATE_CONFLICT', { message: 'The worlds of this service lie on several machines: back up their log.' }),
    );
  }
}
