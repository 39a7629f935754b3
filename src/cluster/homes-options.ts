// What the homes of a node need from outside.
import type { SpaceWatch } from '../files/disk-full.js';
import type { ClusterClock } from './clock.js';
import type { HomeKeeper } from './home-keeper.js';
import type { ClusterLog } from './log.js';
import type { OutageChange } from './members.js';
import type { ClusterMeter } from './meter.js';

export interface HomesOptions {
  log: ClusterLog;
  clock: ClusterClock;
  keeper: HomeKeeper;
  node: string;
  address: string;
  format: number;
  /**
   * Homes lie together: the owner of the catalog's comes to own them all, and they are given away at once. Default: each has a rank of its
   * own.
   */
  areTogether?: boolean;
  /**
   * Asked at each beat: whether there is space for what is new on the disk of the node. A node without gives its homes to those that have
   * some. Default: there is always space.
   */
  space?: SpaceWatch;
  /** Of the addresses of nodes those that could not be reached. Default: none is asked anything. */
  cutAmong?(addresses: readonly string[]): readonly string[];
  /** Default: nobody counts. */
  meter?: ClusterMeter;
  onProblem(problem: HomesProblem): void;
  /** The log of the cluster is away, or back. Default: nobody notes it. */
  onOutage?(change: OutageChange): void;
}

/** What an operator should know. */
export type HomesProblem =
  /** The home stays closed on this node. */
  | { kind: 'closed'; home: number; error: unknown }
  /** Something with the home has failed for now: the next beat tries again. */
  | { kind: 'failed'; home: number; error: unknown }
  /** Of the home something was not stored for lack of space. It is tried again; said once until there is space. */
  | { kind: 'unstored'; home: number; error: unknown }
  /** The log refuses the beats of this node, for good. */
  | { kind: 'refused'; error: unknown };
