// The local inspector on journals: evidence, search, the timeline, and state at any entry.
import type { JsonObject } from '../json.js';
import type { Count, DottedId, PositiveCount, RowId, Slug, VirtualUs } from '../primitives.js';
import type { AssertionResult, CheckpointResult, TargetStatus, Verdict } from '../run/run.js';
import type { tags } from '../tags.js';
import type { EvidenceEntry, EvidenceKind, OutcomeKind } from '../world/evidence.js';
import type { FaultView, NamespaceView, PendingView } from '../world/world-protocol.js';
import type { KindList, PageLimit, SequenceList } from './ids.js';

export interface InspectorEvidenceQuery {
  /** Default 1. */
  fromSequence?: PositiveCount;
  /** Default 200. */
  limit?: PageLimit;
  /** These entries instead of a stretch, in the order of the journal: to read the rows of a search. */
  sequences?: SequenceList;
}
export interface InspectorEvidenceReply {
  schemaVersion: 1;
  entries: EvidenceEntry[];
  /** Of the whole journal so far. */
  toSequence: number;
  /** Absent at the end of the journal, and for `sequences`. */
  nextSequence?: number;
}
export interface ChainReply {
  schemaVersion: 1;
  /** What led to the entry, from the first cause to the nearest; at most 12. */
  causes: EvidenceEntry[];
  /** What it caused, in order, however far away; at most 100 of `effectsTotal`. */
  effects: EvidenceEntry[];
  effectsTotal: number;
}
export interface SearchQuery {
  /** Text of the entry's JSON, as written but for upper and lower case. Absent: every entry that the rest of the query fits. */
  q?: string & tags.MinLength<1> & tags.MaxLength<500>;
  kind?: KindList;
  /** Only entries of these ids: what an entry is about, and who called. */
  packageId?: Slug;
  actorId?: Slug;
  /** Only calls of this operation. */
  operationId?: DottedId;
  /** Only calls that ended so. */
  outcome?: OutcomeKind;
  /** Only what went wrong: calls that were not ok, refused requests, faults, what failed, checkpoints that did not pass. */
  problems?: 'only';
  /** Default 1. */
  fromSequence?: PositiveCount;
  /** Default the last. */
  toSequence?: PositiveCount;
  /** Matches with previews. Default 100. */
  limit?: PageLimit;
  /** `sequences`: numbers alone, up to 100,000 of them, for a filtered list. */
  view?: 'matches' | 'sequences';
}
export interface SearchMatch {
  sequence: number;
  kind: EvidenceKind;
  virtualTimeUs: number;
  /** A piece of the entry's JSON around the match. */
  preview: string;
  /** Of the match in `preview`, in UTF-16 units; length 0 without `q`. */
  at: number;
  length: number;
}
export interface SearchReply {
  schemaVersion: 1;
  /** Empty with view=sequences. */
  matches: SearchMatch[];
  /** Present with view=sequences. */
  sequences?: number[];
  /** Where to continue; absent when the journal was searched to its end. */
  nextSequence?: number;
  toSequence: number;
}

/** What positions on a timeline are: microseconds of virtual time, or entries by their sequence, which parts what happens at one moment. */
export type TimelineAxis = 'time' | 'sequence';
export interface TimelineQuery {
  /** Default: time. */
  axis?: TimelineAxis;
  /** Positions on the axis. Default: all of it. */
  from?: VirtualUs;
  to?: VirtualUs;
  /** Default 200. */
  buckets?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<2000>;
}
export interface TimelineInteraction {
  interactionId: string;
  actorId: string;
  actorInstanceId?: string;
  instruction: string;
  /** Positions on the axis. */
  start: number;
  end: number;
  status: TargetStatus;
}
/** One entry worth a mark of its own. */
export interface TimelineMark {
  sequence: number;
  /** Its position on the axis. */
  at: number;
  kind: EvidenceKind;
  /** `support.tickets.create`, `ticket.escalated`, `payments.timeout` ... */
  label: string;
  /** A call that was not ok, a failed event or callback, a checkpoint that did not pass. */
  failed: boolean;
  actorId?: string;
}
export interface TimelineReply {
  schemaVersion: 1;
  axis: TimelineAxis;
  /** Of the whole run, on the axis. */
  start: number;
  end: number;
  /** Of this window; bucket k is [from + k*bucketSize, from + (k+1)*bucketSize), the last one with its end. */
  from: number;
  to: number;
  bucketSize: number;
  /** Entries a bucket, by kind; kinds without any are left out. */
  density: { [kind: string]: number[] };
  /** The first entry at or after the begin of each bucket; one more than the last where there is none. */
  firstSequences: number[];
  interactions: TimelineInteraction[];
  checkpoints: { checkpointId: string; kind: string; at: number; verdict: Verdict }[];
  /** Calls, faults, events and callbacks of the window, in order; at most 2,000, the failed ones and faults first. */
  marks: TimelineMark[];
  /** Of how many. */
  marksTotal: number;
}

export interface InspectorNamespacesQuery {
  /** The state right after this entry. Default: the end. */
  atSequence?: Count;
}
export interface InspectorNamespacesReply {
  schemaVersion: 1;
  atSequence: number;
  namespaces: NamespaceView[];
}
export interface InspectorStateQuery {
  packageId: Slug;
  /** Default: the package's id. */
  instanceId?: Slug;
  namespace: Slug;
  atSequence?: Count;
  /** Only rows whose ids begin so. */
  find?: RowId;
  afterRowId?: RowId;
  /** Default 100. */
  limit?: PageLimit;
}
export interface StateRow {
  rowId: string;
  value: JsonObject;
  /** The entry that made it what it is; absent for a row of the start. */
  changedBySequence?: number;
}
export interface InspectorStateReply {
  schemaVersion: 1;
  atSequence: number;
  rows: StateRow[];
  nextAfterRowId?: string;
}
export interface RowChangesQuery {
  packageId: Slug;
  /** Default: the package's id. */
  instanceId?: Slug;
  namespace: Slug;
  rowId: RowId;
}
export interface RowChangesReply {
  schemaVersion: 1;
  /** Every entry that changed the row, in order; of more than 1,000 the latest. */
  changes: { sequence: number; change: 'insert' | 'update' | 'delete' }[];
  total: number;
}
export interface FaultsReply {
  schemaVersion: 1;
  faults: FaultView[];
}
/** The earliest first; at most 200 are shown of `total`. */
export interface ScheduledEventsReply extends PendingView {
  schemaVersion: 1;
}
export interface CallbackDelivery {
  deliveryId: string;
  callbackId: string;
  packageId: string;
  instanceId: string;
  receiverId: string;
  phase: 'queued' | 'attempt_started' | 'delivered' | 'retry_scheduled' | 'failed' | 'recovered';
  attempts: number;
  lastStatus?: number;
  /** Every entry of this delivery. */
  sequences: number[];
}
export interface CallbacksReply {
  schemaVersion: 1;
  /** In the order in which they were queued; at most 1,000. */
  deliveries: CallbackDelivery[];
  total: number;
}
export interface AssertionsReply {
  schemaVersion: 1;
  verdict: Verdict;
  /** Those that failed first, gates before the others. */
  assertions: AssertionResult[];
  checkpoints: CheckpointResult[];
}
