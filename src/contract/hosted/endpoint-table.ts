// Where each hosted endpoint lies, what it needs and how it succeeds: reading it is reading the API.
import { limits } from '../limits.js';
import type { RouteRule, RouteTable } from '../route-table.js';
import type { Authority } from '../world/authority.js';
import type { EndpointId } from './endpoints.js';

/** `authenticated`: any credential. `identity`: a token of the identity provider instead of one; `operator`: the operator's token. */
export type Needs = Authority | readonly Authority[] | 'authenticated' | 'identity' | 'operator';
/** `success` is of the first time; a replay of a 201 or 202 is 200, and so is a 201 of what was there already. */
export interface EndpointRule extends RouteRule<Needs> {
  /** It changes something, so an Idempotency-Key is required. */
  unsafe: boolean;
}
type Spot = { area: string; prefix: string };

const read = (spot: Spot, path: string, authority: Needs, summary: string): EndpointRule =>
  rule('GET', spot, path, authority, summary, 200);
const readLarge = (spot: Spot, path: string, authority: Needs, summary: string): EndpointRule => {
  return { ...read(spot, path, authority, summary), hasLargeReply: true };
};
const create = (spot: Spot, path: string, authority: Needs, summary: string): EndpointRule =>
  rule('POST', spot, path, authority, summary, 201);
const start = (spot: Spot, path: string, authority: Needs, summary: string): EndpointRule =>
  rule('POST', spot, path, authority, summary, 202);
const change = (spot: Spot, path: string, authority: Needs, summary: string): EndpointRule =>
  rule('POST', spot, path, authority, summary, 200);

function rule(
  method: EndpointRule['method'],
  spot: Spot,
  path: string,
  authority: Needs,
  summary: string,
  success: 200 | 201 | 202,
): EndpointRule {
  return { method, path: `/v1${spot.prefix}${path}`, area: spot.area, summary, authority, success, unsafe: method !== 'GET' };
}

const project = '/projects/{projectId}';
const auth: Spot = { area: 'auth', prefix: '' };
const organization: Spot = { area: 'organization', prefix: '' };
const projects: Spot = { area: 'projects', prefix: '/projects' };
const library: Spot = { area: 'tool library', prefix: `${project}/tool-library` };
const setups: Spot = { area: 'tool setups', prefix: `${project}/tool-setups` };
const authoring: Spot = { area: 'authoring', prefix: `${project}/authoring-sessions` };
const source: Spot = { area: 'source', prefix: `${project}/source-drafts` };
const datasets: Spot = { area: 'datasets', prefix: `${project}/datasets` };
const uploads: Spot = { area: 'datasets', prefix: `${project}/dataset-uploads` };
const builds: Spot = { area: 'builds', prefix: `${project}/builds` };
const quarantines: Spot = { area: 'builds', prefix: `${project}/quarantines` };
const environments: Spot = { area: 'environments', prefix: `${project}/environments` };
const sessions: Spot = { area: 'sessions', prefix: `${project}/sessions` };
const snapshots: Spot = { area: 'snapshots', prefix: `${project}/snapshots` };
const runs: Spot = { area: 'runs', prefix: `${project}/runs` };
const evidence: Spot = { area: 'evidence', prefix: `${project}/evidence` };
const callbacks: Spot = { area: 'callbacks', prefix: `${project}/callback-receivers` };
const operations: Spot = { area: 'operations', prefix: `${project}/operations` };
const tenants: Spot = { area: 'operator', prefix: '/operator/organizations' };
const backup: Spot = { area: 'operator', prefix: '/operator/backup' };
const cluster: Spot = { area: 'operator', prefix: '/operator/cluster' };
const serverKey: Spot = { area: 'operator', prefix: '/operator/key' };

const one = '/{sessionId}';
const draft = '/{sourceDraftId}';
const revision = `${draft}/revisions/{revision}`;
const conversation = '/{authoringSessionId}';
const run = '/{hostedRunId}';
const tenant = '/{organizationId}';
const tenantMember = `${tenant}/members/{userId}`;

