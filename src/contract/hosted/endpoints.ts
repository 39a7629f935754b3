// What each hosted endpoint takes and gives, by its id: the one place where the server, the client and the documentation get their types.
// endpoint-table.ts says where it lies and what it needs; endpoint-validators.ts checks what arrives.
import type { RouteParts as Shape } from '../route-table.js';
import type * as Authoring from './authoring.js';
import type * as Cluster from './cluster.js';
import type * as Operator from './operator.js';
import type * as Organization from './organization.js';
import type * as Resources from './resources.js';
import type * as Runs from './runs.js';
import type * as Sessions from './sessions.js';
import type * as Source from './source.js';

type None = undefined;
type Page = Organization.PageQuery;
type Project = Organization.ProjectPath;
type Session = Sessions.SessionPath;

export interface Endpoints {
  exchangeIdentityToken: Shape<None, None, Organization.ExchangeRequest, Organization.CreateCredentialReply>;
  listCliOrganizations: Shape<None, Organization.OrganizationsQuery, None, Resources.CliOrganizationList>;
  getMe: Shape<None, None, None, Organization.Me>;
  revokeAuthSession: Shape<None, None, Organization.EmptyRequest, Organization.CredentialReply>;

  createCredential: Shape<None, None, Organization.CreateCredentialRequest, Organization.CreateCredentialReply>;
  listCredentials: Shape<None, Page, None, Organization.CredentialList>;
  revokeCredential: Shape<Organization.CredentialPath, None, Organization.ConfirmRequest, Organization.CredentialReply>;
  listMembers: Shape<None, Page, None, Organization.MemberList>;
  updateMember: Shape<Organization.MemberPath, None, Organization.UpdateMemberRequest, Organization.MemberReply>;
  removeMember: Shape<Organization.MemberPath, None, Organization.ConfirmRequest, Organization.MemberReply>;
  restoreMember: Shape<Organization.MemberPath, None, Organization.UpdateMemberRequest, Organization.MemberReply>;
  getUsage: Shape<None, Organization.UsageQuery, None, Operator.UsageReply>;
  listAuditEvents: Shape<None, Organization.AuditEventsQuery, None, Organization.AuditEventList>;

  createProject: Shape<None, None, Organization.CreateProjectRequest, Organization.ProjectReply>;
  listProjects: Shape<None, Page, None, Organization.ProjectList>;
  getProject: Shape<Project, None, None, Organization.ProjectReply>;
  updateProject: Shape<Project, None, Organization.UpdateProjectRequest, Organization.ProjectReply>;
  deleteProject: Shape<Project, None, Organization.ConfirmRequest, Organization.ProjectOperationReply>;
  createGrant: Shape<Project, None, Organization.CreateGrantRequest, Organization.GrantReply>;
  listGrants: Shape<Project, Page, None, Organization.GrantList>;
  deleteGrant: Shape<Project, None, Organization.DeleteGrantRequest, Organization.GrantReply>;

  listToolLibrary: Shape<Project, Page, None, Source.ToolLibraryList>;
  getToolLibraryEntry: Shape<Source.ToolLibraryPath, None, None, Source.ToolLibraryEntryReply>;
  validateToolSetup: Shape<Project, None, Resources.CreateToolSetupRequest, Source.ValidateToolSetupReply>;
  createToolSetup: Shape<Project, None, Resources.CreateToolSetupRequest, Source.CreateToolSetupReply>;
  getToolSetup: Shape<Source.ToolSetupPath, None, None, Source.ToolSetupReply>;
  deleteToolSetup: Shape<Source.ToolSetupPath, None, Source.DeleteToolSetupRequest, Source.ToolSetupReply>;

