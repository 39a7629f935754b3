// What one actor may do to one world during one interaction, whatever the binding it comes through.
// It never reaches clock control, faults, reset, assertions or hidden state: only tools, calls and the actor's own wait.
//   A1. After `revoke` is called nothing new begins; it resolves when what had begun has been answered.

import type { CallResult, ToolCatalogItem, WaitResult } from '../contract/world-protocol.js';
import type { DirectCall, DirectClient } from '../drills/bindings-port.js';
import { unauthenticated } from '../http/guards.js';
import type { WorldRef } from '../worlds/api.js';

export interface AgentIdentity {
  actorId: string;
  actorInstanceId?: string;
}

export class AgentAccess implements DirectClient {
  readonly #world: WorldRef;
  readonly #actor: AgentIdentity;
  #running = 0;
  #used = false;
  #revoked = false;
  #whenIdle: (() => void)[] = [];

  constructor(world: WorldRef, actor: AgentIdentity) {
    this.#world = world;
    this.#actor = actor;
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

  call(call: DirectCall): Promise<CallResult> {
    return this.#run(() => this.#world.command({ kind: 'call', ...this.#actor, ...call }));
  }

  wait(untilUs?: number): Promise<WaitResult> {
    return this.#run(() => this.#world.command({ kind: 'wait', ...this.#actor, ...(untilUs === undefined ? {} : { untilUs }) }));
  }

  revoke(): Promise<void> {
    this.#revoked = true;
    return new Promise((resolve) => {
      if (this.#running === 0) resolve();
      else this.#whenIdle.push(resolve);
    });
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
