// What a node does with its homes: the port that the cluster asks, and that knows what lies in them.
import type { HomeState } from './log.js';
import type { FollowedRecord } from './record-parts.js';

/** Of a home's log: behind `after`, up to and with `upTo`. */
export interface LogRange {
  readonly after: number;
  readonly upTo: number;
}
export interface HomeKeeper {
  /** Up to which sequence the copy on this node has everything; 0: it has nothing. Positions of fences need not survive a restart. */
  position(home: number): number;
  /** Up to which sequence this node has known the log: not less than that. A log that ends before it has gone back. */
  seen(home: number): number;
  /** Of the log since the newest snapshot, as far as this node has seen. */
  logBytes(home: number): number;
  /**
   * All records of that range, in order, none of them twice; then the copy has everything up to its end. Rejects with LogUnavailable where
   * the copy is not at its beginning, as it may fall back meanwhile.
   */
  apply(home: number, records: readonly FollowedRecord[], range: LogRange): Promise<void>;
  /** The log does not reach back to the copy: it is replaced by the home's newest snapshot. */
  restore(state: HomeState): Promise<void>;
  /**
   * The home is this node's: its copy is complete, and what its owner before had appended is in it. Commands may come. Where it rejects,
   * the copy follows the log again.
   */
  open(home: number, epoch: number): Promise<void>;
  /**
   * `given`: takes no more commands and resolves when all that began was appended. `lost`: answers nothing from this moment (the call
   * itself, not its end), discards what was not appended and makes the copy follow the log again.
   */
  close(home: number, why: 'given' | 'lost'): Promise<void>;
}
