// The accesses that one listener serves: opened for a world and an actor, found by their tokens (and, for routes that take no credential,
// by their address), ended by revocation or time.
import { randomBytes } from 'node:crypto';
import { defined } from '../contract/defined.js';
import type { AgentDialect } from '../contract/run/dialect.js';
import { mcpUrlFor } from '../contract/run/mcp-tool-names.js';
import type { UnansweredRequests } from '../contract/run/run-events.js';
import type { Binding, RemoteBinding } from '../contract/run/target.js';
import type { RouteAuth } from '../contract/world/tool-manifest.js';
import type {
  Access,
  AccessMounts,
  DirectClient,
  Endpoint,
  OpenAccess,
  PendingStep,
  StoredAccesses,
} from '../drills/ports/bindings-port.js';
import { unauthenticated } from '../http/guards.js';
import type { AgentUrls } from './access-address.js';
import { AgentAccess } from './agent-access.js';
import type { AgentLimits } from './agent-limits.js';
import { directClient } from './direct-client.js';
import { type Held, hashOf, keyIdOf, TokenTable } from './token-table.js';
import { type WireTable, WireTables } from './wire-table.js';

/** What an agent reaches over the wire. `direct` needs no listener. */
export const remoteBindings: readonly RemoteBinding[] = ['http', 'mcp', 'cli'];

interface Places {
  urls: AgentUrls;
  wires: WireTable | undefined;
  address: string | undefined;
  tokenOf(): string;
}
/** Where each binding of an access is served, and with which token. */
export async function endpointsOf(
  request: OpenAccess,
  { urls, wires, address, tokenOf }: Places,
): Promise<{ [B in RemoteBinding]?: Endpoint }> {
  const mounts = wires === undefined ? undefined : await mountsOf(wires, urls, address);
  const endpoints: { [B in RemoteBinding]?: Endpoint } = {};
  for (const binding of remoteBindings) {
    if (!request.bindings.includes(binding)) continue;
    const url = urls.urlOf(binding, address);
    endpoints[binding] = { url: binding === 'mcp' ? mcpUrlFor(url, request) : url, token: tokenOf() };
  }
  if (endpoints.http !== undefined && mounts !== undefined) endpoints.http.mounts = mounts;
  if (endpoints.http !== undefined && wires?.takesSignatures === true) endpoints.http.keyId = keyIdOf(endpoints.http.token);
  return endpoints;
}

async function mountsOf(wires: WireTable, urls: AgentUrls, address: string | undefined): Promise<AccessMounts> {
  const mounts: { [name: string]: AccessMounts[string] } = {};
  for (const { name, isAddressed } of wires.mounts) {
    const own = isAddressed ? address : undefined;
    mounts[name] = { url: await urls.mountUrl(name, own), ...defined({ hostUrl: urls.mountHostUrl?.(name, own) }) };
  }
  return mounts;
}

export class AccessTable {
  readonly available: ReadonlySet<Binding> = new Set<Binding>(['direct', ...remoteBindings]);
  readonly #tokens = new TokenTable<AgentAccess>();
  readonly #addresses = new Map<string, AgentAccess>();
  readonly #wires = new WireTables();
  readonly #nowMs: () => number;

  readonly #limits: AgentLimits | undefined;
  readonly #dialect: AgentDialect | undefined;
  #stored: StoredAccesses | undefined;

  constructor(nowMs: () => number, { limits, dialect }: { limits?: AgentLimits; dialect?: AgentDialect } = {}) {
    this.#nowMs = nowMs;
    this.#limits = limits;
    this.#dialect = dialect;
  }

  /** `urlsOf`: where this listener serves it, by its routes. */
  async open(request: OpenAccess, urlsOf: (wires: WireTable | undefined) => AgentUrls | Promise<AgentUrls>): Promise<Access> {
    const { world, actorId, actorInstanceId, bindings, receivers, token, expiresAtMs, owner, organizationId, requireOpen } = request;
    const wires = bindings.includes('http') ? this.#wires.take(await world.query({ kind: 'routes' })) : undefined;
    const urls = await (async () => await urlsOf(wires?.table))().catch((error: unknown) => {
      wires?.release();
      throw error;
    });
    const address = wires?.table.isAddressed ? (request.address ?? randomBytes(16).toString('hex')) : undefined;
    const access = new AgentAccess(
      world,
      { actorId, ...defined({ actorInstanceId }) },
      {
        wires: wires?.table,
        baseUrl: urls.urlOf('http', address),
        receivers,
        requireOpen,
        expiresAtMs,
        dialect: this.#dialect,
        organizationId,
        limit: owner === undefined ? undefined : this.#limits?.of(owner),
      },
    );
    if (address !== undefined) this.#addresses.set(address, access);
    const tokenOf = (): string => {
      const key = this.#tokens.issue(access, token);
      if (!access.keys.includes(key)) access.keys = access.keys.concat(key);
      return key.token;
    };
    const endpoints = await endpointsOf(request, { urls, wires: wires?.table, address, tokenOf }).catch((error: unknown) => {
      wires?.release();
      if (address !== undefined) this.#addresses.delete(address);
      void access.revoke();
      throw error;
    });
    access.mounts = endpoints.http?.mounts ?? access.mounts;
    const direct = bindings.includes('direct') ? directClient(access) : undefined;
    return new ServedAccess(this, { access, endpoints, address, direct, releaseWires: wires?.release });
  }

