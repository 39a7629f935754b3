// What this incarnation of the service knows of its sessions beyond the catalog: the way to their worlds, and the access it has issued.
// It ends with the incarnation, as it should: an access that nobody remembers opens nothing, and recovery moves its lease on.
//   SESSION-MEMORY-1. `revoke` ends every access of a session from the moment it is called; calls that had begun are still answered.
// A session that nobody has used since the start takes no memory.
import { DeliveringWorld, type DeliveryObserver } from '../../callbacks/delivering-world.js';
import type { ReceiverSource } from '../../callbacks/receivers.js';
import { LruMap } from '../../collections/lru-map.js';
import { ServiceError } from '../../contract/errors.js';
import type { SessionAccess } from '../../contract/hosted/sessions.js';
import { limits } from '../../contract/limits.js';
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import { joinUnanswered } from '../../drills/attempt/unanswered.js';
import type { Access } from '../../drills/ports/bindings-port.js';
import type { WorldRef, Worlds } from '../../worlds/api.js';

export interface IssuedAccess {
  access: Access;
  /** As it is shown. */
  view: SessionAccess;
  /** The credential that made it has not been revoked, its member has not been removed, and the project is not being deleted. */
  issuerStands(): boolean;
  expiresAtMs: number;
  /** Of the server key, from which its credential derives. */
  keyGeneration: number;
}

interface KnownWorld {
  world: DeliveringWorld;
  /** Nothing of it is delivered any more. */
  end: AbortController;
}
export interface SessionMemoryParts {
  worlds: Worlds;
  /** A world as everybody but its hosts holds it. */
  guarded(world: WorldRef): WorldRef;
  receiversOf(sessionId: string, signal: AbortSignal): ReceiverSource;
  deliveries: DeliveryObserver;
  /** The same world, watched for what it stores. */
  watched(world: WorldRef): WorldRef;
  acceptsKey(generation: number): boolean;
}

export class SessionMemory {
  readonly #parts: SessionMemoryParts;
  readonly #refs = new Map<string, KnownWorld>();
  readonly #issued = new Map<string, Set<IssuedAccess>>();
  /** What no route answered of accesses that are over, by session. */
  readonly #unanswered = new LruMap<string, UnansweredRequests>({ entriesMax: limits.unansweredSessionsMax });
  /** Of sessions in which an operation runs that can be stopped. */
  readonly #ends = new Map<string, AbortController>();

  constructor(parts: SessionMemoryParts) {
    this.#parts = parts;
  }

  /** control.NOT_FOUND when there is no world of this session. */
  async world(sessionId: string): Promise<DeliveringWorld> {
    return this.#refs.get(sessionId)?.world ?? this.remember(await this.#parts.worlds.open(sessionId));
  }
  /** One a world, shared by all that open it. */
  remember(world: WorldRef): DeliveringWorld {
    const known = this.#refs.get(world.worldId);
    if (known !== undefined) return known.world;
    const end = new AbortController();
    const { watched, guarded, receiversOf, deliveries } = this.#parts;
    const delivering = new DeliveringWorld(watched(guarded(world)), receiversOf(world.worldId, end.signal), deliveries);
    this.#refs.set(world.worldId, { world: delivering, end });
    return delivering;
  }
  /** A callback is in flight. */
  isDelivering(sessionId: string): boolean {
    return this.#refs.get(sessionId)?.world.isDelivering === true;
  }

  /** control.QUOTA_EXCEEDED when the session has as many as it may. */
  requireFreeAccess(sessionId: string, nowMs: number): void {
    this.#dropVoid(sessionId, nowMs);
    const issued = this.#issued.get(sessionId);
    if (issued === undefined || issued.size < limits.accessesMax) return;
    const soonest = Math.min(...[...issued].map(({ expiresAtMs }) => expiresAtMs));
    throw new ServiceError('control.QUOTA_EXCEEDED', {
      message: `A session has at most ${limits.accessesMax} accesses at once.`,
      details: { quota: 'accessesMax' },
      retryAfterMs: Math.max(1, soonest - nowMs),
    });
  }
  issued(sessionId: string, issued: IssuedAccess): void {
    const all = this.#issued.get(sessionId) ?? new Set();
    this.#issued.set(sessionId, all.add(issued));
  }
  /** Those that are valid, the oldest first. */
  accessesOf(sessionId: string, nowMs: number): readonly IssuedAccess[] {
    this.#dropVoid(sessionId, nowMs);
    return [...(this.#issued.get(sessionId) ?? [])];
  }
  revokeOne(sessionId: string, issued: IssuedAccess): void {
    this.#end(sessionId, issued);
    this.#issued.get(sessionId)?.delete(issued);
  }
  revoke(sessionId: string): void {
    for (const issued of this.#issued.get(sessionId) ?? []) this.#end(sessionId, issued);
    this.#issued.delete(sessionId);
  }
  /** Of every access that this incarnation of the service has issued to the session. */
  unansweredOf(sessionId: string): UnansweredRequests {
    const live = [...(this.#issued.get(sessionId) ?? [])].map(({ access }) => access.unanswered());
    return joinUnanswered([this.#unanswered.peek(sessionId), ...live]);
  }
  /** Ends access whose time is over, and that of a server key which is accepted no more. */
  dropVoid(nowMs: number): void {
    for (const sessionId of this.#issued.keys()) this.#dropVoid(sessionId, nowMs);
  }

  /** Runs what may take long so that it is cancelled, as by its own signal, when the session ends. */
  async untilEnd<T>(sessionId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController();
    this.#ends.set(sessionId, end);
    try {
      return await work(AbortSignal.any([signal, end.signal]));
    } finally {
      this.#ends.delete(sessionId);
    }
  }

  /** The session has ended; its world is about to go. */
  ended(sessionId: string): void {
    this.revoke(sessionId);
    this.#ends.get(sessionId)?.abort();
    this.#refs.get(sessionId)?.end.abort();
  }
  forget(sessionId: string): void {
    this.#refs.delete(sessionId);
    this.#unanswered.delete(sessionId);
  }
  /** This incarnation ends: what is in flight is broken off, and goes out again in the next one. */
  leave(): void {
    for (const { end } of this.#refs.values()) end.abort();
  }

  #end(sessionId: string, { access }: IssuedAccess): void {
    void access.revoke();
    const found = access.unanswered();
    if (found === undefined) return;
    const all = joinUnanswered([this.#unanswered.get(sessionId), found]);
    this.#unanswered.set(sessionId, all);
  }

  #dropVoid(sessionId: string, nowMs: number): void {
    const all = this.#issued.get(sessionId);
    if (all === undefined) return;
    for (const one of all) {
      if (one.expiresAtMs > nowMs && this.#parts.acceptsKey(one.keyGeneration) && one.issuerStands()) continue;
      this.#end(sessionId, one);
      all.delete(one);
    }
    if (all.size === 0) this.#issued.delete(sessionId);
  }
}
