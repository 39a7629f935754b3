// The port of the log: the few verbs that several machines share. Why, and what makes it safe: docs/decisions/020.
// An append is durable when it resolves, and none of its entries is there otherwise but with an unknown outcome (LogUnknown).
// An entry is appended only under the present epoch of its home. After a claim none of an older epoch is.
// There is one entry of a home and a sequence, and one is appended only directly behind another: a home has no gaps.
// The log knows bytes and streams, never what lies in them.
import type { SharedBlobs } from '../contract/cluster-store.js';

/** Home 0 is the catalog, in its one stream, ''. */
export const catalogHome = 0;

/** Where an entry is to stand. Sequences of a home begin at 1 and have no gaps. */
export interface LogPlace {
  home: number;
  sequence: number;
}
export interface LogEntry extends LogPlace {
  /** Under which its owner appends it. */
  epoch: number;
  /** 16 random bytes: tells an entry of one's own from another's at the same place. */
  nonce: Buffer;
  /** A data file of the home; '' in home 0, and of entries that only fence. */
  stream: string;
  /** Its number in the stream, from 1, without gaps; 0 of an entry that only fences. */
  number: number;
  /** At most tuning.entryBytesMax. A record that is larger is split (record-parts.ts); its last part has `isLast`. */
  body: Buffer;
  isLast: boolean;
}

export type Appended =
  | { outcome: 'appended' }
  /**
   * Homes of the entries whose epoch is over, at whose sequence another entry stands, or before which one is missing. Nothing was appended,
   * of any home.
   */
  | { outcome: 'refused'; homes: readonly number[] };

/** The engine did not answer, or answered with a doubt: the entries may be there or not. Resolved by `resolve`. */
export class LogUnknown extends Error {
  override name = 'LogUnknown';
}
/** The engine cannot be reached, and nothing was done. */
export class LogUnavailable extends Error {
  override name = 'LogUnavailable';
}

/** The store beside the engine cannot be used. */
export class StoreUnavailable extends LogUnavailable {}
/** Another process has written the row of this node's name last. Nothing was written. */
export class NameHeld extends Error {
  override name = 'NameHeld';

  constructor(readonly holder: NameHolder) {
    super('another process has the name of this node');
  }
}
/** Of the row of a name: who wrote it last, and how often it was written by then. */
export type NameHolder = Pick<NodeState, 'incarnation' | 'beat'>;

export interface HomeState {
  home: number;
  /** A node's name; undefined: nobody has had it. */
  owner: string | undefined;
  epoch: number;
  /** The first sequence that can still be read. */
  firstSequence: number;
  /** Of the newest snapshot: everything below and at it is in the snapshot. 0: there is none. */
  snapshotSequence: number;
  /** The node that an operator wants to have it, wherever that can be. Undefined: its rank decides. */
  wanted: string | undefined;
}
export type HomePhase = 'following' | 'taking' | 'owned' | 'leaving' | 'closed';
/** What a node says of a home that it does not follow. */
export interface HeldHome {
  phase: Exclude<HomePhase, 'following'>;
  /** The sequence of the last entry that it knows of. */
  end: number;
  /** Of the log since the newest snapshot, as far as it has seen. */
  logBytes: number;
}
export interface NodeState {
  node: string;
  /** Where other nodes reach it: scheme, host and port. */
  address: string;
  /** Of this node's name, counted by the log over all of its incarnations. */
  beat: number;
  state: 'joining' | 'ready' | 'leaving';
  /** Of its process: a node that ended and came back has another. */
  incarnation: string;
  /** An operator wants this incarnation to have no homes while another node can have them. */
  isDrained: boolean;
  /** The format of records and of the wire between nodes that it writes and reads. */
  format: number;
  /** By home, the sequence up to which its copy has everything. */
  followed: { readonly [home: string]: number };
  /** By home. */
  held: { readonly [home: string]: HeldHome };
  /** Nodes that it could not reach when it last asked them something. */
  unreached: readonly string[];
}
/** What a node says of itself; the log counts its beats. */
export type OwnState = Omit<NodeState, 'beat' | 'isDrained'>;
export interface Beat {
  nodes: readonly NodeState[];
  homes: readonly HomeState[];
  /** The format that the cluster writes: the least of its nodes', and never lower than it was. */
  format: number;
  /** Which incarnation of the engine's server has answered. Another one may not have all that the one before acknowledged. */
  server: string;
}