  /** Nothing finds it any more. */
  forget({ keys }: AgentAccess, address: string | undefined): void {
    for (const { token } of keys) this.#tokens.forget(token);
    if (address !== undefined) this.#addresses.delete(address);
  }

  recall(stored: StoredAccesses): void {
    this.#stored = stored;
  }
  get tokenShape(): RegExp | undefined {
    return this.#stored?.tokenShape;
  }
  /** Opens those that are not open here, and of which an earlier process has opened one; undefined, at once, where there is none. */
  reopen({ hashes, address }: { hashes: Iterable<string>; address?: string | undefined }): Promise<unknown> | undefined {
    const stored = this.#stored;
    if (stored === undefined) return undefined;
    const opening = [...hashes].filter((hash) => this.held(hash) === undefined).map((hash) => stored.openByToken(hash));
    if (address !== undefined && this.at(address) === undefined) opening.push(stored.openByAddress(address));
    const found = opening.filter((one) => one !== undefined);
    return found.length === 0 ? undefined : Promise.all(found);
  }
  /** As `holderOf`, of accesses that are not open here, too. */
  holderOrReopened(token: string): AgentAccess | Promise<AgentAccess> {
    const holder = this.findHolder(token);
    if (holder !== undefined) return holder;
    const opening = this.reopen({ hashes: [hashOf(token)] });
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
  /** By the hash of its token. */
  held(tokenHash: string | undefined): Held<AgentAccess> | undefined {
    const held = tokenHash === undefined ? undefined : this.#tokens.byHash(tokenHash);
    return held === undefined || this.#live(held.holder) === undefined ? undefined : held;
  }
  /** The only access that is open; undefined where there are others. */
  only(): AgentAccess | undefined {
    const open = new Set(this.#tokens.holders());
    return open.size === 1 ? this.#live([...open][0]) : undefined;
  }
  /**
   * One of those that a request to the mount, or to the base URL, may be meant for, where all of them have the same routes: any of them can
   * say what all would. Undefined where they differ, or where addresses tell them apart.
   */
  spokesman(mount: string | undefined): AgentAccess | undefined {
    let chosen: AgentAccess | undefined;
    for (const holder of this.#tokens.holders()) {
      const access = this.#live(holder);
      if (access?.wires === undefined || (mount !== undefined && !access.wires.hasMount(mount))) continue;
      if (access.wires.needsAddress || (chosen !== undefined && chosen.wires !== access.wires)) return undefined;
      chosen ??= access;
    }
    return chosen;
  }
  at(address: string): AgentAccess | undefined {
    return this.#live(this.#addresses.get(address));
  }
  /** Where routes of some world want their credential. */
  wirePlaces(): Iterable<RouteAuth> {
    return this.#wires.places();
  }
  /** Some access that is open has the mount. */
  hasMount(name: string): boolean {
    return this.#wires.hasMount(name);
  }
  /** The routes of every world that an access is open to. */
  wireTables(): Iterable<WireTable> {
    return this.#wires.tables();
  }

  async revokeAll(): Promise<void> {
    await Promise.all([...this.#tokens.holders()].map((access) => access.revoke()));
  }

  #live(access: AgentAccess | undefined): AgentAccess | undefined {
    if (access === undefined || access.revoked || access.expiresAtMs <= this.#nowMs()) return undefined;
    return access;
  }
}

interface ServedParts extends Pick<Access, 'endpoints'> {
  access: AgentAccess;
  address: string | undefined;
  direct: DirectClient | undefined;
  releaseWires: (() => void) | undefined;
}

class ServedAccess implements Access {
  readonly endpoints: Access['endpoints'];
  declare readonly address?: string;
  declare readonly direct?: DirectClient;
  readonly #table: AccessTable;
  readonly #access: AgentAccess;
  readonly #releaseWires: (() => void) | undefined;

  constructor(table: AccessTable, { access, endpoints, address, direct, releaseWires }: ServedParts) {
    this.endpoints = endpoints;
    if (address !== undefined) this.address = address;
    if (direct !== undefined) this.direct = direct;
    this.#table = table;
    this.#access = access;
    this.#releaseWires = releaseWires;
  }

  observed(): boolean {
    return this.#access.used;
  }
  unanswered(): UnansweredRequests | undefined {
    return this.#access.unanswered.read();
  }
  pending(): PendingStep | undefined {
    return this.#access.pending();
  }
  async revoke(): Promise<void> {
    if (!this.#access.revoked) this.#releaseWires?.();
    const done = this.#access.revoke();
    this.#table.forget(this.#access, this.address);
    await done;
  }
}
