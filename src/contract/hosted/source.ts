// From library to build, hosted: tool library, setups, source drafts and revisions, data choices, builds, environments, datasets.
import type { JsonObject } from '../json.js';
import type {
  DatasetId,
  EnvironmentId,
  EpochMs,
  Revision,
  RowId,
  SetupId,
  Sha256Digest,
  Slug,
  SourceDraftId,
  Version,
} from '../primitives.js';
import type { Diagnostic } from '../run/build.js';
import type { ProjectView } from '../run/project-view.js';
import type { tags } from '../tags.js';
import type { ToolManifest } from '../world/tool-manifest.js';
import type { LongRunningOperation } from './operation.js';
import type { CallbackReceiverId, PageQuery, ProjectPath } from './organization.js';
import type { CanonicalToolSetupRequest, DatasetRevisionView, SourceDataChoices } from './resources.js';

type Name = string & tags.MinLength<1> & tags.MaxLength<100>;
/** A place in a source tree: relative, with forward slashes, no empty, `.` or `..` segment. */
export type SourcePath = string & tags.MinLength<1> & tags.MaxLength<512>;

export interface ToolLibraryEntry {
  schemaVersion: 1;
  libraryEntryId: string;
  packageId: string;
  version: string;
  lifecycle: 'active' | 'deprecated' | 'revoked';
  /** Over every file of the package, path and bytes. */
  packageArchiveDigest: string;
  manifestHash: string;
  /** Whether `initialState: starter` has rows to give. */
  hasStarter: boolean;
  description?: string;
  operations: { operationId: string; description?: string }[];
}
export interface ToolLibraryList {
  items: ToolLibraryEntry[];
  nextCursor?: string;
}
export interface ToolLibraryPath extends ProjectPath {
  libraryEntryId: string & tags.Pattern<'^[a-z0-9][a-z0-9-]{0,79}$'>;
}
export interface ToolLibraryEntryReply {
  entry: ToolLibraryEntry;
  manifest: ToolManifest;
}

export interface ValidateToolSetupReply {
  request: CanonicalToolSetupRequest;
}
export interface ToolSetup {
  schemaVersion: 1;
  setupId: string;
  organizationId: string;
  projectId: string;
  name?: string;
  use: 'reusable' | 'automated';
  request: CanonicalToolSetupRequest;
  previousSetupId?: string;
  sourceDraftId: string;
  sourceRevision: number;
  buildOperationId: string;
  /** Set when the build has succeeded. */
  buildHash?: string;
  createdBy: string;
  createdAtMs: EpochMs;
}
export interface ToolSetupReply {
  setup: ToolSetup;
}
export interface CreateToolSetupReply {
  setup: ToolSetup;
  sourceDraft: SourceDraft;
  operation: LongRunningOperation;
}
export interface DeleteToolSetupRequest {
  confirm: string;
}
export interface ToolSetupPath extends ProjectPath {
  setupId: SetupId;
}

export interface SourceFileInput {
  path: SourcePath;
  /** UTF-8 text. */
  content: string & tags.MaxLength<1048576>;
}
/** Files by path, or a removal. */
export type SourceChange =
  | { action: 'put'; path: SourcePath; content: string & tags.MaxLength<1048576> }
  | { action: 'delete'; path: SourcePath };
export interface SourceDraft {
  schemaVersion: 1;
  sourceDraftId: string;
  organizationId: string;
  projectId: string;
  name: string;
  state: 'available' | 'deleted';
  version: number;
  currentRevision: number;
  /** Of the current revision. */
  sourceDigest: string;
  createdBy: string;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  deletedAtMs?: EpochMs;
}
/** Immutable. `sourceDigest` covers every path and its content's digest. */
export interface SourceRevision {
  schemaVersion: 1;
  sourceDraftId: string;
  revision: number;
  sourceDigest: string;
  files: { path: string; digest: string; bytes: number }[];
  createdBy: string;
  createdAtMs: EpochMs;
}
export interface SourceDraftPath extends ProjectPath {
  sourceDraftId: SourceDraftId;
}
/** `revision` comes from the path as text and is read as an integer before it is checked. */
export interface SourceRevisionPath extends SourceDraftPath {
  revision: Revision;
}
export interface CreateSourceDraftRequest {
  name: Name;
  files: SourceFileInput[] & tags.MinItems<1> & tags.MaxItems<2000>;
}
export interface CreateSourceRevisionRequest {
  expectedVersion: Version;
  /** The whole tree. Exactly one of `files` and `changes`. */
  files?: SourceFileInput[] & tags.MinItems<1> & tags.MaxItems<2000>;
  /** On the last revision, in order. */
  changes?: SourceChange[] & tags.MinItems<1> & tags.MaxItems<2000>;
}
export interface DeleteSourceDraftRequest {
  expectedVersion: Version;
  confirm: string;
}
export interface SourceDraftReply {
  sourceDraft: SourceDraft;
}
export interface SourceRevisionReply {
  sourceDraft: SourceDraft;
  revision: SourceRevision;
}
export interface SourceDraftList {
  items: SourceDraft[];
  nextCursor?: string;
}
export interface PutSourceDatasetsRequest extends Pick<SourceDataChoices, 'sourceDigest' | 'target' | 'selections'> {}

