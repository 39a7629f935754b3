// The loop of one host: which actor runs when. Owns the cells, the ring of those that may run, and the turns.
// A turn serves actors round robin for about one slice, then commits and lets the event loop read the next messages.
//   HOST-LOOP-1. A cell is in the ring exactly when its `ready` is set; one that waits for a commit is not, and comes back when it lands.
//   HOST-LOOP-2. A finished command never waits for the long command of another actor: before the next slice of a long command, what is due
//     is committed.
//   HOST-LOOP-3. What comes in while a long one has its slice is served before it has the next.
//   HOST-LOOP-4. After each turn no more actors are in memory than a host keeps, but for those with work or with something uncommitted.
import { errorToFrame, ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { type BoardWriter, hostWorkSlot, monotonicMs } from './board.js';
import { cancelledBeforeStart } from './calls.js';
import { Cell, CommandEntry, type SliceClock } from './cell.js';
import type { ActorKind } from './definition.js';
import { Fifo } from './fifo.js';
import { type Envelope, type HostFrames, readAtHost } from './frames.js';
import { GroupCommit } from './group-commit.js';
import type { MailOutbox } from './outbox.js';
import { Stepper } from './stepper.js';
import { tuning } from './tuning.js';

export interface HostLoopParts {
  kind: ActorKind;
  board: BoardWriter;
  outbox: MailOutbox;
  actorsInMemoryMax: number;
}

export class HostLoop {
  readonly commit: GroupCommit;
  readonly stepper: Stepper;
  readonly #board: BoardWriter;
  readonly #outbox: MailOutbox;
  readonly #clock: SliceClock = { endMs: 0, sliceMs: limits.sliceMs, isShared: false };
  /** In the order of their last steps, the least recent first. */
  readonly #cells = new Map<string, Cell>();
  readonly #actorsInMemoryMax: number;
  readonly #ring = new Fifo<Cell>();
  /** Actors with spare work, in turn. */
  readonly #idlers = new Set<string>();
  #turnScheduled = false;
  /** When something was asked for last, and when spare work was done last. */
  #askedMs = 0;
  #idledMs = 0;
  #calmAwaited = false;
  /** A long command or query has had a slice since the ring was put in order. */
  #longServed = false;
  #received = 0;
  /** Stopping, and the grace is over. */
  #isGraceOver = false;
  #stop: { messages: number; whenQuiet(): void } | undefined;

  constructor({ kind, board, outbox, actorsInMemoryMax }: HostLoopParts) {
    this.#board = board;
    this.#outbox = outbox;
    this.#actorsInMemoryMax = actorsInMemoryMax;
    this.commit = new GroupCommit(kind, board, outbox, {
      failed: (cell, refusal) => this.stepper.fail(cell, refusal),
      settled: (cell) => {
        this.#wake(cell);
        this.#dropEmpty(cell);
      },
    });
    this.stepper = new Stepper({ kind, board, outbox, commit: this.commit, clock: this.#clock });
  }

  get actorsLive(): number {
    return this.#cells.size;
  }

  receive(envelope: Envelope): void {
    this.#askedMs = monotonicMs();
    readAtHost(envelope, this.#frames);
    if (this.#isGraceOver) this.#refuseAndCancel();
  }

  readonly #frames: HostFrames = {
    command: (slot, stamp, actorId, message) => {
      this.#received++;
      const cell = this.#cellOf(actorId, stamp);
      cell.commands.push(new CommandEntry(slot, stamp, message, this.#clock));
      this.#wake(cell);
    },
    query: (slot, stamp, actorId, message) => {
      this.#received++;
      const cell = this.#cellOf(actorId, stamp);
      cell.queries.push({ kind: 'query', slot, stamp, message });
      this.#wake(cell);
    },
    cancel: (_slot, stamp, actorId) => {
      const cell = this.#cells.get(actorId);
      if (cell?.running?.entry.stamp === stamp) cell.running.entry.cancelRequested = true;
      const queued = cell?.commands.take((entry) => entry.kind === 'command' && entry.stamp === stamp);
      if (queued?.kind === 'command') this.#outbox.refuse(queued.slot, errorToFrame(cancelledBeforeStart()));
    },
  };

  /** Resolves when what the mailbox holds now is done and the actor has left the memory. */
  passivate(actorId: string): Promise<void> {
    const cell = this.#cells.get(actorId);
    if (cell === undefined) return Promise.resolve();
    return new Promise((done) => {
      cell.commands.push({ kind: 'passivation', done });
      this.#wake(cell);
    });
  }

  /** HostFacts.dismiss. */
  async dismiss(actors: (actorId: string) => boolean, { isLost }: { isLost: boolean }): Promise<void> {
    const leaving = [...this.#cells.values()].filter(({ actorId }) => actors(actorId));
    await Promise.all(leaving.map((cell) => this.#dismissed(cell, isLost)));
  }

  #dismissed(cell: Cell, isLost: boolean): Promise<void> {
    return new Promise((done) => {
      const before = cell.dismissal;
      cell.dismissal = {
        isLost: isLost || before?.isLost === true,
        done: () => {
          before?.done();
          done();
        },
      };
      this.#idlers.delete(cell.actorId);
      this.#wake(cell);
    });
  }

  /** The kind has spare work for an actor. */
  wantsIdle(actorId: string): void {
    this.#idlers.add(actorId);
    this.#schedule();
  }

  /** Takes from memory each actor without a message since `beforeMs`. */
  passivateUnused(beforeMs: number): void {
    for (const cell of this.#cells.values()) {
      if (cell.usedMs >= beforeMs) break;
      if (cell.isAtRest) this.#retire(cell);
    }
    this.#board.rest();
  }

  /** Looks at as many as are too many: one that has to stay is looked at again after the next turn. */
  #passivateBeyond(actorsMax: number): void {
    let excess = this.#cells.size - actorsMax;
    if (excess <= 0) return;
    for (const cell of this.#cells.values()) {
      if (cell.isAtRest) this.#retire(cell);
      if (--excess === 0) break;
    }
  }

  /** Resolves when all `messages` this incarnation was sent are answered and committed and no actor is left in memory. */
  async stop(graceMs: number, messages: number): Promise<void> {
    const graceTimer = setTimeout(() => this.#refuseAndCancel(), graceMs);
    await new Promise<void>((whenQuiet) => {
      this.#stop = { messages, whenQuiet };
      this.#schedule();
    });
    clearTimeout(graceTimer);
    for (const cell of this.#cells.values()) this.#retire(cell);
    this.#board.rest();
    this.#outbox.flush();
  }

  #cellOf(actorId: string, stamp: number): Cell {
    let cell = this.#cells.get(actorId);
    if (cell === undefined) {
      cell = new Cell(actorId, stamp);
      this.#cells.set(actorId, cell);
    }
    return cell;
  }

  #wake(cell: Cell): void {
    if (!cell.ready && cell.hasWork) {
      cell.ready = true;
      this.#ring.push(cell);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#turnScheduled) return;
    this.#turnScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#turnScheduled = false;
    const slices = Math.max(1, this.#longServed ? this.#shortFirst() : 0);
    let slicesLeft = slices;
    let nowMs = monotonicMs();
    const endMs = nowMs + limits.sliceMs;
    while (this.#ring.size > 0 && nowMs < endMs) {
      const { running, querying } = this.#ring.first()!;
      const isLong = running !== undefined || querying !== undefined;
      if (running && this.commit.due) break;
      if (isLong && slicesLeft-- === 0) break;
      // What has just come may be long, too, as may be all that waits behind it.
      this.#shareAmong(isLong ? slices : this.#ring.size);
      nowMs = this.#serve(this.#ring.shift()!, nowMs);
    }
    this.#passivateBeyond(this.#actorsInMemoryMax);
    this.#board.rest();
    this.commit.start();
    if (this.#ring.size > 0) this.#schedule();
    else if (this.#stop) this.#stopIfQuiet(this.#stop);
    // While a commit waits for its log the host is not idle: the next one gathers, on the same processor as the node's other threads.
    else if (this.#idlers.size > 0 && !this.commit.busy) this.#idleWhenCalm(nowMs);
  }

  #shareAmong(many: number): void {
    this.#clock.sliceMs = Math.max(tuning.sharedSliceMs, limits.sliceMs / many);
    this.#clock.isShared = many > 1;
  }

  /**
   * Between two of many requests a host has nothing to do either, but the next one waits for what the host begins then. So while requests
   * keep coming, it does a piece now and then.
   */
  #idleWhenCalm(nowMs: number): void {
    const dueMs = Math.min(this.#askedMs + tuning.calmMs, this.#idledMs + tuning.spareWorkEveryMs);
    if (nowMs >= dueMs) this.#idle(nowMs);
    else if (!this.#calmAwaited) {
      this.#calmAwaited = true;
      const look = (): void => {
        this.#calmAwaited = false;
        this.#schedule();
      };
      setTimeout(look, dueMs - nowMs).unref();
    }
  }

  /** Once a slice of each, and not more often: the long ones continue however much comes in. Returns how many they are. */
  #shortFirst(): number {
    this.#longServed = false;
    const long: Cell[] = [];
    for (let left = this.#ring.size; left > 0; left--) {
      const cell = this.#ring.shift()!;
      if (cell.running || cell.querying) long.push(cell);
      else this.#ring.push(cell);
    }
    for (const cell of long) this.#ring.push(cell);
    return long.length;
  }

  /** Runs one actor until its slice is over or it has nothing to run; gives the time it ended. */
  #serve(cell: Cell, startMs: number): number {
    const endMs = startMs + this.#clock.sliceMs;
    let nowMs = startMs;
    let end = this.stepper.step(cell, nowMs);
    for (nowMs = monotonicMs(); end === 'more' && nowMs < endMs; nowMs = monotonicMs()) end = this.stepper.step(cell, nowMs);
    cell.usedMs = nowMs;
    cell.workedMs += nowMs - startMs;
    if (end === 'sliced') this.#longServed = true;
    if (end === 'resting') cell.ready = false;
    else this.#ring.push(cell);
    this.#placeLast(cell);
    return nowMs;
  }

  #placeLast(cell: Cell): void {
    if (this.#cells.get(cell.actorId) !== cell) return;
    this.#cells.delete(cell.actorId);
    if (!cell.isEmpty) this.#cells.set(cell.actorId, cell);
  }

  #dropEmpty(cell: Cell): void {
    if (cell.isEmpty && this.#cells.get(cell.actorId) === cell) this.#cells.delete(cell.actorId);
  }

  /** One slice of spare work, then the event loop again. */
  #idle(nowMs: number): void {
    const [actorId] = this.#idlers;
    this.#idlers.delete(actorId!);
    const cell = this.#cells.get(actorId!);
    if (cell?.actor) {
      this.#board.begin(hostWorkSlot, 0, nowMs);
      try {
        if (cell.actor.idle()) this.#idlers.add(actorId!);
        else if (cell.actor.pendingCount() > 0) this.commit.want(cell);
      } catch (error) {
        this.stepper.fail(cell, this.#outbox.bug(cell.actorId, error));
      }
      this.#board.rest();
      this.#idledMs = monotonicMs();
    }
    if (this.#idlers.size > 0 || this.commit.due) this.#schedule();
  }

  #retire(cell: Cell): void {
    this.stepper.passivate(cell, monotonicMs());
    this.#idlers.delete(cell.actorId);
    this.#cells.delete(cell.actorId);
  }

  /** Nothing to come, nothing to run, nothing uncommitted; what spare work left uncommitted is asked for here. */
  #stopIfQuiet({ messages, whenQuiet }: { messages: number; whenQuiet(): void }): void {
    let quiet = this.#received >= messages;
    for (const cell of this.#cells.values()) {
      if (!cell.hasWork && cell.settled) continue;
      quiet = false;
      if (!cell.hasWork && !cell.committing) this.commit.want(cell);
    }
    this.commit.start();
    if (quiet && !this.commit.busy) whenQuiet();
  }

  #refuseAndCancel(): void {
    this.#isGraceOver = true;
    const refusal = errorToFrame(new ServiceError('control.UNAVAILABLE', { message: 'The host is closing.' }));
    for (const cell of this.#cells.values()) {
      if (cell.running) cell.running.entry.cancelRequested = true;
      for (let entry = cell.commands.shift(); entry; entry = cell.commands.shift()) {
        if (entry.kind === 'command') this.#outbox.refuse(entry.slot, refusal);
        else entry.done();
      }
      for (let entry = cell.queries.shift(); entry; entry = cell.queries.shift()) this.#outbox.refuse(entry.slot, refusal);
    }
    this.#schedule();
  }
}
