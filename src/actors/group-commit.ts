// Group commit: the write sets of all actors that need it in one commit, their replies after it. Why: docs/decisions/004.
//   GROUP-COMMIT-1. One commit is in flight at a time, so no write set of an actor commits before an earlier one of it; what becomes ready
//     meanwhile goes into the next one, together.
//   GROUP-COMMIT-2. A reply is sent when the write sets taken after its command are committed; a command that left none is answered at
//     once.
//   GROUP-COMMIT-3. When a set is refused, everything its actor did since its last commit is refused with it, and that incarnation of the
//     actor is over.
import { runCritical } from '../async/critical-section.js';
import { type ErrorFrame, errorToFrame, invariant, ServiceError } from '../contract/errors.js';
import { type BoardWriter, commitSlot, monotonicMs } from './board.js';
import type { Cell, CommandEntry } from './cell.js';
import type { ActorKind } from './definition.js';
import type { MailOutbox } from './outbox.js';
import { tuning } from './tuning.js';

interface Member {
  cell: Cell;
  finished: readonly CommandEntry[];
  progress: { of: CommandEntry; value: unknown } | undefined;
}
interface Ends {
  /** Ends this incarnation of the actor; its unfinished and uncovered commands are refused. */
  failed(cell: Cell, refusal: ErrorFrame): void;
  /** What waited for this actor to be settled may continue. */
  settled(cell: Cell): void;
}

export class GroupCommit {
  commits = 0;
  writeSets = 0;
  readonly #wanting = new Set<Cell>();
  #isFlying = false;
  /** Of all actors. */
  #uncommitted = 0;

  constructor(
    readonly kind: ActorKind,
    readonly board: BoardWriter,
    readonly outbox: MailOutbox,
    readonly ends: Ends,
  ) {}

  /** Asks that what the actor has changed be in the next commit. */
  want(cell: Cell): void {
    this.#wanting.add(cell);
  }
  /** An incarnation that has failed has nothing to commit. */
  forget(cell: Cell): void {
    this.#wanting.delete(cell);
    this.count(cell, 0);
  }

  /** `entries`: what the actor holds uncommitted now. */
  count(cell: Cell, entries: number): void {
    this.#uncommitted += entries - cell.uncommitted;
    cell.uncommitted = entries;
  }
  /** All actors together hold as much as a host may. */
  get isFull(): boolean {
    return this.#uncommitted >= tuning.hostEntriesUncommittedMax;
  }

  /** A commit could be made now. */
  get due(): boolean {
    return !this.#isFlying && this.#wanting.size > 0;
  }
  get busy(): boolean {
    return this.#wanting.size > 0 || this.#isFlying;
  }

  start(): void {
    if (!this.due) return;
    const members: Member[] = [];
    const writeSets: unknown[] = [];
    for (const cell of [...this.#wanting]) {
      this.#wanting.delete(cell);
      this.#take(cell, members, writeSets);
    }
    if (members.length === 0) return;
    this.#isFlying = true;
    this.#commit(writeSets).then((results) => this.#land(members, results));
  }

  #take(cell: Cell, members: Member[], writeSets: unknown[]): void {
    let writeSet: unknown;
    try {
      writeSet = cell.actor?.takeWriteSet();
      // Queries and passivation wait until nothing is uncommitted; with this broken they would wait for ever.
      invariant(writeSet !== undefined || !cell.actor?.pendingCount(), 'an actor with something uncommitted has a write set');
    } catch (error) {
      this.ends.failed(cell, this.outbox.bug(cell.actorId, error));
      return;
    }
    this.count(cell, 0);
    cell.workedMs = 0;
    const finished = cell.takeWaiting();
    if (writeSet === undefined) {
      for (const entry of finished) this.outbox.settle(entry);
      this.ends.settled(cell);
      return;
    }
    const progress = cell.running?.entry.takeProgress();
    members.push({ cell, finished, progress: progress && { of: cell.running!.entry, value: progress.value } });
    writeSets.push(writeSet);
    cell.committing = true;
  }

  /** One answer a set, whatever happens. */
  async #commit(writeSets: unknown[]): Promise<readonly (Error | undefined)[]> {
    this.commits++;
    this.writeSets += writeSets.length;
    try {
      const results = await this.#write(writeSets);
      if (results.length !== writeSets.length) throw new Error(`commit answered ${results.length} of ${writeSets.length} write sets`);
      return results;
    } catch (error) {
      return writeSets.map(() => (error instanceof Error ? error : new Error(String(error))));
    }
  }

  #write(writeSets: unknown[]): Promise<readonly (Error | undefined)[]> {
    this.board.begin(commitSlot, 0, monotonicMs());
    try {
      return runCritical(() => this.kind.commit(writeSets));
    } finally {
      this.board.rest();
    }
  }

  #land(members: Member[], results: readonly (Error | undefined)[]): void {
    this.#isFlying = false;
    const nowMs = monotonicMs();
    members.forEach(({ cell, finished, progress }, index) => {
      cell.committing = false;
      cell.committedMs = nowMs;
      const error = results[index];
      if (error === undefined) {
        for (const entry of finished) this.outbox.settle(entry);
        if (progress && isUnanswered(progress.of, cell)) this.outbox.progress(progress.of.slot, progress.value);
      } else {
        const refusal = error instanceof ServiceError ? errorToFrame(error) : this.outbox.bug(cell.actorId, error);
        for (const entry of finished) this.outbox.refuse(entry.slot, refusal);
        this.ends.failed(cell, refusal);
      }
      this.ends.settled(cell);
    });
    this.start();
  }
}

/** It may have been refused while the commit was in flight. */
function isUnanswered(command: CommandEntry, { running, waiting }: Cell): boolean {
  return running?.entry === command || waiting.includes(command);
}
