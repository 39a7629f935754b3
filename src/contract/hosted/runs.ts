// Hosted runs of drills inside sessions, their attachments, evidence bundles and comparisons.
import type { JsonObject, JsonValue } from '../json.js';
import type { Count, EnvironmentId, EpochMs, HostedRunId, LeaseGeneration, SessionId, Sha256Digest, Slug, Version } from '../primitives.js';
import type { AgentUsage } from '../run/agent-usage.js';
import type { AttachmentDescriptor, HostedRun, HostedRunState, Verdict } from '../run/run.js';
import type { tags } from '../tags.js';
import type { LongRunningOperation } from './operation.js';
import type { PageQuery, ProjectPath } from './organization.js';
import type { AccessBundle, SessionPath } from './sessions.js';

export type EvidenceBundleId = string & tags.Pattern<'^evidence_[0-9a-z]{12,32}$'>;
export type AttachmentId = string & tags.Pattern<'^attachment_[0-9a-z]{12,32}$'>;
type Ordinal = number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<2147483647>;

export interface StartRunPath extends SessionPath {
  environmentId: EnvironmentId;
}
/** trial <= trialCount, attempt <= attemptLimit; each defaults to 1. */
export interface StartRunRequest {
  expectedLeaseGeneration: LeaseGeneration;
  trial?: Ordinal;
  trialCount?: Ordinal;
  attempt?: Ordinal;
  attemptLimit?: Ordinal;
  /** Default 1800000. */
  timeoutMs?: number & tags.Type<'int32'> & tags.Minimum<1000> & tags.Maximum<86400000>;
}
export interface RunOperationReply {
  run: HostedRun;
  operation: LongRunningOperation;
}
export interface RunPath extends ProjectPath {
  hostedRunId: HostedRunId;
}
export interface RunReply {
  run: HostedRun;
}
export interface RunsQuery extends PageQuery {
  sessionId?: SessionId;
  environmentId?: EnvironmentId;
  drillId?: Slug;
  state?: HostedRunState | 'all';
}
export interface RunList {
  items: HostedRun[];
  nextCursor?: string;
}
/** Access as the actor of the pending interaction, revoked when that is completed. */
export interface RunAccessRequest {
  interactionId: Slug;
  ttlMs?: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<3600000>;
}
export interface RunAccessReply {
  access: AccessBundle & { hostedRunId: string; interactionId: string };
}
export interface CompleteInteractionRequest {
  interactionId: Slug;
  /** The run's `revision`, as the caller saw it. */
  expectedRevision: Version;
  targetResult: {
    status: 'completed' | 'failed' | 'timed_out' | 'cancelled';
    output?: JsonValue;
    error?: {
      code: string & tags.Pattern<'^target[.][A-Z][A-Z0-9_]*$'> & tags.MaxLength<128>;
      message: string & tags.MinLength<1> & tags.MaxLength<4096>;
      retryable?: boolean;
      details?: JsonObject;
    };
    usage?: AgentUsage;
    /** Completed attachments of this run, by id. */
    attachments: AttachmentId[] & tags.MaxItems<100>;
  };
}
export interface CancelRunRequest {
  expectedRevision: Version;
  reason?: string & tags.MinLength<1> & tags.MaxLength<500>;
}
/** The same drill again, in a session of its own made for it from the same build, setup and seed. */
export interface RerunRequest {
  timeoutMs?: number & tags.Type<'int32'> & tags.Minimum<1000> & tags.Maximum<86400000>;
  ttlMs?: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<604800000>;
}
/** What happened to a run, the oldest first. */
export interface RunActivity {
  schemaVersion: 1;
  hostedRunId: string;
  ordinal: number;
  atMs: EpochMs;
  kind:
    | 'created'
    | 'interaction_awaited'
    | 'access_issued'
    | 'interaction_completed'
    | 'cancel_requested'
    | 'deadline_passed'
    | 'coordinator_taken_over'
    | 'sealed'
    | 'ended';
  interactionId?: string;
  details: JsonObject;
}
export interface RunActivityList {
  items: RunActivity[];
  nextCursor?: string;
}

export interface BeginAttachmentRequest {
  interactionId?: Slug;
  kind: 'log' | 'screenshot' | 'video' | 'file';
  name: string & tags.MinLength<1> & tags.MaxLength<200>;
  mediaType: string & tags.Pattern<'^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$'>;
  bytes: number & tags.Type<'int32'> & tags.Minimum<0> & tags.Maximum<16777216>;
  hash: Sha256Digest;
}
export interface AttachmentPath extends RunPath {
  attachmentId: AttachmentId;
}
export interface Attachment {
  schemaVersion: 1;
  attachmentId: string;
  hostedRunId: string;
  interactionId?: string;
  kind: 'log' | 'screenshot' | 'video' | 'file';
  state: 'pending' | 'uploaded' | 'available';
  name: string;
  mediaType: string;
  bytes: number;
  hash: string;
  createdAtMs: EpochMs;
}
export interface AttachmentReply {
  attachment: Attachment;
}
export interface CompleteAttachmentReply {
  attachment: Attachment;
  descriptor: AttachmentDescriptor;
}

