// One addressed actor inside a host: its mailbox, its incarnation, and what of it is not committed yet. State only: stepper.ts and
// group-commit.ts move it.
//   CELL-1. `actor` is set from activation until passivation or failure; each setting of it has a larger incarnation.
//   CELL-2. Every entry taken from a queue is in exactly one of `running`, `querying`, `waiting`, a commit in flight, or answered.
import type { ErrorFrame } from '../contract/errors.js';
import { monotonicMs } from './board.js';
import type { Actor, CommandRun } from './definition.js';
import { Fifo } from './fifo.js';

/** When the present slice ends, in monotonic ms; one for all actors of a host, which run one at a time. */
export interface SliceClock {
  endMs: number;
  /** How long the next one is. */
  sliceMs: number;
  /** Others wait for theirs. */
  isShared: boolean;
}

export class CommandEntry implements CommandRun {
  readonly kind = 'command';
  cancelRequested = false;
  /** Set once it is finished, until it is sent. */
  outcome: Outcome | undefined;
  #progress: { value: unknown } | undefined;
  readonly #clock: SliceClock;

  constructor(
    readonly slot: number,
    readonly stamp: number,
    readonly message: unknown,
    clock: SliceClock,
  ) {
    this.#clock = clock;
  }

  progress(value: unknown): void {
    this.#progress = { value };
  }
  sliceOver(): boolean {
    return monotonicMs() >= this.#clock.endMs;
  }
  get isShared(): boolean {
    return this.#clock.isShared;
  }

  get hasProgress(): boolean {
    return this.#progress !== undefined;
  }
  takeProgress(): { value: unknown } | undefined {
    const taken = this.#progress;
    this.#progress = undefined;
    return taken;
  }
}
export type Outcome = { reply: unknown } | { refusal: ErrorFrame };

export interface QueryEntry {
  readonly kind: 'query';
  readonly slot: number;
  readonly stamp: number;
  readonly message: unknown;
}
/** Stands in the commands' queue: what came before is finished first. */
export interface PassivationEntry {
  readonly kind: 'passivation';
  readonly done: () => void;
}
/** The actor is to leave the memory whatever it has to do (HostFacts.dismiss). */
export interface Dismissal {
  isLost: boolean;
  done(): void;
}
type Steps = Generator<undefined, unknown>;

export class Cell {
  actor: Actor | undefined;
  readonly commands = new Fifo<CommandEntry | PassivationEntry>();
  readonly queries = new Fifo<QueryEntry>();
  running: { entry: CommandEntry; steps: Steps } | undefined;
  querying: { entry: QueryEntry; steps: Steps } | undefined;
  /** Finished commands no commit covers yet. */
  waiting: CommandEntry[] = [];
  /** A write set of it is in the commit in flight. */
  committing = false;
  dismissal: Dismissal | undefined;
  committedMs = 0;
  /** How long it has run since its last commit. */
  workedMs = 0;
  /** Entries it holds uncommitted, as its host counts them (GroupCommit.count). */
  uncommitted = 0;
  queriesInRow = 0;
  usedMs = 0;
  /** In the host's ring of actors that may run. */
  ready = false;
  #nextIncarnation: number;

  /**
   * `stamp`: of the message that made the cell. Each activation is owed to a message, and stamps rise by at least one a message, so numbers
   * counted up from the first stamp stay below the stamp of whatever message activates the actor next, on this host or another.
   */
  constructor(
    readonly actorId: string,
    stamp: number,
  ) {
    this.#nextIncarnation = stamp;
  }

  takeIncarnation(): number {
    return this.#nextIncarnation++;
  }

  get hasWork(): boolean {
    const isAtWork = this.running !== undefined || this.querying !== undefined || this.dismissal !== undefined;
    return isAtWork || this.commands.size > 0 || this.queries.size > 0;
  }

  /** Nothing of it is uncommitted, so what it says now is true for good. */
  get settled(): boolean {
    return !this.committing && this.waiting.length === 0 && (this.actor === undefined || this.actor.pendingCount() === 0);
  }

  /** There is nothing of it. */
  get isEmpty(): boolean {
    return this.actor === undefined && !this.hasWork && !this.committing;
  }

  /** It can leave the memory now. */
  get isAtRest(): boolean {
    return !this.ready && !this.hasWork && this.settled;
  }

  /** What is taken is its own list: a command that ends while the commit is in flight is of the next one. */
  takeWaiting(): readonly CommandEntry[] {
    if (this.waiting.length === 0) return nothing;
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }
}

/** Of most commits of a long command. */
const nothing: readonly CommandEntry[] = [];
