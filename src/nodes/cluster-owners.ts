// Who owns what a request of a cluster asks for, as this node knows it, and whether it may say so itself.
//   CLUSTER-OWNERS-1. This node begins nothing for an agent, and refuses none, unless its catalog has all that was acknowledged a read
//     lease ago: what was revoked is unknown to nobody for longer (cluster-readers.ts).
//   CLUSTER-OWNERS-2. A credential that was given is refused by no node, also by one that is joining.
import { pause } from '../async/pause.js';
import { accessNamesIn } from '../bindings/reopened-access.js';
import { steadyClock } from '../cluster/clock.js';
import { catalogHome } from '../cluster/log.js';
import type { Homes } from '../cluster/node-homes.js';
import { LruMap } from '../collections/lru-map.js';
import { limits } from '../contract/limits.js';
import { findAccess } from '../control/catalog/access-records.js';
import type { FollowedCatalog } from '../control/catalog/followed-catalog.js';
import { worldTokenShape } from '../control/catalog/keyring.js';
import { ForwardedBytes } from '../http/forwarded-bytes.js';
import type { RequestOwner, RequestOwners } from '../http/request-owners.js';
import type { ServerRequest } from '../http/server.js';
import { homeOf } from '../worlds/homes.js';
import { createHolderOf } from './cluster-holders.js';

export interface ClusterOwnersParts {
  node: string;
  /** Homes of worlds. */
  count: number;
  homes: Homes;
  catalog: FollowedCatalog;
  /** Homes of worlds that are open here. */
  open: ReadonlySet<number>;
  /** Below which agents reach worlds. */
  prefix: string;
  /** The control plane is here, and answers. */
  leads(): boolean;
  /** The catalog itself is open here, and not a copy of it. */
  hasCatalog(): boolean;
}

