// One claim of a home, and until when the owner before may still answer reads.
import type { ClusterClock } from './clock.js';
import type { Beat, ClusterLog } from './log.js';
import type { ClusterMembers } from './members.js';
import type { NodeHome } from './node-home.js';
import { tuning } from './tuning.js';

export interface Claimant {
  log: ClusterLog;
  clock: ClusterClock;
  node: string;
  members: ClusterMembers;
}
export interface Claimed {
  home: number;
  /** As far as this node knows. */
  owner: string | undefined;
  /** The epoch under which that one has it. */
  expected: number;
}

/**
 * The owner before is presumed dead since a look of this node. A beat of its that came between that look and the claim renewed its lease:
 * where a look after the claim shows one, its lease is waited for. A beat after the claim shows it that the home is lost.
 */
export async function claimHome(
  { log, clock, node, members }: Claimant,
  { home, owner, expected }: Claimed,
  mine: NodeHome,
): Promise<number | undefined> {
  const other = owner === node ? undefined : owner;
  const beatOf = (beat: Beat | undefined): number | undefined => beat?.nodes.find((seen) => seen.node === other)?.beat;
  const seen = beatOf(members.last);
  const cancel = other === undefined ? undefined : clock.after(tuning.claimPatienceMs, () => void log.endSessionsOf(other).catch(() => {}));
  // Also where the claim's outcome is not known: the next look shows the home as this node's own.
  if (other !== undefined) mine.quietUntilMs = Number.POSITIVE_INFINITY;
  try {
    const epoch = await log.claim(home, expected, node);
    if (epoch === undefined || other === undefined) return epoch;
    const after = await members.refresh();
    mine.quietUntilMs = after !== undefined && beatOf(after) === seen ? 0 : clock.now() + tuning.aliveMs;
    return epoch;
  } finally {
    cancel?.();
    if (mine.quietUntilMs === Number.POSITIVE_INFINITY) mine.quietUntilMs = clock.now() + tuning.aliveMs;
  }
}
