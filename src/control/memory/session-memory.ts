// What this incarnation of the service knows of its sessions beyond the catalog: the way to their worlds, and the accesses that are open.
// It ends with the incarnation; the catalog says which accesses there are, and the next one opens them when they are used.
//   SESSION-MEMORY-1. `revoke` ends every access of a session from the moment it is called; calls that had begun are still answered.
// A session that nobody has used since the start takes no memory.
import { LateAbort } from '../../async/late-abort.js';
import { LruMap } from '../../collections/lru-map.js';
import { limits } from '../../contract/limits.js';
import type { UnansweredRequests } from '../../contract/run/run-events.js';
import { joinUnanswered } from '../../drills/attempt/unanswered.js';
import type { Access } from '../../drills/ports/bindings-port.js';
import type { WorldRef, Worlds } from '../../worlds/api.js';

/** Of an access that is open. */
export interface AccessStanding {
  /** It has not been ended, the credential that made it stands, and the project is not being deleted. */
  stands(): boolean;
}
export interface OpenedAccess {
  accessId: string;
  access: Access;
  standing: AccessStanding;
  expiresAtMs: number;
  /** Of the server key, from which its credential derives. */
  keyGeneration: number;
}

/** A world whose callbacks are delivered, here or by who owns it. */
export interface HeldWorld extends WorldRef {
  /** Here, at this moment. */
  readonly isDelivering: boolean;
  /** Sends what is due now. */
  deliver(): Promise<void>;
}
interface KnownWorld {
  world: HeldWorld;
  /** Nothing of it is delivered any more. */
  end: LateAbort;
}
export interface SessionMemoryParts {
  worlds: Pick<Worlds, 'open'>;
  /** A world as everybody but its hosts holds it. From the end on nothing of it is delivered. */
  held(world: WorldRef, end: LateAbort): HeldWorld;
  acceptsKey(generation: number): boolean;
}

export class SessionMemory {
  readonly #parts: SessionMemoryParts;
  readonly #refs = new Map<string, KnownWorld>();
  /** By session: few each, one as a rule (limits.accessesMax). */
  readonly #opened = new Map<string, readonly OpenedAccess[]>();
  /** Where the look at those that stand has come to. */
  #turn = this.#opened.entries();
  /** What no route answered of accesses that are over, by session. */
  readonly #unanswered = new LruMap<string, UnansweredRequests>({ entriesMax: limits.unansweredSessionsMax });
  /** Of sessions in which an operation runs that can be stopped. */
  readonly #ends = new Map<string, AbortController>();

  constructor(parts: SessionMemoryParts) {
    this.#parts = parts;
  }

  /** control.NOT_FOUND when there is no world of this session. */
  async world(sessionId: string): Promise<HeldWorld> {
    return this.#refs.get(sessionId)?.world ?? this.remember(await this.#parts.worlds.open(sessionId));
  }
  /** One a world, shared by all that open it. */
  remember(world: WorldRef): HeldWorld {
    const known = this.#refs.get(world.worldId);
    if (known !== undefined) return known.world;
    const end = new LateAbort();
    const held = this.#parts.held(world, end);
    this.#refs.set(world.worldId, { world: held, end });
    return held;
  }
  /** A callback is in flight, as far as this process sends it. */
  isDelivering(sessionId: string): boolean {
    return this.#refs.get(sessionId)?.world.isDelivering === true;
  }
  /** The same, wherever it is sent. */
  askDelivering(sessionId: string): boolean | Promise<boolean> {
    return this.isDelivering(sessionId);
  }

  opened(sessionId: string, opened: OpenedAccess): void {
    const others = this.#openedBut(sessionId, opened.accessId);
    // A list that is pushed to has places for many more, and most sessions have one access.
    this.#opened.set(sessionId, others.concat(opened));
  }
  /** Whether it is open or not. */
  revokeOne(sessionId: string, accessId: string): void {
    const opened = this.#opened.get(sessionId)?.find((one) => one.accessId === accessId);
    if (opened === undefined) return;
    this.#end(sessionId, opened);
    const others = this.#openedBut(sessionId, accessId);
    if (others.length === 0) this.#opened.delete(sessionId);
    else this.#opened.set(sessionId, others);
  }
  revoke(sessionId: string): void {
    for (const opened of this.#opened.get(sessionId) ?? []) this.#end(sessionId, opened);
    this.#opened.delete(sessionId);
  }
  /** Of every access to the session that this incarnation of the service has opened. */
  unansweredOf(sessionId: string): UnansweredRequests | Promise<UnansweredRequests> {
    const live = (this.#opened.get(sessionId) ?? []).map(({ access }) => access.unanswered());
    return joinUnanswered([this.#unanswered.peek(sessionId), ...live]);
  }
  /**
   * Ends access whose time is over, and that of a server key which is accepted no more; and, of some sessions at each call, in turn, that
   * which has fallen with who gave it. Only memory waits for that: each use of an access asks whether it stands, and to ask for all of
   * many sessions would hold up everybody.
   */
  dropVoid(nowMs: number): void {
    this.#dropWhere(this.#opened, (one) => one.expiresAtMs <= nowMs || !this.#parts.acceptsKey(one.keyGeneration));
    this.#dropWhere(this.#nextInTurn(limits.sessionBatch), ({ standing }) => !standing.stands());
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
  /** Of sessions whose worlds are another's from now on: what is open here ends, and nothing of them is delivered. */
  leaveThose(isLeft: (sessionId: string) => boolean): void {
    for (const [sessionId, { end }] of this.#refs) {
      if (!isLeft(sessionId)) continue;
      end.abort();
      this.#refs.delete(sessionId);
    }
    for (const sessionId of this.#opened.keys()) if (isLeft(sessionId)) this.revoke(sessionId);
  }
  /** This incarnation ends: what is in flight is broken off, and goes out again in the next one. */
  leave(): void {
    for (const { end } of this.#refs.values()) end.abort();
  }

  #end(sessionId: string, { access }: OpenedAccess): void {
    void access.revoke();
    const found = access.unanswered();
    if (found === undefined) return;
    const all = joinUnanswered([this.#unanswered.get(sessionId), found]);
    this.#unanswered.set(sessionId, all);
  }

  #dropWhere(sessions: Iterable<[sessionId: string, readonly OpenedAccess[]]>, isVoid: (one: OpenedAccess) => boolean): void {
    for (const [sessionId, all] of sessions) for (const one of all) if (isVoid(one)) this.revokeOne(sessionId, one.accessId);
  }
  *#nextInTurn(count: number): Generator<[sessionId: string, readonly OpenedAccess[]]> {
    for (let left = count; left > 0; left--) {
      const { value, done } = this.#turn.next();
      if (done === true) {
        this.#turn = this.#opened.entries();
        return;
      }
      yield value;
    }
  }

  #openedBut(sessionId: string, accessId: string): readonly OpenedAccess[] {
    return (this.#opened.get(sessionId) ?? []).filter((one) => one.accessId !== accessId);
  }
}
