// What an actor host runs: the port between the generic runtime (this module) and a kind of actor (worlds), which a host
// loads as a module in its thread or process. The runtime knows mailboxes, slices and group commit; the kind knows what a message means.
//   DEFINITION-1. A write set is taken only between steps, and every reply is sent after the commit of all the write sets taken before it.
//   DEFINITION-2. Commands of one actor run one at a time, in order. Queries run between steps, when nothing of the actor is uncommitted;
//     while a query of several slices runs, its actor's commands rest.
//   DEFINITION-3. A thread may be ended at any moment but inside the gate. `commit`, `control` and `close` run inside it until they first
//     await; whatever else writes to a store that takes locks (in `activate`, in a step) writes inside `runCritical` (critical-section.ts).

/** The default-named export `createActorKind` of a host module. `options` is what the system was started with, structured-cloned. */
export type CreateActorKind = (options: unknown, host: HostFacts) => ActorKind | Promise<ActorKind>;
export interface HostFacts {
  /** The place of this host among its siblings, stable across restarts of the thread or process. */
  index: number;
  isolation: 'thread' | 'process';
  /** Tells the host that an actor has spare work (Actor.idle) to be given time when nothing is waiting. */
  wantsIdle(actorId: string): void;
  /**
   * Asks the system (ActorSystemOptions.answer), from the first moment of the kind on. Plain data and bytes cross, which arrive as
   * Uint8Array; what is handed over stays as it is until the answer. Asks arrive in the order of these calls. Rejects with what the system
   * refused, control.UNAVAILABLE where none answers, and beyond a bound (control.WORLD_BUSY, control.INVALID_REQUEST).
   */
  ask(request: unknown): Promise<unknown>;
  /**
   * Takes the actors from memory and refuses what their mailboxes hold with world.ACTOR_RESTARTED. What they have finished is committed
   * first and answered, unless `isLost`; a command that runs is refused at the end of its slice, and what of it is not committed never
   * happened. The kind activates none of them from before this call on. Resolves when none is left and no commit of theirs is in flight.
   */
  dismiss(actors: (actorId: string) => boolean, how: { isLost: boolean }): Promise<void>;
}

export interface ActorKind {
  /**
   * Loads an actor, synchronously. `incarnation` is larger than that of any earlier incarnation of this system, and of earlier systems
   * while the machine's clock goes forward; a kind whose store holds a larger one continues from that: `max(incarnation, stored + 1)`. It
   * is checked inside every commit. A store that two systems may open at once must also check, inside the commit, that it is where this
   * incarnation left it. Throws ServiceError when there is no such actor.
   */
  activate(actorId: string, incarnation: number): Actor;
  /**
   * One group commit for all write sets of a tick; resolves at the durability level asked for. A set that fails its incarnation check
   * rejects only itself.
   */
  commit(writeSets: readonly unknown[]): Promise<readonly (Error | undefined)[]>;
  /** Requests to the host itself (load a program, create an actor): not part of any mailbox, answered in order of arrival. */
  control(request: unknown): unknown;
  close(): Promise<void>;
}

export interface Actor {
  /**
   * Starts a command: a generator that yields at the end of each slice and returns the reply. Throws ServiceError before its first effect.
   */
  command(message: unknown, run: CommandRun): Generator<undefined, unknown>;
  /** Answers a query: at once, or as a generator that yields at the end of each slice. Never changes what evidence or state say. */
  query(message: unknown): { reply: unknown } | Generator<undefined, unknown>;
  /** What has changed since the last take; undefined when nothing has. */
  takeWriteSet(): unknown;
  /** Tells how much is uncommitted, so that the host commits long commands in reasonable pieces. */
  pendingCount(): number;
  /** Spare work in slices (hashing); true while there is more. */
  idle(): boolean;
  /** Nothing may be held afterwards. Called only with an empty mailbox and nothing uncommitted. */
  passivate(): void;
  /**
   * In place of `passivate` when this incarnation has failed (a bug, a refused commit): what it held uncommitted must never be committed.
   */
  discard?(): void;
}

export interface CommandRun {
  /** Set when the caller cancelled; a command reads it between slices. */
  readonly cancelRequested: boolean;
  /** Sent to the caller after the next commit. */
  progress(value: unknown): void;
  /** True when the present slice has used its time. Cheap enough to ask after every event. */
  sliceOver(): boolean;
  /** Others wait for their slices: those who share the work evenly, and not the time alone, end together. */
  readonly isShared: boolean;
}
