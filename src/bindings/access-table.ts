// The accesses that one listener serves: opened for a world and an actor, found by their tokens (and, for routes that take no credential,
// by their address), ended by revocation or time.
import { randomBytes } from 'node:crypto';
import { defined } from '../contract/defined.js';
import { mcpUrlFor } from '../contract/run/mcp-tool-names.js';
import type { Binding } from '../contract/run/target.js';
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type { Access, Endpoint, OpenAccess, StoredAccesses } from '../drills/ports/bindings-port.js';
import { unauthenticated } from '../http/guards.js';
import { AgentAccess } from './agent-access.js';
import type { AgentLimits } from './agent-limits.js';
import { directClient } from './direct-client.js';
import { hashOf, TokenTable } from './token-table.js';
import { type WireTable, WireTables } from './wire-table.js';

/** What an agent reaches over the wire. `direct` needs no listener. */
export const remoteBindings = ['http', 'mcp', 'cli'] as const;
export type RemoteBinding = (typeof remoteBindings)[number];

interface Places {
  urlOf(binding: RemoteBinding, address?: string): string;
  address: string | undefined;
  tokenOf(): string;
}
/** Where each binding of an access is served, and with which token. */
export function endpointsOf(request: OpenAccess, { urlOf, address, tokenOf }: Places): { [B in RemoteBinding]?: Endpoint } {
  const endpoints: { [B in RemoteBinding]?: Endpoint } = {};
  for (const binding of remoteBindings) {
    if (!request.bindings.includes(binding)) continue;
    const url = urlOf(binding, address);
    endpoints[binding] = { url: binding === 'mcp' ? mcpUrlFor(url, request) : url, token: tokenOf() };
  }
  return endpoints;
}

export class AccessTable {
  readonly available: ReadonlySet<Binding> = new Set<Binding>(['direct', ...remoteBindings]);
  readonly #tokens = new TokenTable<AgentAccess>();
  readonly #addresses = new Map<string, AgentAccess>();
  readonly #wires = new WireTables();
  /** Of the accesses that end by themselves. */
  readonly #ends = new WeakMap<AgentAccess, number>();
  readonly #nowMs: () => number;

  readonly #limits: AgentLimits | undefined;
  #stored: StoredAccesses | undefined;

  constructor(nowMs: () => number, limits?: AgentLimits) {
    this.#nowMs = nowMs;
    this.#limits = limits;
  }

  /** `urlOf`: where this listener serves a binding, for an access that is known by its address if one is given. */
  async open(request: OpenAccess, urlOf: (binding: RemoteBinding, address?: string) => string): Promise<Access> {
    const { world, actorId, actorInstanceId, bindings, receivers, token, expiresAtMs, owner, requireOpen } = request;
    const wires = bindings.includes('http') ? this.#wires.take(await world.query({ kind: 'routes' })) : undefined;
    const address = wires?.table.needsAddress ? (request.address ?? randomBytes(16).toString('hex')) : undefined;
    const access = new AgentAccess(
      world,
      { actorId, ...defined({ actorInstanceId }) },
      {
        wires: wires?.table,
        baseUrl: urlOf('http', address),
        receivers,
        requireOpen,
        limit: owner === undefined ? undefined : this.#limits?.of(owner),
      },
    );
    if (expiresAtMs !== undefined) this.#ends.set(access, expiresAtMs);
    if (address !== undefined) this.#addresses.set(address, access);
    const endpoints = endpointsOf(request, { urlOf, address, tokenOf: () => this.#tokens.issue(access, token) });
    return {
      endpoints,
      ...defined({ address }),
      ...(bindings.includes('direct') ? { direct: directClient(access) } : {}),
      observed: () => access.used,
      unanswered: () => access.unanswered.read(),
      revoke: async () => {
        if (!access.revoked) wires?.release();
        const done = access.revoke();
        for (const endpoint of Object.values(endpoints)) this.#tokens.forget(endpoint.token);
        if (address !== undefined) this.#addresses.delete(address);
        await done;
      },
    };
  }

  recall(stored: StoredAccesses): void {
    this.#stored = stored;
  }
  get tokenShape(): RegExp | undefined {
    return this.#stored?.tokenShape;
  }
  /** Opens those that are not open here, and of which an earlier process has opened one; undefined, at once, where there is none. */
  reopen({ tokens, address }: { tokens: Iterable<string>; address?: string | undefined }): Promise<unknown> | undefined {
    const stored = this.#stored;
    if (stored === undefined) return undefined;
    const opening = [...tokens].filter((token) => this.findHolder(token) === undefined).map((token) => stored.openByToken(hashOf(token)));
    if (address !== undefined && this.at(address) === undefined) opening.push(stored.openByAddress(address));
    const found = opening.filter((one) => one !== undefined);
    return found.length === 0 ? undefined : Promise.all(found);
  }
  /** As `holderOf`, of accesses that are not open here, too. */
  holderOrReopened(token: string): AgentAccess | Promise<AgentAccess> {
    const holder = this.findHolder(token);
    if (holder !== undefined) return holder;
    const opening = this.reopen({ tokens: [token] });
    if (opening === undefined) throw unauthenticated();
    return opening.then(() => this.holderOf(token));
  }

  /** control.UNAUTHENTICATED, whatever is wrong with a token. */
  holderOf(token: string): AgentAccess {
    const access = this.findHolder(token);
    if (access === undefined) throw unauthenticated();
    return access;
  }
  findHolder(token: string): AgentAccess | undefined {
    return this.#live(this.#tokens.holderOf(token));
  }
  /** The only access that is open; undefined where there are others. */
  only(): AgentAccess | undefined {
    const open = new Set(this.#tokens.holders());
    return open.size === 1 ? this.#live([...open][0]) : undefined;
  }
  at(address: string): AgentAccess | undefined {
    return this.#live(this.#addresses.get(address));
  }
  /** Where routes of some world want their credential. */
  wirePlaces(): Iterable<RouteAuth> {
    return this.#wires.places();
  }
  /** The routes of every world that an access is open to. */
  wireTables(): Iterable<WireTable> {
    return this.#wires.tables();
  }

  async revokeAll(): Promise<void> {
    await Promise.all([...this.#tokens.holders()].map((access) => access.revoke()));
  }

  #live(access: AgentAccess | undefined): AgentAccess | undefined {
    if (access === undefined || access.revoked || (this.#ends.get(access) ?? Number.POSITIVE_INFINITY) <= this.#nowMs()) return undefined;
    return access;
  }
}