export interface ClusterLog {
  /** All of the entries, or none. Entries of one home are consecutive. Rejects with LogUnknown or LogUnavailable. */
  append(entries: readonly LogEntry[]): Promise<Appended>;
  /**
   * After LogUnknown: asks for as long as it takes, and answers as `append` would have. It ends with a write of its own session, so that
   * what it has read is as durable as what it writes.
   */
  resolve(entries: readonly LogEntry[]): Promise<Appended>;
  /** Raises the epoch and makes `node` the owner, if the epoch is still this one; waits for appends that have begun. The new epoch. */
  claim(home: number, expectedEpoch: number, node: string): Promise<number | undefined>;
  /** The owner gives the home away, by name; false where the epoch is over. */
  give(home: number, epoch: number, to: string): Promise<boolean>;
  /**
   * Entries from the places on, in the order of the places, of about `bytesMax` in all, and one at least where there is any. Where a place
   * is below the home's first sequence, they begin with that one.
   */
  read(from: readonly LogPlace[], bytesMax: number): Promise<LogEntry[]>;
  /** The sequence of the last entry of each home, trimmed or not; 0 where there was none. */
  ends(homes: readonly number[]): Promise<Map<number, number>>;
  /** Deletes the entries of the home below a sequence. What was deleted once cannot be appended again. */
  trim(home: number, below: number): Promise<void>;
  /**
   * Writes this node's row and returns everybody's. Refuses a format below the cluster's (cluster.FORMAT_UNSUPPORTED). Rejects with
   * NameHeld where another process has written the row last, unless that is exactly `instead`.
   */
  beat(node: OwnState, instead?: NameHolder): Promise<Beat>;
  /** Removes the row of this process: it owns nothing, and nobody waits for its beat. */
  leave(incarnation: string): Promise<void>;
  /** An operator wants a node to have the homes, until somebody wants something else; undefined: their rank decides again. */
  want(homes: readonly number[], node: string | undefined): Promise<void>;
  /** An operator wants a node, as it runs now, to have no homes, or to have them again. False where there is no such node. */
  drain(node: string, isDrained: boolean): Promise<boolean>;
  health(): Promise<LogHealth>;
  /** Ends what a dead owner's sessions may still hold. */
  endSessionsOf(node: string): Promise<void>;
  readonly snapshots: SnapshotStore;
  readonly blobs: SharedBlobs;
  /** Names the cluster: a copy of another's is not to follow this log. */
  readonly clusterId: string;
  /** Removes what puts and removals that were cut short have left in the store of snapshots and blobs. Yields how much. */
  sweepStore(): Promise<number>;
  close(): Promise<void>;
}

/** How the log stands, for operators. */
export interface LogHealth {
  /** On its disk, for all homes. */
  bytes: number;
  /** What it acknowledges is on a second server, too. */
  hasSynchronousStandby: boolean;
}

/** A copy of what a home was at a sequence; `body` in pieces, so that its size is bounded by nothing but the store. */
export interface SnapshotStore {
  /** Replaces none: a home keeps the newest two. Resolves when it is durable and named by the home's state. */
  put(home: number, sequence: number, body: AsyncIterable<Buffer>): Promise<void>;
  get(home: number, sequence: number): AsyncIterable<Buffer>;
  /** Of those there are, the newest first. */
  sequences(home: number): Promise<number[]>;
  /** Deletes those below a sequence. */
  trim(home: number, below: number): Promise<void>;
}
