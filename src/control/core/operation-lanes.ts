// The lanes of operations, as they are in memory: in each one operation at a time, in the order in which they were recorded.
//   OPERATION-LANES-1. A lane is left as it is when this incarnation begins to end: what has not begun is the next one's.
import { TurnStarts } from '../../async/turn-starts.js';
import type { OperationKind } from '../../contract/hosted/operation.js';
import { tuning } from '../tuning.js';

/** An operation in its lane. */
export interface InLane {
  operationId: string;
  kind: OperationKind;
  /** Its next start is on the disk already. */
  isCounted: boolean;
  /** An earlier incarnation had it. */
  takenUp: boolean;
}
export interface OperationLanesParts {
  /** False once this incarnation begins to end. */
  isOpen(): boolean;
  carryOut(entry: InLane): Promise<void>;
  /** What a lane still had then. */
  left(entries: readonly InLane[]): Promise<void>;
  /** Runs work that is no part of the request which led to it. */
  detached(work: () => Promise<void>): Promise<void>;
}

export class OperationLanes {
  readonly #parts: OperationLanesParts;
  /** In order; the first is at work, or about to be. */
  readonly #lanes = new Map<string, InLane[]>();
  readonly #atWork = new Set<Promise<void>>();
  /** Many who ask at once are answered before the work begins that they ask for. */
  readonly #starts = new TurnStarts({ atOnceMax: tuning.operationsBegunAtOnceMax });

  constructor(parts: OperationLanesParts) {
    this.#parts = parts;
  }

  isEmpty(lane: string): boolean {
    return !this.#lanes.has(lane);
  }

  *entries(): Generator<InLane> {
    for (const entries of this.#lanes.values()) yield* entries;
  }

  enter(lane: string, entry: InLane): void {
    const waiting = this.#lanes.get(lane);
    if (waiting !== undefined) {
      waiting.push(entry);
      return;
    }
    const entries = [entry];
    this.#lanes.set(lane, entries);
    // The lane serves others after the one whose request opened it.
    const begin = (): Promise<void> => this.#parts.detached(() => this.#workOff(lane, entries));
    const work = new Promise<void>((resolve) => this.#starts.add(() => resolve(begin()))).finally(() => this.#atWork.delete(work));
    this.#atWork.add(work);
  }

  /** It has ended. The first of a lane is taken from it when its turn is over. */
  leave(lane: string, operationId: string): void {
    const entries = this.#lanes.get(lane) ?? [];
    const at = entries.findIndex((entry) => entry.operationId === operationId);
    if (at > 0) entries.splice(at, 1);
  }

  /** Resolves when what is at work now has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#atWork);
  }

  async #workOff(lane: string, entries: InLane[]): Promise<void> {
    for (; entries.length > 0 && this.#parts.isOpen(); entries.shift()) await this.#parts.carryOut(entries[0]!);
    if (entries.length > 0) await this.#parts.left(entries);
    this.#lanes.delete(lane);
  }
}
