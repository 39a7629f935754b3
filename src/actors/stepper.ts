// Runs actors one step at a time: activation, a query, a slice of a command. Decides what an actor does next; when it runs is the loop's
// matter.
//   STEPPER-1. A query runs only when nothing of its actor is uncommitted, and before any further step of a command, but for every 64th in
//     a row.
//   STEPPER-2. ServiceError is an answer; anything else thrown is a bug and ends this incarnation of the actor.
import { type ErrorFrame, errorToFrame, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { type BoardWriter, hostWorkSlot, monotonicMs } from './board.js';
import type { Cell, CommandEntry, Dismissal, PassivationEntry, QueryEntry, SliceClock } from './cell.js';
import type { Actor, ActorKind } from './definition.js';
import type { GroupCommit } from './group-commit.js';
import type { MailOutbox } from './outbox.js';
import { tuning } from './tuning.js';

export interface StepperParts {
  kind: ActorKind;
  board: BoardWriter;
  outbox: MailOutbox;
  commit: GroupCommit;
  clock: SliceClock;
}
/**
 * `more`: it can continue at once. `sliced`: it can continue after others have had their turn. `resting`: nothing to do, or a commit comes
 * first.
 */
export type StepEnd = 'more' | 'sliced' | 'resting';

export class Stepper {
  activations = 0;
  readonly #parts: StepperParts;

  constructor(parts: StepperParts) {
    this.#parts = parts;
  }

  step(cell: Cell, nowMs: number): StepEnd {
    if (cell.dismissal) return this.#leave(cell, cell.dismissal, nowMs);
    if (cell.querying) return this.#sliceOfQuery(cell, cell.querying, nowMs);
    if (cell.queries.size > 0 && !this.#commandsTurn(cell)) return this.#settledFirst(cell) ? this.#beginQuery(cell, nowMs) : 'resting';
    if (cell.running) return this.#mayGoOn(cell) ? this.#sliceOfCommand(cell, cell.running, nowMs) : 'resting';
    const next = cell.commands.first();
    if (next === undefined) return 'resting';
    if (next.kind === 'passivation') return this.#settledFirst(cell) ? this.#passivation(cell, nowMs) : 'resting';
    return this.#beginCommand(cell, nowMs);
  }

  /** Takes an actor with an empty mailbox and nothing uncommitted from memory. */
  passivate(cell: Cell, nowMs: number): void {
    const actor = cell.actor;
    if (actor === undefined) return;
    cell.actor = undefined;
    this.#parts.board.begin(hostWorkSlot, 0, nowMs);
    try {
      actor.passivate();
    } catch (error) {
      this.#parts.outbox.bug(cell.actorId, error);
    }
  }

  /** Ends an incarnation: what it did since its last commit never happened. Messages still queued begin the next incarnation. */
  fail(cell: Cell, refusal: ErrorFrame): void {
    const { outbox, commit } = this.#parts;
    commit.forget(cell);
    const unfinished = cell.running;
    cell.running = undefined;
    for (const entry of cell.takeWaiting()) outbox.refuse(entry.slot, refusal);
    if (unfinished) {
      abandon(unfinished.steps);
      outbox.refuse(unfinished.entry.slot, refusal);
    }
    const actor = cell.actor;
    cell.actor = undefined;
    try {
      actor?.discard?.();
    } catch (error) {
      outbox.bug(cell.actorId, error);
    }
  }

  /** In steps, as it waits for the commit of what is finished, and for one that is in flight. */
  #leave(cell: Cell, { isLost, done }: Dismissal, nowMs: number): StepEnd {
    const refusal = errorToFrame(new ServiceError('world.ACTOR_RESTARTED'));
    this.#emptyMailbox(cell, refusal);
    if (isLost) this.fail(cell, refusal);
    if (isLost ? cell.committing : !this.#settledFirst(cell)) return 'resting';
    if (cell.running) this.fail(cell, refusal);
    this.passivate(cell, nowMs);
    cell.dismissal = undefined;
    done();
    return 'more';
  }

  #emptyMailbox(cell: Cell, refusal: ErrorFrame): void {
    const { outbox } = this.#parts;
    for (let entry = cell.commands.shift(); entry; entry = cell.commands.shift()) {
      if (entry.kind === 'command') outbox.refuse(entry.slot, refusal);
      else entry.done();
    }
    if (cell.querying) {
      abandon(cell.querying.steps);
      outbox.refuse(cell.querying.entry.slot, refusal);
      cell.querying = undefined;
    }
    for (let entry = cell.queries.shift(); entry; entry = cell.queries.shift()) outbox.refuse(entry.slot, refusal);
  }

  /** A flood of queries may slow the commands of its actor, not stop them. */
  #commandsTurn(cell: Cell): boolean {
    return cell.queriesInRow >= limits.queriesInRowMax && (cell.running !== undefined || cell.commands.size > 0);
  }

  #settledFirst(cell: Cell): boolean {
    if (cell.settled) return true;
    if (!cell.committing) this.#parts.commit.want(cell);
    return false;
  }

  /** What a long command may hold uncommitted is bounded also while a commit of it is in flight. */
  #mayGoOn(cell: Cell): boolean {
    return !cell.committing || cell.actor!.pendingCount() < 2 * limits.commitEntriesMax;
  }

  #begin(slot: number, stamp: number, nowMs: number): void {
    this.#parts.clock.endMs = nowMs + this.#parts.clock.sliceMs;
    this.#parts.board.begin(slot, stamp, nowMs);
  }

  /** The actor, alive; undefined when it could not be loaded, and then `entry` has been refused. */
  #alive(cell: Cell, entry: CommandEntry | QueryEntry): Actor | undefined {
    if (cell.actor) return cell.actor;
    this.activations++;
    // Loading is the host's own work, however much there is to load: the message's time begins after it.
    this.#parts.board.begin(hostWorkSlot, 0, monotonicMs());
    try {
      cell.actor = this.#parts.kind.activate(cell.actorId, cell.takeIncarnation());
      this.#begin(entry.slot, entry.stamp, monotonicMs());
    } catch (error) {
      this.#parts.outbox.refuse(entry.slot, this.#refusalOf(cell, error));
    }
    return cell.actor;
  }

  #beginCommand(cell: Cell, nowMs: number): StepEnd {
    // An incarnation that failed while its commit was in flight: the next one loads what that commit leaves.
    if (cell.actor === undefined && cell.committing) return 'resting';
    const entry = cell.commands.shift() as CommandEntry;
    cell.queriesInRow = 0;
    this.#begin(entry.slot, entry.stamp, nowMs);
    const actor = this.#alive(cell, entry);
    if (actor === undefined) return 'more';
    let steps: Generator<undefined, unknown>;
    try {
      steps = actor.command(entry.message, entry);
    } catch (error) {
      return this.#commandThrew(cell, entry, error);
    }
    cell.running = { entry, steps };
    return this.#runCommand(cell, cell.running);
  }

  #sliceOfCommand(cell: Cell, running: NonNullable<Cell['running']>, nowMs: number): StepEnd {
    cell.queriesInRow = 0;
    this.#begin(running.entry.slot, running.entry.stamp, nowMs);
    const end = this.#runCommand(cell, running);
    if (end === 'sliced' && !cell.committing && this.#commitDue(cell, running.entry, nowMs)) this.#parts.commit.want(cell);
    return end;
  }

  #runCommand(cell: Cell, running: NonNullable<Cell['running']>): StepEnd {
    let result: IteratorResult<undefined, unknown>;
    try {
      result = running.steps.next();
    } catch (error) {
      return this.#commandThrew(cell, running.entry, error);
    }
    if (!result.done) return 'sliced';
    this.#commandEnded(cell, running.entry, { reply: result.value });
    return 'more';
  }

  #commandThrew(cell: Cell, entry: CommandEntry, error: unknown): StepEnd {
    // A refusal may rest on what is not committed yet, so it waits like a reply.
    if (error instanceof ServiceError) this.#commandEnded(cell, entry, { refusal: errorToFrame(error) });
    else this.#bug(cell, entry.slot, error);
    return 'more';
  }

  #commandEnded(cell: Cell, entry: CommandEntry, outcome: NonNullable<CommandEntry['outcome']>): void {
    cell.running = undefined;
    entry.outcome = outcome;
    cell.waiting.push(entry);
    this.#parts.commit.want(cell);
  }

  #commitDue(cell: Cell, entry: CommandEntry, nowMs: number): boolean {
    const { commit } = this.#parts;
    const pending = cell.actor!.pendingCount();
    commit.count(cell, pending);
    if (pending >= limits.commitEntriesMax || commit.isFull) return true;
    return entry.hasProgress && cell.workedMs >= tuning.progressWorkMs && nowMs - cell.committedMs >= limits.commitDelayMs;
  }

  #beginQuery(cell: Cell, nowMs: number): StepEnd {
    const entry = cell.queries.shift()!;
    cell.queriesInRow++;
    this.#begin(entry.slot, entry.stamp, nowMs);
    const actor = this.#alive(cell, entry);
    if (actor === undefined) return 'more';
    try {
      const answer = actor.query(entry.message);
      if ('reply' in answer) {
        this.#parts.outbox.reply(entry.slot, answer.reply);
        return 'more';
      }
      cell.querying = { entry, steps: answer };
    } catch (error) {
      return this.#queryThrew(cell, entry, error);
    }
    return this.#runQuery(cell, cell.querying);
  }

  #sliceOfQuery(cell: Cell, querying: NonNullable<Cell['querying']>, nowMs: number): StepEnd {
    this.#begin(querying.entry.slot, querying.entry.stamp, nowMs);
    return this.#runQuery(cell, querying);
  }

  #runQuery(cell: Cell, querying: NonNullable<Cell['querying']>): StepEnd {
    try {
      const result = querying.steps.next();
      if (!result.done) return 'sliced';
      cell.querying = undefined;
      this.#parts.outbox.reply(querying.entry.slot, result.value);
      return 'more';
    } catch (error) {
      cell.querying = undefined;
      return this.#queryThrew(cell, querying.entry, error);
    }
  }

  #queryThrew(cell: Cell, entry: QueryEntry, error: unknown): StepEnd {
    if (error instanceof ServiceError) this.#parts.outbox.refuse(entry.slot, errorToFrame(error));
    else this.#bug(cell, entry.slot, error);
    return 'more';
  }

  #passivation(cell: Cell, nowMs: number): StepEnd {
    const entry = cell.commands.shift() as PassivationEntry;
    this.passivate(cell, nowMs);
    entry.done();
    return 'more';
  }

  /** The guilty message gets control.INTERNAL; what the incarnation had done besides is taken back, which its callers may try again. */
  #bug(cell: Cell, slot: number, error: unknown): void {
    if (cell.running?.entry.slot === slot) cell.running = undefined;
    this.#parts.outbox.refuse(slot, this.#parts.outbox.bug(cell.actorId, error));
    this.fail(cell, errorToFrame(new ServiceError('world.ACTOR_RESTARTED')));
  }

  #refusalOf(cell: Cell, error: unknown): ErrorFrame {
    return error instanceof ServiceError ? errorToFrame(error) : this.#parts.outbox.bug(cell.actorId, error);
  }
}

/** A command that will not be finished still gets to run its `finally`. */
function abandon(steps: Generator<undefined, unknown>): void {
  try {
    steps.return(undefined);
  } catch {
    // Its incarnation is over already, and the callers know why.
  }
}
