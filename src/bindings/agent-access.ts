// What one actor may do to one world during one interaction, whatever the binding it comes through.
// It never reaches clock control, faults, reset, assertions or hidden state: only tools, calls and the actor's own wait.
//   A1. After `revoke` is called nothing new begins; it resolves when what had begun has been answered.

import type { WireRequest } from '../contract/wire.js';
import type { AdvanceProgress, CallResult, RouteResult, ToolCatalogItem, WaitResult } from '../contract/world-protocol.js';
import type { DirectCall } from '../drills/bindings-port.js';
import { unauthenticated } from '../http/guards.js';
import type { SendOptions, WorldRef } from '../worlds/api.js';
import type { AgentCatalog, AgentWorld, AskOptions } from './agent-world.js';
import type { WireTable } from './wire-table.js';

export interface AgentIdentity {
  actorId: string;
  actorInstanceId?: string;
}

export class AgentAccess implements AgentWorld {
  readonly #world: WorldRef;
  readonly #actor: AgentIdentity;
  /** The wire routes of its world; undefined where it has none, or where the access has no HTTP binding. */
  readonly wires: WireTable | undefined;
  #running = 0;
  #used = false;
  #revoked = false;
  #whenIdle: (() => void)[] = [];

  constructor(world: WorldRef, actor: AgentIdentity, wires?: WireTable) {
    this.#world = world;
    this.#actor = actor;
    this.wires = wires;
  }

  get used(): boolean {
    return this.#used;
  }
  get revoked(): boolean {
    return this.#revoked;
  }

  tools(): Promise<ToolCatalogItem[]> {
    return this.#run(() => this.#world.query({ kind: 'tools', ...this.#actor }));
  }

  async catalog(): Promise<AgentCatalog> {
    const [tools, mayWait] = await Promise.all([this.tools(), this.#run(() => this.#mayWait())]);
    return { tools, mayWait };
  }

  call(call: DirectCall, options?: AskOptions): Promise<CallResult> {
    return this.#run(() => this.#world.command({ kind: 'call', ...this.#actor, ...call }, options && sendOptions(options)));
  }

  callRoute(packageId: string, request: WireRequest): Promise<RouteResult> {
    return this.#run(() => this.#world.command({ kind: 'callRoute', ...this.#actor, packageId, request }));
  }

  wait(untilUs?: number, options?: AskOptions): Promise<WaitResult> {
    const until = untilUs === undefined ? {} : { untilUs };
    return this.#run(() => this.#world.command({ kind: 'wait', ...this.#actor, ...until }, options && sendOptions(options)));
  }

  revoke(): Promise<void> {
    this.#revoked = true;
    return new Promise((resolve) => {
      if (this.#running === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
  }

  async #mayWait(): Promise<boolean> {
    const actors = await this.#world.query({ kind: 'actors' });
    const { actorId, actorInstanceId } = this.#actor;
    const namesakes = actors.filter((actor) => actor.actorId === actorId);
    const own = namesakes.find((actor) => actor.actorInstanceId === actorInstanceId) ?? namesakes[0];
    return own?.capabilities.some(({ packageId, operationId }) => packageId === 'world' && operationId === 'clock.wait') ?? false;
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#revoked) throw unauthenticated();
    this.#used = true;
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }
}

function sendOptions({ signal, onProgress }: AskOptions): SendOptions<AdvanceProgress> {
  return { ...(signal === undefined ? {} : { signal }), ...(onProgress === undefined ? {} : { onProgress }) };
}
