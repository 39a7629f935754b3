// Write sets of requests to a host, which belong to no actor: those of one turn of the event loop share a commit, with what the actors
// commit where that comes first.
//   SHARED-COMMIT-1. A set is made in the very step that commits it, before the sets of actors: nothing comes between.
//   SHARED-COMMIT-2. A commit has one of them for each world; a later one sees what the earlier one did.
import type { WriteSet } from '../kv/write-set.js';
import { tuning } from '../tuning.js';

interface Waiting {
  worldId: string;
  make(): WriteSet | undefined;
  resolve(isChanged: boolean): void;
  reject(error: unknown): void;
}
/** What a commit takes, and what is then called with how each of its sets went. */
export interface Shared {
  sets: readonly WriteSet[];
  settle(refusals: readonly (Error | undefined)[]): void;
}

export class SharedCommit {
  readonly #commit: () => void;
  #waiting: Waiting[] = [];

  /** `commit`: takes what waits, and commits it. */
  constructor(commit: () => void) {
    this.#commit = commit;
  }

  /** Resolves when the set is applied; with false where `make` finds nothing to do. */
  add(worldId: string, make: () => WriteSet | undefined): Promise<boolean> {
    if (this.#waiting.length === 0) this.#soon();
    return new Promise((resolve, reject) => this.#waiting.push({ worldId, make, resolve, reject }));
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  take(): Shared {
    const waiting = this.#waiting;
    this.#waiting = [];
    const worlds = new Set<string>();
    const members: { one: Waiting; set: WriteSet }[] = [];
    for (const one of waiting) {
      if (members.length === tuning.sharedSetsMax || worlds.has(one.worldId)) {
        this.#waiting.push(one);
        continue;
      }
      worlds.add(one.worldId);
      try {
        const set = one.make();
        if (set === undefined) one.resolve(false);
        else members.push({ one, set });
      } catch (error) {
        one.reject(error);
      }
    }
    if (this.#waiting.length > 0) this.#soon();
    return {
      sets: members.map(({ set }) => set),
      settle: (refusals) => {
        members.forEach(({ one }, index) => {
          const refusal = refusals[index];
          if (refusal === undefined) one.resolve(true);
          else one.reject(refusal);
        });
      },
    };
  }

  /** Nothing of what waits is written. */
  refuse(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #soon(): void {
    setImmediate(() => {
      if (!this.isEmpty) this.#commit();
    });
  }
}
