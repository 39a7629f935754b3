// Every request to the control plane passes here, once it is known who asks and the input is well-formed.
//   DISPATCH-1. The order is authority and, of a key that was not used yet, the resources of the path (both asked before the body is read;
//     authority again with it), replay, then the endpoint's own: existence, version or generation, readiness, world.
//   DISPATCH-2. A project the caller may do nothing in does not exist for that caller.
//   DISPATCH-3. On a disk that is short of space nothing new begins; what ends work or frees space continues. What of that changes nothing
//     writes nothing there, and no tenant uses up what is left: of what frees nothing each has so much (core/short-disk.ts).
//   DISPATCH-4. A reply leaves after its commit, and its claim, effect, stored answer and audit event are one commit.
//   DISPATCH-5. In a project that is being deleted nothing begins, and what it holds is seen no more. One that is gone is none, but for the
//     same deletion asked for again and the operation that carried it out.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { endpointTable } from '../contract/hosted/endpoint-table.js';
import type { EndpointId, EndpointInput, EndpointReply } from '../contract/hosted/endpoints.js';
import type { JsonValue } from '../contract/json.js';
import { limits } from '../contract/limits.js';
import { filledPath } from '../contract/route-table.js';
import type { Authority } from '../contract/world/authority.js';
import { auditEvent, auditTable } from './catalog/audit-records.js';
import { type Call, type Caller, type Endpoint, type Outcome, principalOf, type ServedReply, type UnsafeCall } from './catalog/endpoint.js';
import { isOpenProject, projectTable, requireOpenProject } from './catalog/organization-records.js';
import type { Change, View } from './catalog/tables.js';
import { authoritiesOfRole, requireAuthority } from './core/authorities.js';
import {
  ClaimsAtWork,
  claimIdOf,
  claimOf,
  claimTable,
  purgeClaims,
  requestHashOf,
  requireIdempotencyKey,
  type StoredAnswer,
} from './core/idempotency.js';
import { newestAbout } from './core/operation-records.js';
import type { RefusalTrail } from './core/refusal-trail.js';
import type { ControlServices } from './core/services.js';
import { ShortDisk } from './core/short-disk.js';
import { requirePathResources } from './path-resources.js';

export interface DispatchContext {
  caller: Caller;
  correlationId: string;
  /** From where it is asked for, for the audit trail; an address of '' or absent where that is not known. */
  client?: { readonly address: string };
  idempotencyKey?: string;
}
export interface Dispatch<Id extends EndpointId> {
  reply: ServedReply<Id>;
  /** The stored answer of an earlier request with this key. */
  replayed: boolean;
  /** Nothing was made: it was there already. */
  isKnown?: boolean;
}
/** What is missing here was not mounted: open-control.ts sees that nothing is. */
export type Endpoints = { readonly [Id in EndpointId]?: Endpoint<Id> };

// Inside, an endpoint and its call are known to belong together; the public signature says so for each id.
type AnyEndpoint = Endpoint<EndpointId>;
type Mutation = Exclude<AnyEndpoint, { kind: 'read' }>;
type AnyReply = EndpointReply<EndpointId>;
type Needs = Pick<ControlServices, 'catalog' | 'keyring' | 'nowMs' | 'log' | 'disk' | 'damageLogged'>;
type PathValues = { [name: string]: string | number };
interface Ask {
  id: EndpointId;
  call: UnsafeCall<EndpointId>;
  claimId: string;
  projectId: string | undefined;
  clientAddress: string;
  /** The disk was short of space when it came. */
  isShort: boolean;
}

/** What is seen of a project that is being deleted. */
const seenToTheEnd: ReadonlySet<EndpointId> = new Set<EndpointId>(['getProject', 'getOperation', 'listOperations']);
/** What is answered of one that is gone. */
const answeredAfterwards: ReadonlySet<EndpointId> = new Set<EndpointId>(['deleteProject', 'getOperation']);

export class Dispatcher {
  readonly #services: Needs;
  readonly #refusals: RefusalTrail;
  readonly #endpoints: Endpoints;
  readonly #atWork = new ClaimsAtWork();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #shortDisk: ShortDisk;
  #draining = false;

  constructor(services: Needs, { endpoints, refusals }: { endpoints: Endpoints; refusals: RefusalTrail }) {
    for (const [id, endpoint] of Object.entries(endpoints)) {
      if ((endpoint.kind === 'read') === endpointTable[id as EndpointId].unsafe)
        throw new Error(`${id} is ${endpoint.kind}, the table says otherwise`);
    }
    this.#services = services;
    this.#shortDisk = new ShortDisk(services.disk);
    this.#refusals = refusals;
    this.#endpoints = endpoints;
  }

  async dispatch<Id extends EndpointId>(id: Id, input: EndpointInput<Id>, context: DispatchContext): Promise<Dispatch<Id>> {
    const work = this.#answer(id, input as EndpointInput<EndpointId>, context);
    this.#underWay.add(work);
    try {
      return (await work) as unknown as Dispatch<Id>;
    } finally {
      this.#underWay.delete(work);
    }
  }