export const endpointTable: RouteTable<EndpointId, EndpointRule> = {
  exchangeIdentityToken: create(auth, '/auth/cli/exchange', 'identity', 'Exchange an organization-scoped identity token for a credential'),
  listCliOrganizations: read(
    auth,
    '/auth/cli/organizations',
    'identity',
    'Organizations the verified subject is an active member of, by their ids',
  ),
  getMe: read(auth, '/me', 'authenticated', 'Who the credential is and what it may do'),
  revokeAuthSession: change(auth, '/auth/session/revoke', 'authenticated', 'Revoke the very credential of this request'),

  createCredential: create(organization, '/credentials', 'credential.manage', 'Create a control credential; its secret is shown once'),
  listCredentials: read(organization, '/credentials', 'credential.manage', 'Credentials of the organization, the oldest first'),
  revokeCredential: {
    ...change(organization, '/credentials/{credentialId}', 'credential.manage', 'Revoke a credential'),
    method: 'DELETE',
  },
  listMembers: read(organization, '/organization/members', 'organization.read', 'Members of the organization, by their ids'),
  updateMember: { ...change(organization, '/organization/members/{userId}', 'member.manage', "Change a member's role"), method: 'PATCH' },
  removeMember: { ...change(organization, '/organization/members/{userId}', 'member.manage', 'Remove a member'), method: 'DELETE' },
  restoreMember: change(organization, '/organization/members/{userId}/restore', 'member.manage', 'Take a removed member in again'),
  getUsage: read(organization, '/organization/usage', 'organization.read', 'What the organization uses of its quotas'),
  listAuditEvents: readLarge(organization, '/organization/audit-events', 'audit.read', 'Accepted changes or refusals, the newest first'),

  createProject: create(projects, '', 'project.manage', 'Create a project'),
  listProjects: read(projects, '', 'authenticated', 'Projects the credential may read, the oldest first'),
  getProject: read(projects, '/{projectId}', 'project.read', 'One project'),
  updateProject: { ...change(projects, '/{projectId}', 'project.manage', 'Rename a project'), method: 'PATCH' },
  deleteProject: {
    ...start(projects, '/{projectId}', 'project.manage', 'Delete a project with everything in it'),
    method: 'DELETE',
  },
  createGrant: create(projects, '/{projectId}/grants', 'grant.manage', 'Give a credential or user a role in the project'),
  listGrants: read(projects, '/{projectId}/grants', 'project.read', 'Grants of the project, the oldest first'),
  deleteGrant: { ...change(projects, '/{projectId}/grants', 'grant.manage', 'Take a grant back'), method: 'DELETE' },

  listToolLibrary: read(library, '', 'tool.read', 'Tool packages that ship with the service, by their ids'),
  getToolLibraryEntry: read(library, '/{libraryEntryId}', 'tool.read', 'One tool package with its manifest'),
  validateToolSetup: {
    ...change(setups, '/validate', ['tool.publish', 'build.publish'], 'Check a tool setup request and fill in its defaults'),
    unsafe: false,
  },
  createToolSetup: create(setups, '', ['tool.publish', 'build.publish'], 'Create a setup with its source draft and build'),
  getToolSetup: read(setups, '/{setupId}', 'tool.read', 'One tool setup'),
  deleteToolSetup: {
    ...change(setups, '/{setupId}', ['tool.publish', 'build.publish'], 'Delete a tool setup; its draft and build stay'),
    method: 'DELETE',
  },

  createAuthoringSession: create(authoring, '', 'authoring.run', 'Begin a conversation that authors source'),
  listAuthoringSessions: read(authoring, '', 'authoring.read', 'Authoring conversations, the newest first'),
  getAuthoringSession: read(authoring, conversation, 'authoring.read', 'One authoring conversation'),
  createAuthoringTurn: start(authoring, `${conversation}/turns`, 'authoring.run', 'Say something to the author'),
  listAuthoringTurns: readLarge(authoring, `${conversation}/turns`, 'authoring.read', 'Turns of a conversation, the oldest first'),
  getAuthoringProposal: readLarge(authoring, `${conversation}/proposals/{proposalId}`, 'authoring.read', 'What a turn proposes, compiled'),
  publishAuthoringProposal: create(
    authoring,
    `${conversation}/proposals/{proposalId}/publish`,
    'authoring.publish',
    'Make a proposal the next revision of a source draft',
  ),
  discardAuthoringSession: change(authoring, `${conversation}/discard`, 'authoring.run', 'Discard an inactive conversation'),

  createSourceDraft: create(source, '', 'build.publish', 'Create a source draft with its first revision'),
  listSourceDrafts: read(source, '', 'source.read', 'Source drafts, the oldest first'),
  getSourceDraft: read(source, draft, 'source.read', 'One source draft'),
  deleteSourceDraft: { ...change(source, draft, 'build.publish', 'Delete a source draft'), method: 'DELETE' },
  createSourceRevision: create(
    source,
    `${draft}/revisions`,
    'build.publish',
    'Add an immutable revision: whole files, or changes on the last one',
  ),
  getSourceArchive: {
    ...readLarge(source, `${revision}/source`, 'source.read', 'The files of a revision as tar.gz'),
    media: 'application/gzip',
  },
  getSourceDatasets: readLarge(source, `${revision}/datasets`, 'source.read', 'Data choices of a source version'),
  putSourceDatasets: {
    ...change(source, `${revision}/datasets`, ['build.publish', 'dataset.read'], 'Choose the data of a source version, once'),
    method: 'PUT',
    success: 201,
  },
  getSourceBaseline: readLarge(source, `${draft}/baseline`, 'source.read', 'The starting rows of the current revision'),
  createBuild: start(source, `${revision}/builds`, 'build.publish', 'Compile a revision'),

  createDataset: create(datasets, '', 'dataset.write', 'Create a dataset with its first revision'),
  createDatasetUpload: create(uploads, '', 'dataset.write', 'Announce rows that do not fit a body'),
  putDatasetUploadContent: {
    ...change(uploads, '/{uploadId}/content', 'dataset.write', 'Send the rows, as JSON'),
    method: 'PUT',
    bodyBytesMax: limits.datasetUploadBytesMax,
  },
  completeDatasetUpload: create(
    uploads,
    '/{uploadId}/complete',
    'dataset.write',
    'Check the rows, and make them a dataset or a revision of one',
  ),
  listDatasets: read(datasets, '', 'dataset.read', 'Datasets, the oldest first'),
  getDataset: read(datasets, '/{datasetId}', 'dataset.read', 'One dataset'),
  createDatasetRevision: create(datasets, '/{datasetId}/revisions', 'dataset.write', 'Add an immutable revision'),
  getDatasetRevision: readLarge(datasets, '/{datasetId}/revisions/{revision}', 'dataset.read', 'One revision with its rows'),
  archiveDataset: change(datasets, '/{datasetId}/archive', 'dataset.write', 'Archive a dataset'),

  listBuilds: readLarge(builds, '', 'build.read', 'Builds of the project, the newest first'),
  getBuild: read(builds, '/{buildHash}', 'build.read', 'One build'),
  getBuildWorld: readLarge(builds, '/{buildHash}/world', 'build.read', 'The compiled project view of a build'),

  listQuarantines: read(
    quarantines,
    '',
    'build.read',
    'Builds whose worlds were closed for what their tool code did to its hosts, the last closed first',
  ),
  releaseQuarantine: change(quarantines, '/{buildHash}/release', 'environment.manage', 'Open the worlds of a quarantined build again'),

  createEnvironment: create(environments, '', 'environment.manage', 'Create an environment'),
  listEnvironments: read(environments, '', 'environment.read', 'Environments, the oldest first'),
  getEnvironment: read(environments, '/{environmentId}', 'environment.read', 'One environment'),
  promoteBuild: change(environments, '/{environmentId}/promote', 'environment.manage', 'Make a build the one new sessions get'),
  archiveEnvironment: change(environments, '/{environmentId}/archive', 'environment.manage', 'Archive an environment'),

  createSession: { ...start(environments, '/{environmentId}/sessions', 'session.create', 'Create a world session'), area: 'sessions' },
  listSessions: read(sessions, '', 'session.read', 'World sessions, the newest first'),
  getSession: read(sessions, one, 'session.read', 'One world session'),
  destroySession: { ...start(sessions, one, 'session.destroy', 'Destroy a session and its world'), method: 'DELETE' },
  getSessionRuntime: read(sessions, `${one}/runtime`, 'session.read', 'The atomic position of a ready session'),
  listStateNamespaces: readLarge(
    sessions,
    `${one}/state-namespaces`,
    'session.read',
    'Where the world has rows, in the order of its tools',
  ),
  listState: readLarge(sessions, `${one}/state`, 'session.read', 'Rows of one namespace by their ids, now or at an evidence sequence'),
  listEvidence: readLarge(sessions, `${one}/evidence`, 'session.read', 'A page of the evidence journal, in its order'),
  getPending: readLarge(sessions, `${one}/pending`, 'session.read', 'Scheduled events, callbacks that wait, and the advance that runs'),
  getUnansweredRequests: read(
    sessions,
    `${one}/unanswered-requests`,
    'session.read',
    'What clients asked of the world and no route answered',
  ),
  listSessionAccess: read(
    sessions,
    `${one}/access`,
    'session.read',
    'Accesses of a session that are valid, the oldest first, without their credentials',
  ),
  revokeSessionAccess: { ...change(sessions, `${one}/access/{accessId}`, 'session.control', 'Revoke an access'), method: 'DELETE' },
  createSessionAccess: create(sessions, `${one}/access`, 'session.control', 'Issue a world credential for one actor'),
  advanceTime: start(sessions, `${one}/advance`, 'session.control', 'Advance virtual time'),
  setFault: start(sessions, `${one}/faults`, 'session.control', 'Switch a fault on or off'),
  resetSession: start(sessions, `${one}/reset`, 'session.control', 'Reset the world, whole or by packages, or to a snapshot'),
  createSnapshot: start(sessions, `${one}/snapshots`, 'session.control', 'Take a snapshot'),
  forkSession: start(
    sessions,
    `${one}/forks`,
    ['session.create', 'session.control'],
    'Fork a session from now, a snapshot or an evidence sequence',
  ),
  extendSession: change(sessions, `${one}/extend`, 'session.control', 'Move the expiry of a session'),
  listSnapshots: read(snapshots, '', 'snapshot.read', 'Snapshots, the newest first'),
  getSnapshot: read(snapshots, '/{hostedSnapshotId}', 'snapshot.read', 'One snapshot'),
  deleteSnapshot: { ...start(snapshots, '/{hostedSnapshotId}', 'session.control', 'Delete a snapshot'), method: 'DELETE' },

  startRun: {
    ...start(environments, '/{environmentId}/sessions/{sessionId}/runs', 'drill.run', 'Start a drill run in a session'),
    area: 'runs',
  },
  listRuns: readLarge(runs, '', 'run.read', 'Hosted runs, the newest first'),
  getRun: readLarge(runs, run, 'run.read', 'One hosted run'),
  createRunAccess: create(runs, `${run}/access`, 'drill.run', 'Issue a world credential for the pending interaction'),
  completeInteraction: {
    ...change(runs, `${run}/interactions/complete`, 'drill.run', 'Hand in the result of the pending interaction'),
    bodyBytesMax: limits.interactionResultBytesMax,
    bodyLevelsMax: limits.completionDepthMax,
  },
  cancelRun: change(runs, `${run}/cancel`, 'run.cancel', 'Cancel a run'),
  rerun: start(runs, `${run}/reruns`, 'drill.run', 'Run the same drill again in a session of its own'),
  listRunActivity: readLarge(runs, `${run}/activity`, 'run.read', 'What happened to a run, the oldest first'),
  compareRuns: readLarge({ area: 'runs', prefix: `${project}/run-comparisons` }, '', 'run.read', 'Compare two sealed runs'),
  beginAttachment: create(runs, `${run}/attachments`, 'drill.run', 'Announce an attachment'),
  putAttachmentContent: {
    ...change(runs, `${run}/attachments/{attachmentId}/content`, 'drill.run', 'Send its bytes'),
    method: 'PUT',
    bodyBytesMax: limits.attachmentBytesMax,
  },
  completeAttachment: change(runs, `${run}/attachments/{attachmentId}/complete`, 'drill.run', 'Make it part of the run'),

  getEvidenceBundle: read(evidence, '/{evidenceBundleId}', 'evidence.read', 'One evidence bundle'),
  getEvidenceManifest: readLarge(evidence, '/{evidenceBundleId}/manifest', 'evidence.read', 'Its files and their digests'),
  getEvidenceArtifact: {
    ...read(evidence, '/{evidenceBundleId}/artifacts', 'evidence.read', 'The bytes of one file'),
    media: 'application/octet-stream',
  },
  deleteEvidence: { ...change(evidence, '/{evidenceBundleId}', 'evidence.delete', 'Delete a bundle'), method: 'DELETE' },

  createCallbackReceiver: create(callbacks, '', 'callback.manage', 'Register a receiver; it must be approved before use'),
  listCallbackReceivers: read(callbacks, '', 'callback.read', 'Callback receivers, the oldest first'),
  approveCallbackReceiver: change(callbacks, '/{callbackReceiverBindingId}/approve', 'callback.manage', 'Approve a receiver'),
  revokeCallbackReceiver: change(callbacks, '/{callbackReceiverBindingId}/revoke', 'callback.manage', 'Revoke a receiver'),
  renewCallbackSecret: change(
    callbacks,
    '/{callbackReceiverBindingId}/secret',
    'callback.manage',
    'Show the signing secret again, of the present server key',
  ),

  getOperation: read(operations, '/{operationId}', 'operation.read', 'One operation'),
  listOperations: readLarge(operations, '', 'operation.read', 'Operations, the newest first'),
  cancelOperation: change(operations, '/{operationId}/cancel', 'session.control', 'Ask a pending or running operation to stop'),

  createOrganization: create(tenants, '', 'operator', 'Create an organization'),
  listOrganizations: read(tenants, '', 'operator', 'Organizations of the service, the oldest first'),
  getOrganization: read(tenants, tenant, 'operator', 'One organization, with the limits in force'),
  updateOrganization: { ...change(tenants, tenant, 'operator', 'Rename an organization, or change its quotas and rates'), method: 'PATCH' },
  suspendOrganization: change(tenants, `${tenant}/suspend`, 'operator', 'Suspend an organization: its credentials and worlds are refused'),
  resumeOrganization: change(tenants, `${tenant}/resume`, 'operator', 'End the suspension of an organization'),
  getOrganizationUsage: read(tenants, `${tenant}/usage`, 'operator', 'What an organization uses of its quotas'),
  listOrganizationMembers: read(tenants, `${tenant}/members`, 'operator', 'Members of an organization, by their ids'),
  updateOrganizationMember: { ...change(tenants, tenantMember, 'operator', "Change a member's role"), method: 'PATCH' },
  removeOrganizationMember: { ...change(tenants, tenantMember, 'operator', 'Remove a member'), method: 'DELETE' },
  restoreOrganizationMember: change(tenants, `${tenantMember}/restore`, 'operator', 'Take a removed member in again'),
  createOrganizationCredential: create(tenants, `${tenant}/credentials`, 'operator', 'Issue a credential, such as the first of a manager'),
  listOrganizationCredentials: read(tenants, `${tenant}/credentials`, 'operator', 'Credentials of an organization, the oldest first'),
  revokeOrganizationCredential: {
    ...change(tenants, `${tenant}/credentials/{credentialId}`, 'operator', 'Revoke a credential'),
    method: 'DELETE',
  },
  listOrganizationAuditEvents: readLarge(tenants, `${tenant}/audit-events`, 'operator', 'Accepted changes or refusals, the newest first'),
  getServerKey: read(serverKey, '', 'operator', 'The generations of the server key'),
  rotateServerKey: change(serverKey, '/rotate', 'operator', 'Make a new generation of the server key'),
  startBackup: start(backup, '', 'operator', 'Copy the data directory while the service works'),
  getBackup: read(backup, '', 'operator', 'The backup that is being made, or the last one since the service started'),
  getCluster: read(cluster, '', 'operator', 'Nodes, homes and log of several machines, as the node that is asked sees them'),
  moveHomes: change(cluster, '/move-homes', 'operator', 'Want homes on a node whose copies are warm, or where their rank says'),
  drainNode: change(cluster, '/nodes/{node}/drain', 'operator', 'Have a node give its homes away, and take none until it ends'),
  undoDrainNode: change(cluster, '/nodes/{node}/undo-drain', 'operator', 'Let a drained node have homes again'),
};
