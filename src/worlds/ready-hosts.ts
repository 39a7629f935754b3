// Processes that have loaded everything and wait for what they are to be, so that the start of one costs no first call.
//   READY-HOSTS-1. One that ended while it waited is no use; the next is started when one is taken, so that a machine where none can start
//     does not spin.
//   READY-HOSTS-2. Nor is one that answered before and owes an answer: it was stopped, and its project would wait for its start.
//   READY-HOSTS-3. Without descriptors or space none can be started beforehand; who wants one then starts it, and hears the reason.
import { prepareHost } from '../actors/child.js';
import type { ActorSystemOptions } from '../actors/options.js';
import type { PreparedHost } from '../actors/prepared-host.js';
import { limits } from '../contract/limits.js';
import type { ChildBounds } from '../processes/bounds.js';
import type { HostChildren, WorldsOptions } from './api.js';
import { worldHostModule } from './worlds.js';

export interface HostPoolOptions {
  /** The data folders lie directly below it. */
  directory: string;
  bounds: ChildBounds;
  resourceLimits: NonNullable<ActorSystemOptions['resourceLimits']>;
  /** How many wait. Default limits.hostsReady. */
  ready?: number | undefined;
}
/** A data folder has the hosts of one project. */
export type PooledLayout = Exclude<WorldsOptions['layout'], 'run'>;
/** Gives hosts of data folders their processes. */
export interface HostPool {
  childrenOf(folder: string, layout: PooledLayout): HostChildren;
  /** How many wait. */
  readonly waiting: number;
  /** Ends those that wait. */
  close(): Promise<void>;
}

interface Ready {
  host: PreparedHost;
}
export interface ReadyHostsOptions<One extends Ready> {
  start(): One;
  /** It ended while it waited. */
  lost(one: One): void;
  ready?: number | undefined;
}

export class ReadyHosts<One extends Ready> {
  readonly #options: ReadyHostsOptions<One>;
  readonly #waiting: One[] = [];
  #refill: NodeJS.Timeout | undefined;
  readonly #look: NodeJS.Timeout;
  #closed = false;

  constructor(options: ReadyHostsOptions<One>) {
    this.#options = options;
    this.#look = setInterval(() => this.#lookAtThem(), limits.hostHeartbeatMs);
    this.#look.unref();
    this.#refillSoon();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  take(): One {
    const one = this.#waiting.pop();
    this.#refillSoon();
    if (one?.host.heartbeat.isMissing === false) return one;
    if (one !== undefined) void this.#end(one);
    return this.#options.start();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#refill);
    clearInterval(this.#look);
    await Promise.all(this.#waiting.splice(0).map((one) => this.#end(one)));
  }

  async #end(one: One): Promise<void> {
    one.host.child.kill();
    await one.host.child.ended;
    this.#lose(one);
  }

  #lookAtThem(): void {
    for (const { host } of this.#waiting) host.heartbeat.look({ notCountedMs: 0, isAtRest: true });
  }

  /** Later, and one at a time: the host that was just taken needs the processor first. */
  #refillSoon(): void {
    const { ready = limits.hostsReady } = this.#options;
    if (this.#closed || this.#waiting.length >= ready) return;
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined;
      if (this.#closed) return;
      const one = this.#startEarly();
      if (one === undefined) return;
      this.#waiting.push(one);
      void one.host.child.ended.then(() => this.#forget(one));
      this.#refillSoon();
    }, limits.hostRefillMs);
    this.#refill.unref();
  }

  #startEarly(): One | undefined {
    try {
      return this.#options.start();
    } catch (error) {
      console.error(`drillyard: no host could be started beforehand: ${(error as Error).message}`);
      return undefined;
    }
  }

  #forget(one: One): void {
    const at = this.#waiting.indexOf(one);
    if (at < 0) return;
    this.#waiting.splice(at, 1);
    this.#lose(one);
  }

  #lose(one: One): void {
    one.host.release();
    this.#options.lost(one);
  }
}

/** Processes without a box, within the same bounds: what tool code reaches there is all that the service reaches. */
export class PlainPool implements HostPool {
  readonly #ready: ReadyHosts<Ready>;

  constructor({ directory, bounds, resourceLimits, ready }: HostPoolOptions) {
    const start = (): Ready => ({
      host: prepareHost({ moduleHref: worldHostModule.href, resourceLimits, bounds, lastResort: directory }),
    });
    this.#ready = new ReadyHosts({ start, lost: () => {}, ready });
  }

  childrenOf(folder: string): HostChildren {
    return { take: () => this.#ready.take().host, directory: folder };
  }

  get waiting(): number {
    return this.#ready.waiting;
  }

  close(): Promise<void> {
    return this.#ready.close();
  }
}
