// What a node starts while the owner of homes is silent, before it takes them: hosts of the projects that were at work there. A host that
// starts is most of what the first call of a world waits for once its home was taken, and until then there is time for it.
//   CLUSTER-AHEAD-1. A silence is met once, when two looks in a row have found it: what was started for it stands as long as any other host
//     that nobody uses. Where this node hears nothing itself, nobody is silent.
import type { ClusterClock } from '../cluster/clock.js';
import { catalogHome } from '../cluster/log.js';
import type { ClusterMembers } from '../cluster/members.js';
import { tuning } from '../cluster/tuning.js';
import type { ClusterHome } from './cluster-home.js';

export interface ClusterAheadParts {
  node: string;
  clock: ClusterClock;
  members: Pick<ClusterMembers, 'last' | 'beatAgeMs' | 'seenMsOf'>;
  keeper: { homeOf(home: number): Pick<ClusterHome, 'lately'> };
  /** Its `prepare` starts what the worlds of such folders will need, one after the other, until it is over. */
  owned: { prepare(folders: readonly string[], isOver: () => boolean): Promise<void> };
}

export class ClusterAhead {
  readonly #parts: ClusterAheadParts;
  /** Of homes whose owner is silent: how many looks in a row have found it so. */
  readonly #silences = new Map<number, number>();
  #preparing: Promise<void> = Promise.resolve();
  #isOver = false;
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

  /** Nothing is started after it; what starts ends with the worlds. */
  close(): void {
    this.#isOver = true;
    this.#cancel();
  }

  #look(): void {
    const { members, keeper, owned, clock } = this.#parts;
    const sinceMs = clock.now() - tuning.atWorkMs;
    const streams = new Set<string>();
    for (const { home, owner } of members.last?.homes ?? []) {
      const looks = home === catalogHome || owner === undefined || !this.#isSilent(owner) ? 0 : (this.#silences.get(home) ?? 0) + 1;
      if (looks === 0) this.#silences.delete(home);
      else this.#silences.set(home, looks);
      // After the log was away for all, this node may be the first to hear of it again: the others' beats come within one look.
      if (looks === 2) for (const stream of keeper.homeOf(home).lately(sinceMs)) streams.add(stream);
    }
    if (streams.size === 0) return;
    const some = [...streams].slice(0, tuning.projectsAheadMax);
    // Nothing rests on it: what is not there by then starts with the first call.
    this.#preparing = this.#preparing.then(() => owned.prepare(some, () => this.#isOver)).catch(() => {});
  }

  #isSilent(owner: string): boolean {
    const { node, members, clock } = this.#parts;
    if (owner === node || (members.beatAgeMs ?? Number.POSITIVE_INFINITY) >= tuning.silentMs) return false;
    return clock.now() - (members.seenMsOf(owner) ?? clock.now()) >= tuning.silentMs;
  }
}