export interface EvidencePath extends ProjectPath {
  evidenceBundleId: EvidenceBundleId;
}
export interface ArtifactQuery {
  /** As the manifest lists it. */
  path: string & tags.MinLength<1> & tags.MaxLength<512>;
}
export interface EvidenceBundle {
  schemaVersion: 1;
  evidenceBundleId: string;
  organizationId: string;
  projectId: string;
  hostedRunId: string;
  state: 'collecting' | 'sealed' | 'deleted';
  verdict?: Verdict;
  stateHash?: string;
  evidenceHash?: string;
  trajectoryHash?: string;
  /** Of manifest.json, over its exact bytes. */
  manifestDigest?: string;
  createdAtMs: EpochMs;
  sealedAtMs?: EpochMs;
  /** Deleted on its own after this. */
  retainedUntilMs?: EpochMs;
  deletedAtMs?: EpochMs;
}
export interface EvidenceBundleReply {
  evidence: EvidenceBundle;
}
export interface EvidenceManifestReply {
  schemaVersion: 1;
  evidenceBundleId: string;
  files: { path: string; bytes: Count; hash: string }[];
}
export interface DeleteEvidenceRequest {
  confirm: string;
}

export interface CompareQuery {
  left: HostedRunId;
  right: HostedRunId;
}
/** Turns, that is entries which committed together, counted by how the two sides have them. */
export interface RunDifferences {
  same: number;
  /** Of these, calls that were made with another idempotency key, or with one on one side only; absent where there are none. */
  otherKeys?: number;
  /** Of the same cause, with another outcome or other effects. */
  changed: number;
  /** Of the same cause, in another order. */
  moved: number;
  onlyLeft: number;
  onlyRight: number;
  /** False for journals so long that only their beginnings were aligned. */
  isComplete: boolean;
  /** The first of those that are not the same, in the order of the runs. */
  shown: RunDifference[];
}
export interface RunDifference {
  kind: 'only_left' | 'only_right' | 'changed' | 'moved';
  /** The turn: its first entry, and how many it has. */
  left?: { sequence: number; entries: number };
  right?: { sequence: number; entries: number };
  /** Of a call that only one side made: the call of the same operation, with other arguments, that only the other side made. */
  like?: { sequence: number; entries: number };
  summary: string;
  /** Of the first entries that differ, in the first of the list. */
  members?: ComparedMember[];
  /** How many differ, where `members` has only the first of them. */
  membersTotal?: number;
}
/** One member of an entry or a row that is not the same. A side that lacks it has no value. */
export interface ComparedMember {
  path: (string | number)[];
  left?: JsonValue;
  right?: JsonValue;
  /** A value was too long to be given whole: its text stands for it, cut around the first place that differs. */
  isCut?: true;
}
export interface ComparedEntry {
  sequence: number;
  virtualTimeUs: number;
  /** In one line, for people. */
  text: string;
}
export interface RunDivergence {
  leftSequence?: number;
  rightSequence?: number;
  summary: string;
  /** The two entries, and every member that differs, keys included: which world minted an id makes no difference. */
  left?: ComparedEntry;
  right?: ComparedEntry;
  members: ComparedMember[];
  /** How many differ, where `members` has only the first of them: of the arguments, the key and each outcome at most 200. */
  membersTotal?: number;
  /** What followed on either side from the turn in which they parted, by cause. */
  effects: { left: ComparedEffects; right: ComparedEffects };
}
export interface ComparedEffects {
  total: number;
  /** The first of them. `inBoth`: the other side has the same. */
  shown: (ComparedEntry & { inBoth: boolean })[];
}
/** A row that the two runs ended with differently. */
export interface ComparedRow {
  kind: 'only_left' | 'only_right' | 'changed';
  packageId: string;
  instanceId: string;
  namespace: string;
  rowId: string;
  /** The entries that last changed it; absent for a row as its run began. */
  leftSequence?: number;
  rightSequence?: number;
  /** Of a row that only one side has: all of it, in one member without a path. */
  members: ComparedMember[];
  /** How many differ, where `members` has only the first of them. */
  membersTotal?: number;
}
export interface ComparedRows {
  changed: number;
  onlyLeft: number;
  onlyRight: number;
  /** The first of them, in the order of their names. */
  shown: ComparedRow[];
}
/** Facts only: what differs, never which is better. */
export interface RunComparison {
  schemaVersion: 1;
  grade: 'exact_inputs' | 'descriptive_only' | 'incompatible';
  left: { runId: string; verdict: Verdict };
  right: { runId: string; verdict: Verdict };
  /** Inputs by name, where they are not equal. */
  inputs: { name: string; left: JsonValue; right: JsonValue }[];
  equal: { stateHash: boolean; evidenceHash: boolean; trajectoryHash: boolean };
  /** What a report does not say of its inputs, as it was made before reports did. */
  lacks?: { side: 'left' | 'right'; name: string }[];
  /** The first entry of each side that the other does not have at that place. */
  firstDivergence?: RunDivergence;
  /** The runs turn by turn, aligned by what caused each; absent where there is nothing to align. */
  differences?: RunDifferences;
  /** Rows at the end; absent where there is nothing to align, or a run does not say what it began with. */
  rows?: ComparedRows;
  assertions: { assertionId: string; left?: string; right?: string }[];
  counts: { name: string; left: number; right: number }[];
}
export interface RunComparisonReply {
  comparison: RunComparison;
}
