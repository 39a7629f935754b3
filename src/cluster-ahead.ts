// What a node starts while the owner of homes is silent, before it takes them: hosts of the projects that were at work there. A host that
// starts is most of what the first call of a world waits for once its home was taken, and until then there is time for it.
//   CLUSTER-AHEAD-1. A silence is met once, of homes that this node follows: what was started for it stands as long as any other host that
//     nobody uses. Where this node hears nothing itself, nobody is silent.
import type { ClusterClock } from './cluster/clock.js';
import { catalogHome } from './cluster/log.js';
import type { ClusterMembers } from './cluster/members.js';
import { tuning } from './cluster/tuning.js';
import type { ClusterHome } from './cluster-home.js';

export interface ClusterAheadParts {
  node: string;
  clock: ClusterClock;
  members: Pick<ClusterMembers, 'last' | 'beatAgeMs' | 'seenMsOf'>;
  keeper: { homeOf(home: number): Pick<ClusterHome, 'lately'> };
  /** Its `prepare` starts what the worlds of such folders will need. */
  owned: { prepare(folders: readonly string[]): Promise<void> };
}

export class ClusterAhead {
  readonly #parts: ClusterAheadParts;
  /** Homes whose owner is silent, and was when they were looked at before. */
  readonly #met = new Set<number>();
  #preparing: Promise<void> = Promise.resolve();
  readonly #cancel: () => void;

  constructor(parts: ClusterAheadParts) {
    this.#parts = parts;
    let cancelNext = (): void => {};
    const look = (): void => {
      this.#look();
      cancelNext = parts.clock.after(tuning.beatMs, look);
    };
    cancelNext = parts.clock.after(tuning.beatMs, look);
    this.#cancel = () => cancelNext();
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#preparing;
  }

  #look(): void {
    const { members, keeper, owned, clock } = this.#parts;
    const sinceMs = clock.now() - tuning.atWorkMs;
    const streams = new Set<string>();
    for (const { home, owner } of members.last?.homes ?? []) {
      if (home === catalogHome || owner === undefined || !this.#isSilent(owner)) this.#met.delete(home);
      else if (!this.#met.has(home)) {
        this.#met.add(home);
        for (const stream of keeper.homeOf(home).lately(sinceMs)) streams.add(stream);
      }
    }
    // Nothing rests on it: what is not there by then starts with the first call.
    if (streams.size > 0) this.#preparing = owned.prepare([...streams].slice(0, tuning.projectsAheadMax)).catch(() => {});
  }

  #isSilent(owner: string): boolean {
    const { node, members, clock } = this.#parts;
    if (owner === node || (members.beatAgeMs ?? Number.POSITIVE_INFINITY) >= tuning.silentMs) return false;
    return clock.now() - (members.seenMsOf(owner) ?? clock.now()) >= tuning.silentMs;
  }
}
