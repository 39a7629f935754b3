// What the operator of several machines sees of them and asks of them. None of it is within reach of a tenant's credential.
import type { Count, PositiveCount } from '../primitives.js';
import type { tags } from '../tags.js';

export type NodeName = string & tags.MinLength<1> & tags.MaxLength<40> & tags.Pattern<'^[A-Za-z0-9][A-Za-z0-9.-]*$'>;
export type HomeNumber = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<1024>;

export interface ClusterNodeView {
  node: string;
  /** Where other nodes reach it: scheme, host and port. */
  address: string;
  /** `joining`: its copies are not complete, or it came back a moment ago. `leaving`: it ends. */
  state: 'joining' | 'ready' | 'leaving';
  /** Its beat has changed within the last seconds. */
  isAlive: boolean;
  /** An operator wants it to have no homes while another node can have them. */
  isDrained: boolean;
  /** It has the home of the catalog: the control API works there. */
  isLeader: boolean;
  /** The newest format that it reads and writes. */
  format: PositiveCount;
  /** How many homes it has, as the log says. */
  homes: Count;
  /** Of homes that other nodes have, how many copies it keeps. */
  copies: Count;
  /** Entries of the log that the copy furthest behind does not have. */
  entriesBehindMax: Count;
  /** Other nodes that it could not reach when it last asked them something. One that most cannot reach gives its homes away. */
  unreached: string[];
}
export interface ClusterFollowerView {
  node: string;
  /** Entries of the log that its copy does not have. */
  entriesBehind: Count;
}
export interface ClusterHomeView {
  /** 0 is the catalog's. */
  home: Count;
  /** Absent: no node has had it so far. */
  owner?: string;
  /** By an operator: it is to have the home wherever that can be. Absent: the rank of nodes decides. */
  wanted?: string;
  /** How often it has had another owner. */
  epoch: Count;
  /**
   * `owned`: it is answered for. `taking`, `leaving`: it is on its way. `closed`: its owner refuses to open it, and its log says why.
   * `absent`: its owner does not run, or has not taken it up.
   */
  phase: 'owned' | 'taking' | 'leaving' | 'closed' | 'absent';
  /** Nodes that run and refuse to open it, or to copy it: the log of each says why. None of them gets it before its restart. */
  closedOn: string[];
  /** Copies on nodes that run, the one that is furthest first. */
  followers: ClusterFollowerView[];
  /** The sequence of its last entry, as far as any node says. */
  end: Count;
  /** Up to which its newest snapshot has everything; 0: there is none. */
  snapshotSequence: Count;
  /** Of its log since that snapshot. */
  entriesSinceSnapshot: Count;
  /** Absent: no node that has seen them says so. */
  bytesSinceSnapshot?: Count;
}
export interface ClusterLogView {
  /** It answered the last beat in time. */
  isAnswering: boolean;
  /** Milliseconds since the last beat was sent that it answered. */
  beatAgeMs: Count;
  /** Since this node started: how long it did not answer. */
  unavailableMs: Count;
  /** Why the last beat was not answered, as the database's driver says it; absent where it was. */
  failure?: string;
  /** The format that records and requests between nodes are written in. */
  format: PositiveCount;
  /** On the disk of the database; absent where it does not say so in time. */
  bytes?: Count;
  /** What it acknowledges is on a second server, too. Absent where it does not say so in time. */
  hasSynchronousStandby?: boolean;
}
/** As one node sees it. */
export interface Cluster {
  schemaVersion: 1;
  /** Whose view it is. */
  node: string;
  nodes: ClusterNodeView[];
  homes: ClusterHomeView[];
  log: ClusterLogView;
}
export interface ClusterReply {
  cluster: Cluster;
}
export interface ClusterNodePath {
  node: NodeName;
}
export interface MoveHomesRequest {
  /** All homes where it is left out. */
  homes?: HomeNumber[] & tags.MinItems<1> & tags.MaxItems<1025> & tags.UniqueItems;
  /** A node; null: the rank of nodes decides again. */
  to: NodeName | null;
  /** Also where its copy is not warm: it follows them, and they move when it is. */
  whenWarm?: boolean;
}
export interface MoveHomesReply {
  /** Those that are wanted there from now on. */
  homes: Count[];
  to: string | null;
}
export interface DrainNodeReply {
  node: string;
  isDrained: boolean;
}
