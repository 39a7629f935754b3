// Hosted world sessions: what is asked of them and what they answer. Bodies are closed objects.
import type { JsonObject } from '../json.js';
import type {
  Count,
  EnvironmentId,
  EpochMs,
  LeaseGeneration,
  RowId,
  Seed,
  SessionId,
  Sha256Digest,
  Slug,
  Version,
  VirtualUs,
} from '../primitives.js';
import type { UnansweredRequests } from '../run/run-events.js';
import type { tags } from '../tags.js';
import type { EvidenceEntry } from '../world/evidence.js';
import type { NamespaceView, PendingDelivery, PendingEvent, WorldPosition } from '../world/world-protocol.js';
import type { LongRunningOperation } from './operation.js';
import type { PageQuery, ProjectPath } from './organization.js';
import type { WorldSession } from './resources.js';
import type { CallbackReceiverIds } from './source.js';

export type HostedSnapshotId = string & tags.Pattern<'^hsnap_[0-9a-z]{12,32}$'>;
type Ordinal = number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<2147483647>;
export type TtlMs = number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<604800000>;

export interface SessionPath extends ProjectPath {
  sessionId: SessionId;
}
/** At most one of `drillId` and `scenarioId`; neither: the world's baseline. */
export interface CreateSessionRequest {
  seed: Seed;
  drillId?: Slug;
  scenarioId?: Slug;
  /** Default: the environment's. */
  buildHash?: Sha256Digest;
  /** Which trial and which attempt the world is for, as in a local run: with the seed they decide its random numbers and ids. Default 1. */
  trial?: Ordinal;
  attempt?: Ordinal;
  warmPool?: 'prepare' | 'prefer';
  callbackReceiverBindingIds?: CallbackReceiverIds;
  /** Default one hour. */
  ttlMs?: TtlMs;
}
export interface SessionReply {
  session: WorldSession;
}
export interface SessionOperationReply {
  session: WorldSession;
  operation: LongRunningOperation;
}
export interface SessionsQuery extends PageQuery {
  environmentId?: EnvironmentId;
  state?: WorldSession['state'] | 'all' | 'live';
}
export interface SessionList {
  items: WorldSession[];
  nextCursor?: string;
}
export interface DestroySessionRequest {
  expectedLeaseGeneration: LeaseGeneration;
  confirm: string;
}
export interface NamespacesQuery {
  /** As of this evidence sequence; default now. */
  atSequence?: Count;
}
export interface NamespacesReply {
  schemaVersion: 1;
  items: NamespaceView[];
}
export interface StateQuery {
  packageId: Slug;
  /** Default: the packageId. */
  instanceId?: Slug;
  namespace: Slug;
  afterRowId?: RowId;
  /** Default 100. */
  limit?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<200>;
  atSequence?: Count;
}
export interface StateReply {
  schemaVersion: 1;
  rows: { rowId: string; value: JsonObject }[];
  nextAfterRowId?: string;
}
export interface EvidenceQuery {
  /** Default 1. */
  fromSequence?: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<9007199254740991>;
  /** Default 200. */
  limit?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<500>;
}
export interface EvidenceReply {
  schemaVersion: 1;
  entries: EvidenceEntry[];
  nextSequence?: number;
}
export interface PendingReply {
  schemaVersion: 1;
  total: number;
  /** The earliest first, at most 200. */
  events: PendingEvent[];
  deliveriesTotal: number;
  /** Callbacks that were neither delivered nor given up; the earliest due first, at most 200. */
  deliveries: PendingDelivery[];
  /** The advance that runs now. */
  advance?: { requestedUs: number; reachedUs: number; scheduledEventsProcessed: number };
}
export interface AccessRequest {
  actorId: Slug;
  actorInstanceId?: Slug;
  /** Default ten minutes. */
  ttlMs?: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<3600000>;
}
/** An access that is valid. Its credential was shown when it was made, and is stored nowhere. */
export interface SessionAccess {
  schemaVersion: 1;
  accessId: string;
  sessionId: string;
  actorId: string;
  actorInstanceId?: string;
  leaseGeneration: number;
  /** The credential that made it: when that is revoked, the access is over. */
  createdBy: string;
  createdAtMs: EpochMs;
  expiresAtMs: EpochMs;
}
export interface SessionAccessPath extends SessionPath {
  accessId: string & tags.Pattern<'^access_[0-9a-z]{12,32}$'>;
}
export interface SessionAccessList {
  schemaVersion: 1;
  /** The oldest first; a session has at most 1,024. */
  items: SessionAccess[];
}
/**
 * What clients asked of the world over HTTP and no route answered, since this start of the service. Paths are without queries and tokens.
 */
