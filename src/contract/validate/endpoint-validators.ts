// What arrives at each hosted endpoint, checked (route-validators.ts).
import typia from 'typia';
import type { ErrorEnvelope } from '../errors.js';
import type * as Authoring from '../hosted/authoring.js';
import type * as Cluster from '../hosted/cluster.js';
import type { EndpointId, Endpoints } from '../hosted/endpoints.js';
import type * as Operator from '../hosted/operator.js';
import type * as Organization from '../hosted/organization.js';
import { hostedRefinements } from '../hosted/refinements.js';
import type * as Resources from '../hosted/resources.js';
import type * as Runs from '../hosted/runs.js';
import type * as Sessions from '../hosted/sessions.js';
import type * as Source from '../hosted/source.js';
import { refinements } from './refinements.js';
import { bytes, type DescribedRoutes, fits, none, type RouteChecks, routeContract } from './route-validators.js';
import { wordings } from './validators.js';

/** The generated checks say `RegExp("...")` at every use, which would compile the pattern again; in this module that is a look-up. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: shadowing it is the point
const RegExp = wordings.patternOf;

// Those of several endpoints.
const emptyRequest = fits(() => typia.createEquals<Organization.EmptyRequest>());
const pageQuery = fits(() => typia.createEquals<Organization.PageQuery>());
const projectPath = fits(() => typia.createEquals<Organization.ProjectPath>());
const toolSetupPath = fits(() => typia.createEquals<Source.ToolSetupPath>());
const createToolSetupRequest = fits(() => typia.createEquals<Resources.CreateToolSetupRequest>());
const authoringSessionPath = fits(() => typia.createEquals<Authoring.AuthoringSessionPath>());
const proposalPath = fits(() => typia.createEquals<Authoring.ProposalPath>());
const sourceDraftPath = fits(() => typia.createEquals<Source.SourceDraftPath>());
const sourceRevisionPath = fits(() => typia.createEquals<Source.SourceRevisionPath>());
const datasetPath = fits(() => typia.createEquals<Source.DatasetPath>());
const archiveRequest = fits(() => typia.createEquals<Source.ArchiveRequest>());
const buildPath = fits(() => typia.createEquals<Source.BuildPath>());
const environmentPath = fits(() => typia.createEquals<Source.EnvironmentPath>());
const datasetUploadPath = fits(() => typia.createEquals<Source.DatasetUploadPath>());
const sessionPath = fits(() => typia.createEquals<Sessions.SessionPath>());
const runPath = fits(() => typia.createEquals<Runs.RunPath>());
const attachmentPath = fits(() => typia.createEquals<Runs.AttachmentPath>());
const evidencePath = fits(() => typia.createEquals<Runs.EvidencePath>());
const callbackReceiverPath = fits(() => typia.createEquals<Organization.CallbackReceiverPath>());
const changeCallbackReceiverRequest = fits(() => typia.createEquals<Organization.ChangeCallbackReceiverRequest>());
const auditEventsQuery = fits(() => typia.createEquals<Organization.AuditEventsQuery>());
const memberPath = fits(() => typia.createEquals<Organization.MemberPath>());
const updateMemberRequest = fits(() => typia.createEquals<Organization.UpdateMemberRequest>());
const confirmRequest = fits(() => typia.createEquals<Organization.ConfirmRequest>());
const organizationPath = fits(() => typia.createEquals<Operator.OrganizationPath>());
const organizationMemberPath = fits(() => typia.createEquals<Operator.OrganizationMemberPath>());
const clusterNodePath = fits(() => typia.createEquals<Cluster.ClusterNodePath>());
const operationPath = fits(() => typia.createEquals<Sessions.OperationPath>());

const checks: RouteChecks<Endpoints> = {
  exchangeIdentityToken: { path: none, query: none, body: fits(() => typia.createEquals<Organization.ExchangeRequest>()) },
  listCliOrganizations: { path: none, query: fits(() => typia.createEquals<Organization.OrganizationsQuery>()), body: none },
  getMe: { path: none, query: none, body: none },
  revokeAuthSession: { path: none, query: none, body: emptyRequest },

  createCredential: { path: none, query: none, body: fits(() => typia.createEquals<Organization.CreateCredentialRequest>()) },
  listCredentials: { path: none, query: pageQuery, body: none },
  revokeCredential: { path: fits(() => typia.createEquals<Organization.CredentialPath>()), query: none, body: confirmRequest },
  listMembers: { path: none, query: pageQuery, body: none },
  updateMember: { path: memberPath, query: none, body: updateMemberRequest },
  removeMember: { path: memberPath, query: none, body: confirmRequest },
  restoreMember: { path: memberPath, query: none, body: updateMemberRequest },
  getUsage: { path: none, query: fits(() => typia.createEquals<Organization.UsageQuery>()), body: none },
  listAuditEvents: { path: none, query: auditEventsQuery, body: none },

  createProject: { path: none, query: none, body: fits(() => typia.createEquals<Organization.CreateProjectRequest>()) },
  listProjects: { path: none, query: pageQuery, body: none },
  getProject: { path: projectPath, query: none, body: none },
  updateProject: { path: projectPath, query: none, body: fits(() => typia.createEquals<Organization.UpdateProjectRequest>()) },
  deleteProject: { path: projectPath, query: none, body: confirmRequest },
  createGrant: { path: projectPath, query: none, body: fits(() => typia.createEquals<Organization.CreateGrantRequest>()) },
  listGrants: { path: projectPath, query: pageQuery, body: none },
  deleteGrant: { path: projectPath, query: none, body: fits(() => typia.createEquals<Organization.DeleteGrantRequest>()) },

  listToolLibrary: { path: projectPath, query: pageQuery, body: none },
  getToolLibraryEntry: { path: fits(() => typia.createEquals<Source.ToolLibraryPath>()), query: none, body: none },
  validateToolSetup: { path: projectPath, query: none, body: createToolSetupRequest },
  createToolSetup: { path: projectPath, query: none, body: createToolSetupRequest },
  getToolSetup: { path: toolSetupPath, query: none, body: none },
  deleteToolSetup: { path: toolSetupPath, query: none, body: fits(() => typia.createEquals<Source.DeleteToolSetupRequest>()) },

  createAuthoringSession: {
    path: projectPath,
    query: none,
    body: fits(() => typia.createEquals<Authoring.CreateAuthoringSessionRequest>()),
  },
  listAuthoringSessions: { path: projectPath, query: fits(() => typia.createEquals<Authoring.AuthoringSessionsQuery>()), body: none },
  getAuthoringSession: { path: authoringSessionPath, query: none, body: none },
  createAuthoringTurn: { path: authoringSessionPath, query: none, body: fits(() => typia.createEquals<Authoring.CreateTurnRequest>()) },
  listAuthoringTurns: { path: authoringSessionPath, query: pageQuery, body: none },
  getAuthoringProposal: { path: proposalPath, query: none, body: none },
  publishAuthoringProposal: { path: proposalPath, query: none, body: fits(() => typia.createEquals<Authoring.PublishProposalRequest>()) },
  discardAuthoringSession: { path: authoringSessionPath, query: none, body: fits(() => typia.createEquals<Authoring.DiscardRequest>()) },

  createSourceDraft: { path: projectPath, query: none, body: fits(() => typia.createEquals<Source.CreateSourceDraftRequest>()) },
  listSourceDrafts: { path: projectPath, query: pageQuery, body: none },
  getSourceDraft: { path: sourceDraftPath, query: none, body: none },
  deleteSourceDraft: { path: sourceDraftPath, query: none, body: fits(() => typia.createEquals<Source.DeleteSourceDraftRequest>()) },
  createSourceRevision: { path: sourceDraftPath, query: none, body: fits(() => typia.createEquals<Source.CreateSourceRevisionRequest>()) },
  getSourceArchive: { path: sourceRevisionPath, query: none, body: none },
  getSourceDatasets: { path: sourceRevisionPath, query: none, body: none },
  putSourceDatasets: { path: sourceRevisionPath, query: none, body: fits(() => typia.createEquals<Source.PutSourceDatasetsRequest>()) },
  getSourceBaseline: { path: sourceDraftPath, query: none, body: none },
  createBuild: { path: sourceRevisionPath, query: none, body: fits(() => typia.createEquals<Source.CreateBuildRequest>()) },

  createDataset: { path: projectPath, query: none, body: fits(() => typia.createEquals<Source.CreateDatasetRequest>()) },
  createDatasetUpload: { path: projectPath, query: none, body: fits(() => typia.createEquals<Source.CreateDatasetUploadRequest>()) },
  putDatasetUploadContent: { path: datasetUploadPath, query: none, body: bytes },
  completeDatasetUpload: {
    path: datasetUploadPath,
    query: none,
    body: fits(() => typia.createEquals<Source.CompleteDatasetUploadRequest>()),
  },
  listDatasets: { path: projectPath, query: fits(() => typia.createEquals<Source.DatasetsQuery>()), body: none },
  getDataset: { path: datasetPath, query: none, body: none },
  createDatasetRevision: { path: datasetPath, query: none, body: fits(() => typia.createEquals<Source.CreateDatasetRevisionRequest>()) },
  getDatasetRevision: { path: fits(() => typia.createEquals<Source.DatasetRevisionPath>()), query: none, body: none },
  archiveDataset: { path: datasetPath, query: none, body: archiveRequest },

  listBuilds: { path: projectPath, query: pageQuery, body: none },
  getBuild: { path: buildPath, query: none, body: none },
  getBuildWorld: { path: buildPath, query: none, body: none },

  listQuarantines: { path: projectPath, query: pageQuery, body: none },
  releaseQuarantine: { path: buildPath, query: none, body: fits(() => typia.createEquals<Source.ReleaseQuarantineRequest>()) },

  createEnvironment: { path: projectPath, query: none, body: fits(() => typia.createEquals<Source.CreateEnvironmentRequest>()) },
  listEnvironments: { path: projectPath, query: pageQuery, body: none },
  getEnvironment: { path: environmentPath, query: none, body: none },
  promoteBuild: { path: environmentPath, query: none, body: fits(() => typia.createEquals<Source.PromoteRequest>()) },
  archiveEnvironment: { path: environmentPath, query: none, body: archiveRequest },

  createSession: { path: environmentPath, query: none, body: fits(() => typia.createEquals<Sessions.CreateSessionRequest>()) },
  listSessions: { path: projectPath, query: fits(() => typia.createEquals<Sessions.SessionsQuery>()), body: none },
  getSession: { path: sessionPath, query: none, body: none },
  destroySession: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.DestroySessionRequest>()) },
  getSessionRuntime: { path: sessionPath, query: none, body: none },
  listStateNamespaces: { path: sessionPath, query: fits(() => typia.createEquals<Sessions.NamespacesQuery>()), body: none },
  listState: { path: sessionPath, query: fits(() => typia.createEquals<Sessions.StateQuery>()), body: none },
  listEvidence: { path: sessionPath, query: fits(() => typia.createEquals<Sessions.EvidenceQuery>()), body: none },
  getPending: { path: sessionPath, query: none, body: none },
  getUnansweredRequests: { path: sessionPath, query: none, body: none },
  listSessionAccess: { path: sessionPath, query: none, body: none },
  revokeSessionAccess: { path: fits(() => typia.createEquals<Sessions.SessionAccessPath>()), query: none, body: confirmRequest },
  createSessionAccess: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.AccessRequest>()) },
  advanceTime: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.AdvanceRequest>()) },
  setFault: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.SetFaultRequest>()) },
  resetSession: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.ResetRequest>()) },
  createSnapshot: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.SnapshotRequest>()) },
  forkSession: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.ForkRequest>()) },
  extendSession: { path: sessionPath, query: none, body: fits(() => typia.createEquals<Sessions.ExtendRequest>()) },
  listSnapshots: { path: projectPath, query: fits(() => typia.createEquals<Sessions.SnapshotsQuery>()), body: none },
  getSnapshot: { path: fits(() => typia.createEquals<Sessions.SnapshotPath>()), query: none, body: none },
  deleteSnapshot: {
    path: fits(() => typia.createEquals<Sessions.SnapshotPath>()),
    query: none,
    body: fits(() => typia.createEquals<Sessions.DeleteSnapshotRequest>()),
  },

  startRun: {
    path: fits(() => typia.createEquals<Runs.StartRunPath>()),
    query: none,
    body: fits(() => typia.createEquals<Runs.StartRunRequest>()),
  },
  listRuns: { path: projectPath, query: fits(() => typia.createEquals<Runs.RunsQuery>()), body: none },
  getRun: { path: runPath, query: none, body: none },
  createRunAccess: { path: runPath, query: none, body: fits(() => typia.createEquals<Runs.RunAccessRequest>()) },
  completeInteraction: { path: runPath, query: none, body: fits(() => typia.createEquals<Runs.CompleteInteractionRequest>()) },
  cancelRun: { path: runPath, query: none, body: fits(() => typia.createEquals<Runs.CancelRunRequest>()) },
  rerun: { path: runPath, query: none, body: fits(() => typia.createEquals<Runs.RerunRequest>()) },
  listRunActivity: { path: runPath, query: pageQuery, body: none },
  compareRuns: { path: projectPath, query: fits(() => typia.createEquals<Runs.CompareQuery>()), body: none },
  beginAttachment: { path: runPath, query: none, body: fits(() => typia.createEquals<Runs.BeginAttachmentRequest>()) },
  putAttachmentContent: { path: attachmentPath, query: none, body: bytes },
  completeAttachment: { path: attachmentPath, query: none, body: emptyRequest },

  getEvidenceBundle: { path: evidencePath, query: none, body: none },
  getEvidenceManifest: { path: evidencePath, query: none, body: none },
  getEvidenceArtifact: { path: evidencePath, query: fits(() => typia.createEquals<Runs.ArtifactQuery>()), body: none },
  deleteEvidence: { path: evidencePath, query: none, body: fits(() => typia.createEquals<Runs.DeleteEvidenceRequest>()) },

  createCallbackReceiver: {
    path: projectPath,
    query: none,
    body: fits(() => typia.createEquals<Organization.CreateCallbackReceiverRequest>()),
  },
  listCallbackReceivers: { path: projectPath, query: pageQuery, body: none },
  approveCallbackReceiver: { path: callbackReceiverPath, query: none, body: changeCallbackReceiverRequest },
  revokeCallbackReceiver: { path: callbackReceiverPath, query: none, body: changeCallbackReceiverRequest },
  renewCallbackSecret: { path: callbackReceiverPath, query: none, body: changeCallbackReceiverRequest },

  getOperation: { path: operationPath, query: none, body: none },
  listOperations: { path: projectPath, query: fits(() => typia.createEquals<Sessions.OperationsQuery>()), body: none },
  cancelOperation: { path: operationPath, query: none, body: emptyRequest },

  createOrganization: { path: none, query: none, body: fits(() => typia.createEquals<Operator.CreateOrganizationRequest>()) },
  listOrganizations: { path: none, query: pageQuery, body: none },
  getOrganization: { path: organizationPath, query: none, body: none },
  updateOrganization: { path: organizationPath, query: none, body: fits(() => typia.createEquals<Operator.UpdateOrganizationRequest>()) },
  suspendOrganization: { path: organizationPath, query: none, body: fits(() => typia.createEquals<Operator.SuspendOrganizationRequest>()) },
  resumeOrganization: { path: organizationPath, query: none, body: emptyRequest },
  getOrganizationUsage: { path: organizationPath, query: none, body: none },
  listOrganizationMembers: { path: organizationPath, query: pageQuery, body: none },
  updateOrganizationMember: { path: organizationMemberPath, query: none, body: updateMemberRequest },
  removeOrganizationMember: { path: organizationMemberPath, query: none, body: confirmRequest },
  restoreOrganizationMember: { path: organizationMemberPath, query: none, body: updateMemberRequest },
  createOrganizationCredential: {
    path: organizationPath,
    query: none,
    body: fits(() => typia.createEquals<Operator.IssueCredentialRequest>()),
  },
  listOrganizationCredentials: { path: organizationPath, query: pageQuery, body: none },
  revokeOrganizationCredential: {
    path: fits(() => typia.createEquals<Operator.OrganizationCredentialPath>()),
    query: none,
    body: confirmRequest,
  },
  listOrganizationAuditEvents: { path: organizationPath, query: auditEventsQuery, body: none },
  getServerKey: { path: none, query: none, body: none },
  rotateServerKey: { path: none, query: none, body: fits(() => typia.createEquals<Operator.RotateKeyRequest>()) },
  startBackup: { path: none, query: none, body: fits(() => typia.createEquals<Operator.StartBackupRequest>()) },
  getBackup: { path: none, query: none, body: none },
  getCluster: { path: none, query: none, body: none },
  moveHomes: { path: none, query: none, body: fits(() => typia.createEquals<Cluster.MoveHomesRequest>()) },
  drainNode: { path: clusterNodePath, query: none, body: emptyRequest },
  undoDrainNode: { path: clusterNodePath, query: none, body: emptyRequest },
};

interface Everything {
  routes: DescribedRoutes<Endpoints>;
  error: ErrorEnvelope;
}
const { components } = typia.json.schemas<[Everything], '3.1'>();
export const endpointContract = routeContract<EndpointId>({
  schemas: components.schemas,
  checks,
  refinements: { ...refinements, ...hostedRefinements },
  patternOf: RegExp,
});
export const endpointValidators = endpointContract.validators;
