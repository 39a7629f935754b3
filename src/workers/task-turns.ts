// What waits for a worker, in turns: each party (a project) has a queue of its own, and the parties take turns.
//   TASK-TURNS-1. Of those that may begin, the party whose last task began longest ago is next; one that never had a task comes before all
//     that had.
//   TASK-TURNS-2. A party has at most `runningMax` tasks running, so that there is a worker for a party that has none running.
//   TASK-TURNS-3. Tasks of one party begin in the order they came.
import { LruMap } from '../collections/lru-map.js';
import { limits } from '../contract/limits.js';

export class TaskTurns<Item> {
  readonly #runningMax: number;
  readonly #waiting = new Map<string, Item[]>();
  readonly #running = new Map<string, number>();
  /** When each party's last task began, as a count of tasks. The oldest are forgotten. */
  readonly #lastBegun = new LruMap<string, number>({ entriesMax: limits.taskPartiesKeptMax });
  #begun = 0;
  #size = 0;

  constructor(runningMax: number) {
    this.#runningMax = runningMax;
  }

  /** That wait. */
  get size(): number {
    return this.#size;
  }
  waitingOf(party: string): number {
    return this.#waiting.get(party)?.length ?? 0;
  }

  push(party: string, item: Item): void {
    const items = this.#waiting.get(party);
    if (items === undefined) this.#waiting.set(party, [item]);
    else items.push(item);
    this.#size += 1;
  }

  /** Takes one out of the queue before its turn. */
  remove(party: string, item: Item): void {
    const items = this.#waiting.get(party) ?? [];
    const at = items.indexOf(item);
    if (at >= 0) this.#take(party, items, at);
  }

  /** The next to begin, which runs from now until `ended`; undefined when none may. */
  next(): Item | undefined {
    let chosen: { party: string; items: Item[]; last: number } | undefined;
    for (const [party, items] of this.#waiting) {
      if ((this.#running.get(party) ?? 0) >= this.#runningMax) continue;
      const last = this.#lastBegun.peek(party) ?? -1;
      if (chosen === undefined || last < chosen.last) chosen = { party, items, last };
    }
    if (chosen === undefined) return undefined;
    const { party, items } = chosen;
    this.#running.set(party, (this.#running.get(party) ?? 0) + 1);
    this.#lastBegun.set(party, this.#begun++);
    return this.#take(party, items, 0);
  }

  ended(party: string): void {
    const left = (this.#running.get(party) ?? 0) - 1;
    if (left > 0) this.#running.set(party, left);
    else this.#running.delete(party);
  }

  #take(party: string, items: Item[], at: number): Item {
    const [item] = items.splice(at, 1) as [Item];
    if (items.length === 0) this.#waiting.delete(party);
    this.#size -= 1;
    return item;
  }
}
