// The accesses that one listener serves, by bearer: opened for a world and an actor, found by their tokens, ended by revocation or time.
import type { Binding } from '../contract/target.js';
import type { Access, Endpoint, OpenAccess } from '../drills/bindings-port.js';
import { unauthenticated } from '../http/guards.js';
import { AgentAccess } from './agent-access.js';
import { directClient } from './direct-client.js';
import { TokenTable } from './token-table.js';

/** What an agent reaches over the wire. `direct` needs no listener. */
export const remoteBindings = ['http', 'mcp', 'cli'] as const;
export type RemoteBinding = (typeof remoteBindings)[number];

export class AccessTable {
  readonly available: ReadonlySet<Binding> = new Set<Binding>(['direct', ...remoteBindings]);
  readonly #tokens = new TokenTable<AgentAccess>();
  /** Of the accesses that end by themselves. */
  readonly #ends = new WeakMap<AgentAccess, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `urlOf`: where this listener serves a binding. */
  open({ world, actorId, actorInstanceId, bindings, receivers, token, expiresAtMs }: OpenAccess, urlOf: (binding: RemoteBinding) => string): Access {
    const access = new AgentAccess(world, { actorId, ...(actorInstanceId === undefined ? {} : { actorInstanceId }) }, receivers);
    if (expiresAtMs !== undefined) this.#ends.set(access, expiresAtMs);
    const endpoints: { [B in RemoteBinding]?: Endpoint } = {};
    for (const binding of remoteBindings) {
      if (bindings.includes(binding)) endpoints[binding] = { url: urlOf(binding), token: this.#tokens.issue(access, token) };
    }
    return {
      endpoints,
      ...(bindings.includes('direct') ? { direct: directClient(access) } : {}),
      observed: () => access.used,
      revoke: async () => {
        const done = access.revoke();
        for (const endpoint of Object.values(endpoints)) this.#tokens.forget(endpoint.token);
        await done;
      },
    };
  }

  /** control.UNAUTHENTICATED, whatever is wrong with a token. */
  holderOf(token: string): AgentAccess {
    const access = this.#tokens.holderOf(token);
    if (access === undefined || access.revoked || (this.#ends.get(access) ?? Number.POSITIVE_INFINITY) <= this.#nowMs()) throw unauthenticated();
    return access;
  }

  async revokeAll(): Promise<void> {
    await Promise.all([...this.#tokens.holders()].map((access) => access.revoke()));
  }
}