export interface CreateBuildRequest {
  sourceDigest?: Sha256Digest;
}
export interface BuildAttempt {
  schemaVersion: 1;
  attemptId: string;
  operationId: string;
  sourceDraftId: string;
  sourceRevision: number;
  sourceDigest: string;
  state: 'queued' | 'compiling' | 'verifying' | 'succeeded' | 'failed' | 'cancelled';
  buildHash?: string;
  /** Warnings of a success, errors and warnings of a failure. */
  diagnostics: Diagnostic[];
  createdAtMs: EpochMs;
  finishedAtMs?: EpochMs;
}
/** A compile that succeeded, in one project. Content addressed: equal meaning, equal hash. */
export interface Build {
  schemaVersion: 1;
  organizationId: string;
  projectId: string;
  buildHash: string;
  packageLockHash: string;
  worldId: string;
  tools: { packageId: string; version: string; manifestHash: string; artifactHash: string }[];
  scenarioIds: string[];
  drillIds: string[];
  targetIds: string[];
  suiteIds: string[];
  /** Absent for the example build of the first start. */
  source?: { sourceDraftId: string; revision: number; sourceDigest: string };
  createdAtMs: EpochMs;
}
export interface BuildPath extends ProjectPath {
  buildHash: Sha256Digest;
}
export interface BuildReply {
  build: Build;
}
export interface CreateBuildReply {
  attempt: BuildAttempt;
  operation: LongRunningOperation;
}
export interface BuildList {
  items: Build[];
  nextCursor?: string;
}
export interface BuildWorldReply {
  schemaVersion: 1;
  buildHash: string;
  world: ProjectView;
}

/**
 * A build whose tool code ran past its time, or ended its host, too often inside a while. Until it is released its worlds take no commands
 * and no new ones are made of it; what they hold can be read, unless that ends hosts too (`readsRefused`).
 */
export interface BuildQuarantine {
  schemaVersion: 1;
  organizationId: string;
  projectId: string;
  buildHash: string;
  state: 'quarantined' | 'released';
  /** What it was quarantined for. */
  timeouts: number;
  hostEnds: number;
  /** Of the last of these. */
  sessionId: string;
  readsRefused: boolean;
  version: number;
  quarantinedAtMs: EpochMs;
  releasedBy?: string;
  releasedAtMs?: EpochMs;
}
export interface ReleaseQuarantineRequest {
  expectedVersion: Version;
}
export interface QuarantineReply {
  quarantine: BuildQuarantine;
}
export interface QuarantineList {
  items: BuildQuarantine[];
  nextCursor?: string;
}

export interface Environment {
  schemaVersion: 1;
  organizationId: string;
  projectId: string;
  environmentId: string;
  name: string;
  state: 'active' | 'archived';
  version: number;
  buildHash?: string;
  createdBy: string;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  archivedAtMs?: EpochMs;
}
export interface EnvironmentPath extends ProjectPath {
  environmentId: EnvironmentId;
}
export interface CreateEnvironmentRequest {
  name: Name;
  buildHash?: Sha256Digest;
}
export interface PromoteRequest {
  buildHash: Sha256Digest;
  expectedVersion: Version;
}
export interface ArchiveRequest {
  expectedVersion: Version;
  confirm: string;
}
export interface EnvironmentReply {
  environment: Environment;
}
export interface EnvironmentList {
  items: Environment[];
  nextCursor?: string;
}

export type Dataset = DatasetRevisionView['dataset'];
export interface DatasetPath extends ProjectPath {
  datasetId: DatasetId;
}
export interface DatasetRevisionPath extends DatasetPath {
  revision: Revision;
}
export interface DatasetCollectionInput {
  namespace: Slug;
  records: { rowId: RowId; value: JsonObject }[] & tags.MaxItems<10000>;
}
/** Rows of one tool's state, checked against the state schemas of that tool in the build. */
export interface CreateDatasetRequest {
  name: Name;
  buildHash: Sha256Digest;
  packageId: Slug;
  collections: DatasetCollectionInput[] & tags.MaxItems<256>;
}
export interface CreateDatasetRevisionRequest {
  expectedVersion: Version;
  buildHash: Sha256Digest;
  collections: DatasetCollectionInput[] & tags.MaxItems<256>;
}
/** Of the content: UTF-8 JSON `{"collections": [...]}`, as in the body of a dataset. */
export interface CreateDatasetUploadRequest {
  bytes: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<16777216>;
  hash: Sha256Digest;
}
export interface DatasetUploadPath extends ProjectPath {
  uploadId: string & tags.Pattern<'^upload_[0-9a-z]{12,32}$'>;
}
/** Rows that are of no dataset so far. After `expiresAtMs` they are gone. */
export interface DatasetUpload {
  schemaVersion: 1;
  uploadId: string;
  organizationId: string;
  projectId: string;
  state: 'pending' | 'uploaded';
  bytes: number;
  hash: string;
  createdBy: string;
  createdAtMs: EpochMs;
  expiresAtMs: EpochMs;
}
export interface DatasetUploadReply {
  upload: DatasetUpload;
}
/** Either `name` and `packageId`, of a new dataset, or `datasetId` and `expectedVersion`, of one that gets a revision. */
export interface CompleteDatasetUploadRequest {
  buildHash: Sha256Digest;
  name?: Name;
  packageId?: Slug;
  datasetId?: DatasetId;
  expectedVersion?: Version;
}
/** Without the rows: `records` is how many. */
export interface CompleteDatasetUploadReply {
  dataset: Dataset;
  revision: {
    schemaVersion: 1;
    datasetId: DatasetId;
    revision: Revision;
    digest: Sha256Digest;
    bytes: number;
    collections: { namespace: string; records: number }[];
  };
}
export interface DatasetReply {
  dataset: Dataset;
}
export interface DatasetList {
  items: Dataset[];
  nextCursor?: string;
}
export interface DatasetsQuery extends PageQuery {
  packageId?: Slug;
  state?: 'all' | 'available' | 'archived';
}
export type CallbackReceiverIds = CallbackReceiverId[] & tags.MaxItems<64>;
