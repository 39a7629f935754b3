// Hosted resources.
import type { JsonObject } from '../json.js';
import type {
  AuthoringSessionId,
  DatasetId,
  EpochMs,
  Revision,
  SessionId,
  SetupId,
  Sha256Digest,
  Slug,
  SourceDraftId,
} from '../primitives.js';
import type { DrillDefinition, DrillInput } from '../run/drill.js';
import type { TargetDocument, TargetDocumentInput } from '../run/target.js';
import type { tags } from '../tags.js';
import type { Scenario, ScenarioInput } from '../world/scenario.js';
import type { StorageView, WorldPosition } from '../world/world-protocol.js';

export interface ToolSetupItem {
  libraryEntryId: string & tags.Pattern<'^[a-z0-9][a-z0-9-]{0,79}$'>;
  expectedPackageArchiveDigest: Sha256Digest;
  initialState: 'starter' | 'empty';
  instanceId?: Slug;
}
export interface ToolTestDefinitionsInput {
  targets: TargetDocumentInput[] & tags.MinItems<1> & tags.MaxItems<100>;
  scenarios?: ScenarioInput[] & tags.MaxItems<100>;
  drills: DrillInput[] & tags.MinItems<1> & tags.MaxItems<100>;
}
export interface CreateToolSetupRequest {
  name?: string & tags.MinLength<1> & tags.MaxLength<100>;
  use: 'reusable' | 'automated';
  tools: ToolSetupItem[] & tags.MinItems<1> & tags.MaxItems<8>;
  previousSetupId?: SetupId;
  expectedPreviousBuildHash?: Sha256Digest;
  testDefinitions?: ToolTestDefinitionsInput;
}
/** The request with every default present: what validation returns, and what a retry sends again. */
export interface CanonicalToolSetupRequest extends Omit<CreateToolSetupRequest, 'testDefinitions'> {
  testDefinitions?: ToolTestDefinitions;
}
export interface ToolTestDefinitions {
  targets: TargetDocument[];
  scenarios: Scenario[];
  drills: DrillDefinition[];
}

export interface AuthoringSession {
  schemaVersion: 1;
  authoringSessionId: AuthoringSessionId;
  organizationId: string;
  projectId: string;
  createdBy: string;
  state: 'active' | 'published' | 'discarded';
  version: number;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  closedAtMs?: EpochMs;
  workspace: 'repository';
  repositoryBindingId?: string;
  branch?: string;
  baseRevision?: string;
  activeTurnId?: string;
  currentProposalId?: string;
  title?: string;
  pendingActionCount: number;
}
export interface AuthoringSessionList {
  items: AuthoringSession[];
  nextCursor?: string;
}

export interface WorldSessionRuntime {
  schemaVersion: 1;
  session: WorldSession;
  position: WorldPosition;
  /** What the world has on the disk, its snapshots included, and what it may have at most. */
  storage: StorageView;
  hostedRunId?: string;
  actors: {
    actorId: string;
    actorInstanceId?: string;
    actorBindingId: string;
    capabilities: { packageId: string; operationId: string; instanceId: string }[];
  }[];
}
export interface WorldSession {
  schemaVersion: 1;
  organizationId: string;
  projectId: string;
  environmentId: string;
  sessionId: SessionId;
  buildHash: string;
  seed: string;
  callbackReceiverBindingIds: string[];
  state: 'creating' | 'warming' | 'ready' | 'resetting' | 'degraded' | 'expired' | 'destroying' | 'destroyed';
  leaseGeneration: number;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  expiresAtMs: EpochMs;
  version: number;
  drillId?: string;
  scenarioId?: string;
  /** Of the world's making, where they are not 1. */
  trial?: number;
  attempt?: number;
  warmPool?: { state: 'preparing' | 'ready' | 'claimed' | 'retired'; setupHash: string };
  parentSessionId?: string;
  parentHostedSnapshotId?: string;
  destroyedAtMs?: EpochMs;
}

export interface DatasetRevisionView {
  dataset: {
    schemaVersion: 1;
    organizationId: string;
    projectId: string;
    datasetId: DatasetId;
    name: string;
    packageId: string;
    version: number;
    currentRevision: Revision;
    currentDigest: Sha256Digest;
    state: 'available' | 'archived';
    createdBy: string;
    createdAtMs: EpochMs;
    updatedAtMs: EpochMs;
    archivedAtMs?: EpochMs;
  };
  revision: {
    schemaVersion: 1;
    datasetId: DatasetId;
    revision: Revision;
    tool: { packageId: string; version: string; manifestHash: string; artifactHash: string; stateSchemaDigest: string };
    collections: { namespace: string; records: { rowId: string; value: JsonObject }[] }[];
    digest: Sha256Digest;
  };
  provenance?: {
    sourceDraftId: string;
    sourceRevision: number;
    sourceVersion: number;
    sourceDigest: string;
    buildHash: string;
    worldProjectionDigest: string;
    toolArtifactId: string;
    instanceId: string;
  };
  revisionCreatedBy: string;
  revisionCreatedAtMs: EpochMs;
}
export interface SourceDataChoices {
  schemaVersion: 1;
  sourceDraftId: SourceDraftId;
  sourceRevision: Revision;
  sourceDigest: Sha256Digest;
  target: { kind: 'baseline' } | { kind: 'scenario'; scenarioId: Slug };
  selections: { packageId: Slug; datasetId: DatasetId; revision: Revision; digest: Sha256Digest; instanceId: Slug }[] &
    tags.MinItems<1> &
    tags.MaxItems<256>;
}
export interface SourceBaseline {
  schemaVersion: 1;
  source: { organizationId: string; projectId: string; sourceDraftId: string; revision: Revision; version: number; sourceDigest: string };
  eligibility: 'available' | 'unavailable' | 'unsupported';
  reason?: string & tags.MaxLength<500>;
  buildHash?: string;
  file?: { sourceDraftId: string; revision: Revision; path: string; digest: string; content: string };
  collections: {
    packageId: string;
    instanceId: string;
    namespace: string;
    schema: JsonObject;
    editable: boolean;
    reason?: string;
    recordCount: number;
    records: { rowId: string; value: JsonObject }[];
  }[] &
    tags.MaxItems<2048>;
}
export interface CliOrganizationList {
  schemaVersion: 1;
  organizations: { id: string; name: string }[];
  nextAfter?: string;
}