  createAuthoringSession: Shape<Project, None, Authoring.CreateAuthoringSessionRequest, Authoring.AuthoringSessionReply>;
  listAuthoringSessions: Shape<Project, Authoring.AuthoringSessionsQuery, None, Resources.AuthoringSessionList>;
  getAuthoringSession: Shape<Authoring.AuthoringSessionPath, None, None, Authoring.AuthoringSessionReply>;
  createAuthoringTurn: Shape<Authoring.AuthoringSessionPath, None, Authoring.CreateTurnRequest, Authoring.TurnReply>;
  listAuthoringTurns: Shape<Authoring.AuthoringSessionPath, Page, None, Authoring.TurnList>;
  getAuthoringProposal: Shape<Authoring.ProposalPath, None, None, Authoring.ProposalReply>;
  publishAuthoringProposal: Shape<Authoring.ProposalPath, None, Authoring.PublishProposalRequest, Authoring.PublishProposalReply>;
  discardAuthoringSession: Shape<Authoring.AuthoringSessionPath, None, Authoring.DiscardRequest, Authoring.AuthoringSessionReply>;

  createSourceDraft: Shape<Project, None, Source.CreateSourceDraftRequest, Source.SourceRevisionReply>;
  listSourceDrafts: Shape<Project, Page, None, Source.SourceDraftList>;
  getSourceDraft: Shape<Source.SourceDraftPath, None, None, Source.SourceDraftReply>;
  deleteSourceDraft: Shape<Source.SourceDraftPath, None, Source.DeleteSourceDraftRequest, Source.SourceDraftReply>;
  createSourceRevision: Shape<Source.SourceDraftPath, None, Source.CreateSourceRevisionRequest, Source.SourceRevisionReply>;
  getSourceArchive: Shape<Source.SourceRevisionPath, None, None, Uint8Array>;
  getSourceDatasets: Shape<Source.SourceRevisionPath, None, None, Resources.SourceDataChoices>;
  putSourceDatasets: Shape<Source.SourceRevisionPath, None, Source.PutSourceDatasetsRequest, Resources.SourceDataChoices>;
  getSourceBaseline: Shape<Source.SourceDraftPath, None, None, Resources.SourceBaseline>;
  createBuild: Shape<Source.SourceRevisionPath, None, Source.CreateBuildRequest, Source.CreateBuildReply>;

  createDataset: Shape<Project, None, Source.CreateDatasetRequest, Resources.DatasetRevisionView>;
  createDatasetUpload: Shape<Project, None, Source.CreateDatasetUploadRequest, Source.DatasetUploadReply>;
  putDatasetUploadContent: Shape<Source.DatasetUploadPath, None, Uint8Array, Source.DatasetUploadReply>;
  completeDatasetUpload: Shape<Source.DatasetUploadPath, None, Source.CompleteDatasetUploadRequest, Source.CompleteDatasetUploadReply>;
  listDatasets: Shape<Project, Source.DatasetsQuery, None, Source.DatasetList>;
  getDataset: Shape<Source.DatasetPath, None, None, Source.DatasetReply>;
  createDatasetRevision: Shape<Source.DatasetPath, None, Source.CreateDatasetRevisionRequest, Resources.DatasetRevisionView>;
  getDatasetRevision: Shape<Source.DatasetRevisionPath, None, None, Resources.DatasetRevisionView>;
  archiveDataset: Shape<Source.DatasetPath, None, Source.ArchiveRequest, Source.DatasetReply>;

  listBuilds: Shape<Project, Page, None, Source.BuildList>;
  getBuild: Shape<Source.BuildPath, None, None, Source.BuildReply>;
  getBuildWorld: Shape<Source.BuildPath, None, None, Source.BuildWorldReply>;

  listQuarantines: Shape<Project, Page, None, Source.QuarantineList>;
  releaseQuarantine: Shape<Source.BuildPath, None, Source.ReleaseQuarantineRequest, Source.QuarantineReply>;

  createEnvironment: Shape<Project, None, Source.CreateEnvironmentRequest, Source.EnvironmentReply>;
  listEnvironments: Shape<Project, Page, None, Source.EnvironmentList>;
  getEnvironment: Shape<Source.EnvironmentPath, None, None, Source.EnvironmentReply>;
  promoteBuild: Shape<Source.EnvironmentPath, None, Source.PromoteRequest, Source.EnvironmentReply>;
  archiveEnvironment: Shape<Source.EnvironmentPath, None, Source.ArchiveRequest, Source.EnvironmentReply>;