export interface UnansweredRequestsReply extends UnansweredRequests {
  schemaVersion: 1;
}
export interface SessionAccessReply {
  access: SessionAccess;
}
/** By the name of a mount. `hostUrl`: the same at a host name of its own, where the service has names for mounts. */
export interface WorldMounts {
  [mount: string]: { url: string; hostUrl?: string };
}
/** What an agent needs to reach the world as one actor. The credential opens nothing else. */
export interface AccessBundle {
  schemaVersion: 1;
  accessId: string;
  sessionId: string;
  actorId: string;
  actorInstanceId?: string;
  leaseGeneration: number;
  worldHttpUrl: string;
  /** Of a world whose tools have wire routes: where those of one instance of a tool are, by the name of its mount. */
  worldHttpMounts?: WorldMounts;
  /** Where routes take signed requests: what the key is called whose secret the credential is. */
  worldHttpKeyId?: string;
  worldMcpUrl: string;
  worldCliUrl: string;
  credential: string;
  expiresAtMs: EpochMs;
  capabilities: { packageId: string; operationId: string; instanceId: string }[];
}
export interface AccessReply {
  access: AccessBundle;
}
export interface AdvanceRequest {
  environmentId: EnvironmentId;
  buildHash: Sha256Digest;
  expectedLeaseGeneration: LeaseGeneration;
  /** Absolute. */
  targetUs: VirtualUs;
  maxEvents: number & tags.Type<'int32'> & tags.Minimum<0> & tags.Maximum<1000000>;
}
export interface SetFaultRequest {
  environmentId: EnvironmentId;
  buildHash: Sha256Digest;
  expectedLeaseGeneration: LeaseGeneration;
  packageId: Slug;
  instanceId?: Slug;
  faultId: Slug;
  active: boolean;
}
/** Whole without `packages`; with `hostedSnapshotId` back to that snapshot. Not both. */
export interface ResetRequest {
  expectedLeaseGeneration: LeaseGeneration;
  hostedSnapshotId?: HostedSnapshotId;
  packages?: Slug[] & tags.MinItems<1> & tags.MaxItems<256>;
}
export interface SnapshotRequest {
  expectedLeaseGeneration: LeaseGeneration;
}
/** From a snapshot, or from any evidence sequence of the session's journal; neither: from now. Not both. */
export interface ForkRequest {
  hostedSnapshotId?: HostedSnapshotId;
  atSequence?: Count;
  environmentId: EnvironmentId;
  expectedLeaseGeneration: LeaseGeneration;
  ttlMs?: TtlMs;
}
export interface ExtendRequest {
  expectedLeaseGeneration: LeaseGeneration;
  expectedVersion: Version;
  /** From now. */
  ttlMs: TtlMs;
}

export interface HostedSnapshot {
  schemaVersion: 1;
  hostedSnapshotId: string;
  organizationId: string;
  projectId: string;
  environmentId: string;
  sessionId: string;
  buildHash: string;
  state: 'creating' | 'available' | 'deleted';
  leaseGeneration: number;
  /** Set when available. */
  position?: WorldPosition;
  createdBy: string;
  createdAtMs: EpochMs;
}
export interface SnapshotOperationReply {
  snapshot: HostedSnapshot;
  operation: LongRunningOperation;
}
export interface SnapshotPath extends ProjectPath {
  hostedSnapshotId: HostedSnapshotId;
}
export interface DeleteSnapshotRequest {
  expectedLeaseGeneration: LeaseGeneration;
  confirm: string;
}
export interface SnapshotReply {
  snapshot: HostedSnapshot;
}
export interface SnapshotsQuery extends PageQuery {
  sessionId?: SessionId;
}
export interface SnapshotList {
  items: HostedSnapshot[];
  nextCursor?: string;
}

export interface OperationPath extends ProjectPath {
  operationId: string & tags.Pattern<'^op_[0-9a-z]{12,32}$'>;
}
export interface OperationsQuery extends PageQuery {
  state?: LongRunningOperation['state'] | 'all';
  kind?: LongRunningOperation['kind'];
  resourceId?: string & tags.MinLength<1> & tags.MaxLength<255>;
}
export interface OperationReply {
  operation: LongRunningOperation;
}
export interface OperationList {
  items: LongRunningOperation[];
  nextCursor?: string;
}