  /**
   * What can be refused before the body is read: authority, and resources of the path that are not there. A key that was used is read
   * with the body, as its answer may be of a time when there was more.
   */
  admit(id: EndpointId, path: PathValues | undefined, context: DispatchContext): void {
    const { caller, idempotencyKey: key } = context;
    const projectId = path?.projectId === undefined ? undefined : String(path.projectId);
    this.#requireAuthority(id, context, projectId);
    if (path === undefined || key === undefined) return;
    const { view } = this.#services.catalog;
    const claimId = claimIdOf({ holder: holderOf(caller), projectId, endpoint: id, key });
    if (view.get(claimTable, claimId) !== undefined) return;
    requireOpen(view, id, projectId);
    requirePathResources(view, caller.organizationId, path);
  }

  /** Refuses changes from now on; resolves when no request is under way. */
  async drain(): Promise<void> {
    this.#draining = true;
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  /** Forgets answers that were kept long enough. */
  async purge(): Promise<void> {
    await purgeClaims(this.#services, { atWork: this.#atWork, isOver: () => this.#draining });
  }

  async #answer(id: EndpointId, input: EndpointInput<EndpointId>, context: DispatchContext): Promise<Dispatch<EndpointId>> {
    const rule = endpointTable[id];
    const { caller, correlationId } = context;
    const idempotencyKey = requireIdempotencyKey(rule, context.idempotencyKey);
    const projectId = (input.path as { projectId?: string } | undefined)?.projectId;
    this.#requireAuthority(id, context, projectId);
    const endpoint = this.#endpoints[id] as AnyEndpoint | undefined;
    if (endpoint === undefined) throw new Error(`there is no endpoint ${id}`);
    // Spelled out, as is what follows: this is each request's way, and copies of objects of many kinds are dear.
    const { path, query, body } = input as unknown as { path?: PathValues; query?: unknown; body?: unknown };
    const call = { path, query, body, caller, correlationId } as Call<EndpointId>;
    if (endpoint.kind === 'read') {
      requireSeen(this.#services.catalog.view, id, projectId);
      return { reply: await endpoint.run(this.#services.catalog.view, call), replayed: false };
    }
    if (this.#draining)
      throw new ServiceError('control.UNAVAILABLE', { message: 'The server shuts down.', retryAfterMs: limits.unavailableRetryAfterMs });
    const isShort = this.#shortDisk.admit(id);
    const key = idempotencyKey!;
    const claimId = claimIdOf({ holder: holderOf(caller), projectId, endpoint: id, key });
    const requestHash = requestHashOf(rule, filledPath(rule.path, path ?? {}), body);
    const ask: Ask = {
      id,
      call: { path, query, body, caller, correlationId, idempotencyKey: key, requestHash } as UnsafeCall<EndpointId>,
      claimId,
      projectId,
      clientAddress: context.client?.address ?? '',
      isShort,
    };
    return endpoint.kind === 'prepared' ? this.#prepareAndChange(endpoint, ask) : this.#change(endpoint, ask);
  }

  #requireAuthority(id: EndpointId, context: DispatchContext, projectId: string | undefined): void {
    const { caller, correlationId } = context;
    try {
      const isGone = this.#isAnsweredAfterwards(id, caller, projectId);
      requireAuthority(endpointTable[id], { caller, projectId: isGone ? undefined : projectId });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const clientAddress = context.client?.address ?? '';
      this.#refusals.note({ caller, action: id, correlationId, clientAddress, refusal: error, projectId });
      throw error;
    }
  }

  /** Of a project that is gone, to who has the authority in the organization; to all others it is none. */
  #isAnsweredAfterwards(id: EndpointId, { organizationId, role }: Caller, projectId: string | undefined): boolean {
    if (projectId === undefined || !answeredAfterwards.has(id)) return false;
    const { view } = this.#services.catalog;
    const isAllowed = authoritiesOfRole(role).has(endpointTable[id].authority as Authority);
    if (!isAllowed || view.get(projectTable, projectId) !== undefined) return false;
    return newestAbout(view, { organizationId, projectId, resourceId: projectId }) !== undefined;
  }

  async #change(endpoint: Extract<Mutation, { kind: 'change' }>, ask: Ask): Promise<Dispatch<EndpointId>> {
    return this.#services.catalog.change((tx) => {
      const claim = claimOf(tx, ask.claimId, ask.call.requestHash);
      if (claim?.answer !== undefined) return replayOf(endpoint, claim.answer, ask.call.caller);
      requireOpen(tx, ask.id, ask.projectId);
      return this.#keep(tx, ask, endpoint, endpoint.apply(tx, ask.call));
    });
  }

