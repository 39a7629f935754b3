// Which homes are open in one actor system, and the way to open and close them on its hosts.
//   SYSTEM-HOMES-1. A host that starts serves the homes that are open at that moment, whatever an earlier incarnation of it served.
//   SYSTEM-HOMES-2. When a home is closed, no incarnation of a host has a file of it open.
import type { ActorSystem } from '../actors/system.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { HomedWorlds, HomesOptions } from './api.js';
import { hostOfHome } from './homes.js';
import type { CloseHomeRequest, OpenHomeRequest, OpenHomesAnswer, OpenHomesAsk } from './host-requests.js';

export class SystemHomes implements HomedWorlds {
  readonly count: number;
  readonly #hosts: number;
  readonly #open = new Set<number>();
  #system: ActorSystem | undefined;

  constructor({ count, open }: HomesOptions, hosts: number) {
    this.count = count;
    this.#hosts = hosts;
    for (const home of open) this.#open.add(this.#known(home));
  }

  /** Of the system that answers its hosts with `answer`. */
  use(system: ActorSystem): void {
    this.#system = system;
  }

  async answer(host: number, request: unknown): Promise<OpenHomesAnswer> {
    if ((request as OpenHomesAsk | null)?.kind !== 'openHomes')
      throw new ServiceError('control.INVALID_REQUEST', { message: 'There is no such ask.' });
    return { homes: [...this.#open].filter((home) => hostOfHome(home, this.#hosts) === host) };
  }

  async openHome(home: number): Promise<void> {
    this.#open.add(this.#known(home));
    await this.#tell(home, { kind: 'openHome', home });
  }

  async closeHome(home: number, { lost = false }: { lost?: boolean } = {}): Promise<void> {
    this.#open.delete(this.#known(home));
    await this.#tell(home, { kind: 'closeHome', home, isLost: lost });
  }

  /** A host that is not there, or ends before it has answered, asks when it starts again. */
  async #tell(home: number, request: OpenHomeRequest | CloseHomeRequest): Promise<void> {
    const host = hostOfHome(home, this.#hosts);
    if (this.#system?.hasHost(host) !== true) return;
    try {
      await this.#system.control(host, request);
    } catch (error) {
      if (!isServiceError(error, 'world.ACTOR_RESTARTED', 'world.HANDLER_TIMEOUT')) throw error;
    }
  }

  #known(home: number): number {
    if (Number.isInteger(home) && home >= 1 && home <= this.count) return home;
    throw new ServiceError('control.INVALID_REQUEST', { message: `A home is one of 1 to ${this.count}.` });
  }
}