  createSession: Shape<Source.EnvironmentPath, None, Sessions.CreateSessionRequest, Sessions.SessionOperationReply>;
  listSessions: Shape<Project, Sessions.SessionsQuery, None, Sessions.SessionList>;
  getSession: Shape<Session, None, None, Sessions.SessionReply>;
  destroySession: Shape<Session, None, Sessions.DestroySessionRequest, Sessions.SessionOperationReply>;
  getSessionRuntime: Shape<Session, None, None, Resources.WorldSessionRuntime>;
  listStateNamespaces: Shape<Session, Sessions.NamespacesQuery, None, Sessions.NamespacesReply>;
  listState: Shape<Session, Sessions.StateQuery, None, Sessions.StateReply>;
  listEvidence: Shape<Session, Sessions.EvidenceQuery, None, Sessions.EvidenceReply>;
  getPending: Shape<Session, None, None, Sessions.PendingReply>;
  getUnansweredRequests: Shape<Session, None, None, Sessions.UnansweredRequestsReply>;
  listSessionAccess: Shape<Session, None, None, Sessions.SessionAccessList>;
  revokeSessionAccess: Shape<Sessions.SessionAccessPath, None, Organization.ConfirmRequest, Sessions.SessionAccessReply>;
  createSessionAccess: Shape<Session, None, Sessions.AccessRequest, Sessions.AccessReply>;
  advanceTime: Shape<Session, None, Sessions.AdvanceRequest, Sessions.SessionOperationReply>;
  setFault: Shape<Session, None, Sessions.SetFaultRequest, Sessions.SessionOperationReply>;
  resetSession: Shape<Session, None, Sessions.ResetRequest, Sessions.SessionOperationReply>;
  createSnapshot: Shape<Session, None, Sessions.SnapshotRequest, Sessions.SnapshotOperationReply>;
  forkSession: Shape<Session, None, Sessions.ForkRequest, Sessions.SessionOperationReply>;
  extendSession: Shape<Session, None, Sessions.ExtendRequest, Sessions.SessionReply>;
  listSnapshots: Shape<Project, Sessions.SnapshotsQuery, None, Sessions.SnapshotList>;
  getSnapshot: Shape<Sessions.SnapshotPath, None, None, Sessions.SnapshotReply>;
  deleteSnapshot: Shape<Sessions.SnapshotPath, None, Sessions.DeleteSnapshotRequest, Sessions.SnapshotOperationReply>;

  startRun: Shape<Runs.StartRunPath, None, Runs.StartRunRequest, Runs.RunOperationReply>;
  listRuns: Shape<Project, Runs.RunsQuery, None, Runs.RunList>;
  getRun: Shape<Runs.RunPath, None, None, Runs.RunReply>;
  createRunAccess: Shape<Runs.RunPath, None, Runs.RunAccessRequest, Runs.RunAccessReply>;
  completeInteraction: Shape<Runs.RunPath, None, Runs.CompleteInteractionRequest, Runs.RunReply>;
  cancelRun: Shape<Runs.RunPath, None, Runs.CancelRunRequest, Runs.RunReply>;
  rerun: Shape<Runs.RunPath, None, Runs.RerunRequest, Runs.RunOperationReply>;
  listRunActivity: Shape<Runs.RunPath, Page, None, Runs.RunActivityList>;
  compareRuns: Shape<Project, Runs.CompareQuery, None, Runs.RunComparisonReply>;
  beginAttachment: Shape<Runs.RunPath, None, Runs.BeginAttachmentRequest, Runs.AttachmentReply>;
  putAttachmentContent: Shape<Runs.AttachmentPath, None, Uint8Array, Runs.AttachmentReply>;
  completeAttachment: Shape<Runs.AttachmentPath, None, Organization.EmptyRequest, Runs.CompleteAttachmentReply>;

  getEvidenceBundle: Shape<Runs.EvidencePath, None, None, Runs.EvidenceBundleReply>;
  getEvidenceManifest: Shape<Runs.EvidencePath, None, None, Runs.EvidenceManifestReply>;
  getEvidenceArtifact: Shape<Runs.EvidencePath, Runs.ArtifactQuery, None, Uint8Array>;
  deleteEvidence: Shape<Runs.EvidencePath, None, Runs.DeleteEvidenceRequest, Runs.EvidenceBundleReply>;