  async #prepareAndChange(endpoint: Extract<Mutation, { kind: 'prepared' }>, ask: Ask): Promise<Dispatch<EndpointId>> {
    const { catalog, nowMs } = this.#services;
    const { claimId, call } = ask;
    let isMine = false;
    try {
      const done = await catalog.change((tx) => {
        const claim = claimOf(tx, claimId, call.requestHash);
        if (claim?.answer !== undefined) return replayOf(endpoint, claim.answer, call.caller);
        requireOpen(tx, ask.id, ask.projectId);
        this.#atWork.enter(claimId);
        isMine = true;
        const ready = endpoint.prepareAtOnce?.(tx, call);
        if (ready !== undefined) return this.#keep(tx, ask, endpoint, endpoint.apply(tx, call, ready.prepared));
        if (claim === undefined) tx.put(claimTable, { claimId, requestHash: call.requestHash, claimedAtMs: nowMs() });
        return undefined;
      });
      return done ?? (await this.#carryOut(endpoint, ask));
    } finally {
      if (isMine) this.#atWork.leave(claimId);
    }
  }

  async #carryOut(endpoint: Extract<Mutation, { kind: 'prepared' }>, ask: Ask): Promise<Dispatch<EndpointId>> {
    const { catalog, log } = this.#services;
    try {
      const prepared: unknown = await endpoint.prepare(catalog.view, ask.call);
      return await catalog.change((tx) => {
        requireOpen(tx, ask.id, ask.projectId);
        return this.#keep(tx, ask, endpoint, endpoint.apply(tx, ask.call, prepared));
      });
    } catch (error) {
      // A claim that stays is like one of an earlier incarnation: the next request with the key takes it.
      await catalog
        .change((tx) => tx.remove(claimTable, ask.claimId))
        .catch((err) => log.warn('a claim was not released', { correlationId: ask.call.correlationId, err }));
      throw error;
    }
  }

  /** What of a change is kept beside its effect. */
  #keep(
    tx: Change,
    { id, call, claimId, projectId, clientAddress, isShort }: Ask,
    endpoint: Mutation,
    { reply, isKnown, ...done }: Outcome<AnyReply>,
  ): Dispatch<EndpointId> {
    const { nowMs, keyring } = this.#services;
    const atMs = nowMs();
    const { caller, correlationId, requestHash } = call;
    if (isShort && !tx.hasWritten) {
      // Asked for again it changes nothing again. Of a request that had to wait the claim is there.
      if (tx.get(claimTable, claimId) !== undefined) tx.remove(claimTable, claimId);
      return { reply, replayed: false, ...defined({ isKnown }) };
    }
    if (isShort) this.#shortDisk.take(id, caller);
    const stored = (endpoint.withoutSecret?.(reply) ?? reply) as unknown as JsonValue;
    const secret =
      endpoint.withSecret === undefined ? {} : { secret: { principal: principalOf(caller), keyGeneration: keyring.generation } };
    tx.put(claimTable, { claimId, requestHash, claimedAtMs: atMs, answer: { reply: stored, atMs, ...secret } });
    tx.put(auditTable, auditEvent({ action: id, atMs, caller, correlationId, clientAddress, projectId, ...done }));
    return { reply, replayed: false, ...defined({ isKnown }) };
  }
}

/** Before a change in a project; of its deletion it is the endpoint's own to say. */
function requireOpen(view: View, id: EndpointId, projectId: string | undefined): void {
  if (projectId !== undefined && id !== 'deleteProject') requireOpenProject(view, projectId);
}

/** control.NOT_FOUND for what lies in a project that is being deleted. */
function requireSeen(view: View, id: EndpointId, projectId: string | undefined): void {
  if (projectId === undefined || seenToTheEnd.has(id) || isOpenProject(view, projectId)) return;
  throw new ServiceError('control.NOT_FOUND', { message: 'The project is being deleted, and what it held is gone.' });
}

/** control.IDEMPOTENCY_KEY_REUSED where the reply has a secret, and somebody else was shown it. */
function replayOf(endpoint: Mutation, { reply, secret }: StoredAnswer, caller: Caller): Dispatch<EndpointId> {
  const stored = reply as unknown as AnyReply;
  // Early versions left an empty place for it.
  if (endpoint.withSecret === undefined) return { reply: endpoint.withoutSecret?.(stored) ?? stored, replayed: true };
  if (secret === undefined || secret.principal !== principalOf(caller)) {
    throw new ServiceError('control.IDEMPOTENCY_KEY_REUSED', {
      message: 'Another credential used the Idempotency-Key, and the reply has a secret that is its alone.',
    });
  }
  return { reply: endpoint.withSecret(stored, secret.keyGeneration), replayed: true };
}

/** Whose keys these are. An identity has its own, whatever organization its token names; so has the operator. */
function holderOf(caller: Caller): string {
  const { organizationId, identity, operator } = caller;
  if (operator === true) return 'operator';
  return identity === undefined ? organizationId : `${organizationId} ${principalOf(caller)}`;
}