export class ClusterOwners {
  readonly #parts: ClusterOwnersParts;
  readonly #bytes: ForwardedBytes;
  /** By what a request holds. */
  readonly #homesOfAgents = {
    byToken: new LruMap<string, number>({ entriesMax: limits.homesOfAgentsKept }),
    byAddress: new LruMap<string, number>({ entriesMax: limits.homesOfAgentsKept }),
  };
  /** Who looks for the owner and who answers both ask, mostly one right after the other. A table of all would be dear to the collector. */
  #last: { request: ServerRequest; home: number } | undefined;
  #changing: Promise<void> | undefined;
  /** Who waits for a change. */
  #watchers = 0;
  #endRest = (): void => {};
  #isClosed = false;

  constructor(parts: ClusterOwnersParts) {
    this.#parts = parts;
    this.#bytes = new ForwardedBytes(createHolderOf(parts));
  }

  homeOf(sessionId: string): number {
    return homeOf(sessionId, this.#parts.count);
  }

  /** Of the control plane. */
  leader(): RequestOwner | undefined {
    return this.#parts.leads() ? 'self' : this.#other(catalogHome);
  }

  ownerOfHome(home: number): RequestOwner | undefined {
    const { homes, open } = this.#parts;
    return homes.owns(home) && open.has(home) ? 'self' : this.#other(home);
  }

  /** Of a request of an agent. One that nobody knows is refused here, where that is known for certain. */
  ownerOfAgent(request: ServerRequest): RequestOwner | undefined | Promise<RequestOwner | undefined> {
    if (!this.#parts.catalog.isThere) return undefined;
    const home = this.homeOfAgent(request);
    if (home === undefined) return this.#isTold ? this.#newest('self') : this.#ownerByNewest(request);
    return this.#newest(this.ownerOfHome(home));
  }

  /** Undefined where no access is known that the request could be for. */
  homeOfAgent(request: ServerRequest): number | undefined {
    const last = this.#last;
    if (last?.request === request) {
      this.#last = undefined;
      return last.home;
    }
    const found = this.#homeNamedIn(request);
    this.#last = found === undefined ? undefined : { request, home: found };
    return found;
  }

  #homeNamedIn(request: ServerRequest): number | undefined {
    const { hashes, address } = accessNamesIn(request, { prefix: this.#parts.prefix, shape: worldTokenShape });
    for (const hash of hashes) {
      const home = this.#homeOfAccess('byToken', hash);
      if (home !== undefined) return home;
    }
    return address === undefined ? undefined : this.#homeOfAccess('byAddress', address);
  }

  /** What is found out of a home may be answered. Without a home: that there is no such access. */
  mayAnswer(home: number | undefined): boolean {
    return home === undefined ? this.catalogIsNew : this.#parts.homes.mayRead(home);
  }

  async #ownerByNewest(request: ServerRequest): Promise<RequestOwner | undefined> {
    if (!(await this.catalogToEnd())) return undefined;
    const home = this.homeOfAgent(request);
    return this.#newest(home === undefined ? 'self' : this.ownerOfHome(home));
  }

  #newest(owner: RequestOwner | undefined): RequestOwner | undefined {
    return owner === 'self' && !this.catalogIsNew ? undefined : owner;
  }

  /** Who gives an access waits until ready nodes have it, and for others not for certain (cluster-readers.ts). */
  get #isTold(): boolean {
    const { hasCatalog, homes } = this.#parts;
    if (hasCatalog()) return true;
    const { readySinceMs } = homes.members;
    return homes.isReady && readySinceMs !== undefined && homes.follower.isWithin(catalogHome, steadyClock.now() - readySinceMs);
  }

  get catalogIsNew(): boolean {
    const { hasCatalog, homes, catalog } = this.#parts;
    return catalog.isThere && homes.members.mayRead && (hasCatalog() || homes.follower.isWithin(catalogHome));
  }

  /** For how long this node has not heard from the log; 0 while it may read. */
  get silentMs(): number {
    const { members } = this.#parts.homes;
    return members.mayRead ? 0 : (members.beatAgeMs ?? 0);
  }

  /** Resolves when the catalog here has all that it had when this was called; false where that takes too long. */
  async catalogToEnd(): Promise<boolean> {
    const { hasCatalog, homes, catalog } = this.#parts;
    const beganMs = steadyClock.now();
    for (;;) {
      const waitedMs = steadyClock.now() - beganMs;
      if (hasCatalog() || (catalog.isThere && homes.follower.isWithin(catalogHome, waitedMs))) return true;
      if (this.#isClosed || waitedMs > limits.ownerWaitMs) return false;
      homes.follower.lookSoon();
      await pause(limits.clusterLookMs);
    }
  }

  /** Resolves when something has another owner than before. */
  changed(): Promise<void> {
    this.#changing ??= this.#change().finally(() => {
      this.#changing = undefined;
    });
    return this.#changing;
  }
  /** One more waits for a change, or one less: while nobody does it is looked for less often, and for the first who comes at once. */
  watch(isWatched: boolean): void {
    this.#watchers += isWatched ? 1 : -1;
    if (isWatched) this.#endRest();
  }
  /** For who forwards. All of this node share the bytes. */
  forForwarder(ownerOf: RequestOwners['ownerOf']): { owners: RequestOwners; bytes: ForwardedBytes } {
    const owners: RequestOwners = {
      ownerOf,
      changed: () => this.changed(),
      watch: (isWatched) => this.watch(isWatched),
      silentMs: () => this.silentMs,
    };
    return { owners, bytes: this.#bytes };
  }
  close(): void {
    this.#isClosed = true;
  }

  async #change(): Promise<void> {
    const before = this.#text();
    for (let seen = this.#seen(); !this.#isClosed; ) {
      if (this.#watchers > 0) await pause(limits.clusterLookMs);
      else await this.#rest();
      const now = this.#seen();
      if (now.every((value, index) => value === seen[index])) continue;
      if (this.#text() !== before) break;
      seen = now;
    }
    // Nothing changes any more. Who asks again and again would keep the process from everything else.
    if (this.#isClosed) await new Promise(() => {});
  }
  async #rest(): Promise<void> {
    const rest = new AbortController();
    this.#endRest = () => rest.abort();
    await pause(limits.clusterRestMs, rest.signal);
  }
  /** While none of it changes, no owner does. Cheap: it is looked at all the time. */
  #seen(): readonly unknown[] {
    const { homes, open } = this.#parts;
    return [homes.members.last, homes.members.alive.length, homes.ownedCount, open.size, this.#parts.leads(), this.catalogIsNew];
  }
  #text(): string {
    const { count } = this.#parts;
    const owners = [`${this.catalogIsNew}`, this.leader()];
    for (let home = 1; home <= count; home++) owners.push(this.ownerOfHome(home));
    return owners.map((owner) => (typeof owner === 'object' ? owner.address : owner)).join(' ');
  }

  #other(home: number): RequestOwner | undefined {
    const owner = this.#parts.homes.ownerOf(home);
    return owner === undefined || owner.node === this.#parts.node ? undefined : { address: owner.address };
  }

  /** An access stays in its session, and a session in its home. */
  #homeOfAccess(index: 'byToken' | 'byAddress', key: string): number | undefined {
    const homes = this.#homesOfAgents[index];
    // Which one was used last matters little: what is gone is read again.
    const known = homes.peek(key);
    if (known !== undefined) return known;
    const record = this.#parts.catalog.isThere ? findAccess(this.#parts.catalog.view, index, key) : undefined;
    if (record === undefined) return undefined;
    const home = this.homeOf(record.access.sessionId);
    homes.set(key, home);
    return home;
  }
}