  createCallbackReceiver: Shape<Project, None, Organization.CreateCallbackReceiverRequest, Organization.CreateCallbackReceiverReply>;
  listCallbackReceivers: Shape<Project, Page, None, Organization.CallbackReceiverList>;
  approveCallbackReceiver: Shape<
    Organization.CallbackReceiverPath,
    None,
    Organization.ChangeCallbackReceiverRequest,
    Organization.CallbackReceiverReply
  >;
  revokeCallbackReceiver: Shape<
    Organization.CallbackReceiverPath,
    None,
    Organization.ChangeCallbackReceiverRequest,
    Organization.CallbackReceiverReply
  >;
  renewCallbackSecret: Shape<
    Organization.CallbackReceiverPath,
    None,
    Organization.ChangeCallbackReceiverRequest,
    Organization.CreateCallbackReceiverReply
  >;

  getOperation: Shape<Sessions.OperationPath, None, None, Sessions.OperationReply>;
  listOperations: Shape<Project, Sessions.OperationsQuery, None, Sessions.OperationList>;
  cancelOperation: Shape<Sessions.OperationPath, None, Organization.EmptyRequest, Sessions.OperationReply>;

  createOrganization: Shape<None, None, Operator.CreateOrganizationRequest, Operator.OrganizationReply>;
  listOrganizations: Shape<None, Page, None, Operator.OrganizationList>;
  getOrganization: Shape<Operator.OrganizationPath, None, None, Operator.OrganizationReply>;
  updateOrganization: Shape<Operator.OrganizationPath, None, Operator.UpdateOrganizationRequest, Operator.OrganizationReply>;
  suspendOrganization: Shape<Operator.OrganizationPath, None, Operator.SuspendOrganizationRequest, Operator.OrganizationReply>;
  resumeOrganization: Shape<Operator.OrganizationPath, None, Organization.EmptyRequest, Operator.OrganizationReply>;
  getOrganizationUsage: Shape<Operator.OrganizationPath, None, None, Operator.UsageReply>;
  listOrganizationMembers: Shape<Operator.OrganizationPath, Page, None, Organization.MemberList>;
  updateOrganizationMember: Shape<Operator.OrganizationMemberPath, None, Organization.UpdateMemberRequest, Organization.MemberReply>;
  removeOrganizationMember: Shape<Operator.OrganizationMemberPath, None, Organization.ConfirmRequest, Organization.MemberReply>;
  restoreOrganizationMember: Shape<Operator.OrganizationMemberPath, None, Organization.UpdateMemberRequest, Organization.MemberReply>;
  createOrganizationCredential: Shape<Operator.OrganizationPath, None, Operator.IssueCredentialRequest, Organization.CreateCredentialReply>;
  listOrganizationCredentials: Shape<Operator.OrganizationPath, Page, None, Organization.CredentialList>;
  revokeOrganizationCredential: Shape<Operator.OrganizationCredentialPath, None, Organization.ConfirmRequest, Organization.CredentialReply>;
  listOrganizationAuditEvents: Shape<Operator.OrganizationPath, Organization.AuditEventsQuery, None, Organization.AuditEventList>;
  getServerKey: Shape<None, None, None, Operator.ServerKeyReply>;
  rotateServerKey: Shape<None, None, Operator.RotateKeyRequest, Operator.ServerKeyReply>;
  startBackup: Shape<None, None, Operator.StartBackupRequest, Operator.BackupReply>;
  getBackup: Shape<None, None, None, Operator.LatestBackupReply>;
  getCluster: Shape<None, None, None, Cluster.ClusterReply>;
  moveHomes: Shape<None, None, Cluster.MoveHomesRequest, Cluster.MoveHomesReply>;
  drainNode: Shape<Cluster.ClusterNodePath, None, Organization.EmptyRequest, Cluster.DrainNodeReply>;
  undoDrainNode: Shape<Cluster.ClusterNodePath, None, Organization.EmptyRequest, Cluster.DrainNodeReply>;
}
export type EndpointId = keyof Endpoints;
export type EndpointInput<Id extends EndpointId> = Pick<Endpoints[Id], 'path' | 'query' | 'body'>;
export type EndpointReply<Id extends EndpointId> = Endpoints[Id]['reply'];
