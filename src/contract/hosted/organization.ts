// Who may do what, hosted: organizations, members, credentials, projects, grants, callback receivers, the audit trail.
import type { Cursor, EpochMs, PageSize, ProjectId, Slug, Version } from '../primitives.js';
import type { tags } from '../tags.js';
import type { Authority, Role } from '../world/authority.js';
import type { LongRunningOperation } from './operation.js';

export type OrganizationId = string & tags.Pattern<'^org_[0-9a-z]{12,32}$'>;
export type CredentialId = string & tags.Pattern<'^cred_[0-9a-z]{12,32}$'>;
export type UserId = string & tags.Pattern<'^usr_[0-9a-z]{12,32}$'>;
export type GrantId = string & tags.Pattern<'^grant_[0-9a-z]{12,32}$'>;
export type CallbackReceiverId = string & tags.Pattern<'^cbr_[0-9a-z]{12,32}$'>;

export interface PageQuery {
  cursor?: Cursor;
  limit?: PageSize;
}

/** An opaque control credential. The secret is random and shown once, when it is made; only its hash is kept. */
export interface Credential {
  schemaVersion: 1;
  credentialId: string;
  organizationId: string;
  name: string;
  /** The first characters of the secret, to know it by. */
  prefix: string;
  /**
   * What it may do in every project of the organization; null: only what grants give it. Never more than the present role of the member it
   * belongs to or was made by.
   */
  role: Role | null;
  /** Absent for one that no person stands behind. */
  userId?: string;
  createdBy: string;
  createdAtMs: EpochMs;
  expiresAtMs?: EpochMs;
  revokedAtMs?: EpochMs;
  lastUsedAtMs?: EpochMs;
}
export interface CreateCredentialRequest {
  name: string & tags.MinLength<1> & tags.MaxLength<100>;
  role: Role | null;
  /** Default: it does not expire. At most ten years. */
  ttlMs?: number & tags.Type<'int64'> & tags.Minimum<1000> & tags.Maximum<315360000000>;
}
export interface CredentialPath {
  credentialId: CredentialId;
}
export interface CreateCredentialReply {
  credential: Credential;
  /** The bearer token. Shown once: a replay of the request has none, and who lost it revokes the credential and makes another. */
  secret?: string;
}
export interface CredentialReply {
  credential: Credential;
}
export interface CredentialList {
  items: Credential[];
  nextCursor?: string;
}

/** Body of POST auth/cli/exchange; the identity provider's organization-scoped token is the bearer. */
export interface ExchangeRequest {
  name?: string & tags.MinLength<1> & tags.MaxLength<100>;
  ttlMs?: number & tags.Type<'int64'> & tags.Minimum<1000> & tags.Maximum<2592000000>;
}
export interface OrganizationsQuery {
  after?: string & tags.MinLength<1> & tags.MaxLength<255>;
}
/** The body of a change that needs no more words than its path. */
// biome-ignore lint/suspicious/noEmptyInterface: it has no members, and a name that schemas show
export interface EmptyRequest {}

export interface Me {
  schemaVersion: 1;
  organization: { organizationId: string; name: string };
  credential: Credential;
  /** In every project of the organization. */
  authorities: Authority[];
  projects: { projectId: string; name: string; authorities: Authority[] }[];
}
export interface Member {
  schemaVersion: 1;
  organizationId: string;
  userId: string;
  /** `sub` at the identity provider. */
  subject: string;
  name?: string;
  role: Role | null;
  state: 'active' | 'removed';
  createdAtMs: EpochMs;
  updatedAtMs?: EpochMs;
}
export interface MemberPath {
  userId: UserId;
}
/** Until the identity provider says another role. */
export interface UpdateMemberRequest {
  role: Role | null;
}
export interface ConfirmRequest {
  /** The id of what is to go. */
  confirm: string;
}
export interface MemberReply {
  member: Member;
}
export interface MemberList {
  items: Member[];
  nextCursor?: string;
}
/** One accepted change, or one refusal of authority: who did what to which resource. Bodies and secrets are not in it. */
export interface AuditEvent {
  schemaVersion: 1;
  auditEventId: string;
  organizationId: string;
  projectId?: string;
  atMs: EpochMs;
  /** The endpoint's id; `refusalsLeftOut` of an event that only counts, `quarantineBuild` of what the service did by itself. */
  action: string;
  /** `operator` of one who runs the service; `service`: nobody asked for it. */
  credentialId: string;
  userId?: string;
  resourceType: string;
  resourceId: string;
  correlationId: string;
  /** From where it was asked for; absent of the operator, and of what the service did by itself. */
  clientAddress?: string;
  /** Present in a refusal. */
  refusal?: AuditRefusal;
}
export interface AuditRefusal {
  /** Absent in an event that only counts. */
  code?: string;
  /** The authority that was missing. */
  required?: string;
  /** In an event that only counts: how many refusals the trail has left out. */
  leftOut?: number;
}
export interface AuditEventsQuery extends PageQuery {
  projectId?: ProjectId;
  /** Default accepted. Refusals are sampled: so many a minute of one credential and of the organization, and a count of the others. */
  outcome?: 'accepted' | 'refused';
}
export interface UsageQuery {
  /** What this project stores, too: `projectBytesMax`. */
  projectId?: ProjectId;
}
export interface AuditEventList {
  items: AuditEvent[];
  nextCursor?: string;
}

export interface ProjectPath {
  projectId: ProjectId;
}
export interface Project {
  schemaVersion: 1;
  organizationId: string;
  projectId: string;
  name: string;
  version: number;
  createdBy: string;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  /** Present while it is being deleted: nothing begins in it any more, and what it holds is seen no more. */
  deletionRequestedAtMs?: EpochMs;
}
export interface ProjectOperationReply {
  project: Project;
  operation: LongRunningOperation;
}
export interface CreateProjectRequest {
  name: string & tags.MinLength<1> & tags.MaxLength<100>;
}
export interface UpdateProjectRequest {
  expectedVersion: Version;
  name: string & tags.MinLength<1> & tags.MaxLength<100>;
}
export interface ProjectReply {
  project: Project;
}
export interface ProjectList {
  items: Project[];
  nextCursor?: string;
}
/** A role in one project, beyond what the organization gives. */
export interface ProjectGrant {
  schemaVersion: 1;
  grantId: string;
  projectId: string;
  subject: { kind: 'credential' | 'user'; id: string };
  role: Role;
  createdBy: string;
  createdAtMs: EpochMs;
}
export interface CreateGrantRequest {
  subject: { kind: 'credential'; id: CredentialId } | { kind: 'user'; id: UserId };
  role: Role;
}
export interface DeleteGrantRequest {
  grantId: GrantId;
  /** The grantId again. */
  confirm: string;
}
export interface GrantReply {
  grant: ProjectGrant;
}
export interface GrantList {
  items: ProjectGrant[];
  nextCursor?: string;
}

export interface CallbackReceiver {
  schemaVersion: 1;
  callbackReceiverBindingId: string;
  organizationId: string;
  projectId: string;
  /** As the callbacks of a tool name it. */
  receiverId: string;
  /** An https origin: scheme, host and port. The path is the callback's. */
  origin: string;
  state: 'pending' | 'approved' | 'revoked';
  version: number;
  createdBy: string;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  /** The generation of the server key that its signing secret derives from; absent: the first. */
  keyGeneration?: number;
}
export interface CreateCallbackReceiverRequest {
  receiverId: Slug;
  origin: string & tags.MinLength<1> & tags.MaxLength<1024>;
}
export interface CallbackReceiverPath extends ProjectPath {
  callbackReceiverBindingId: CallbackReceiverId;
}
export interface ChangeCallbackReceiverRequest {
  expectedVersion: Version;
}
export interface CallbackReceiverReply {
  callbackReceiver: CallbackReceiver;
}
export interface CreateCallbackReceiverReply extends CallbackReceiverReply {
  /** The key of the signatures of its callbacks. Shown here, and when it is renewed. */
  signingSecret: string;
}
export interface CallbackReceiverList {
  items: CallbackReceiver[];
  nextCursor?: string;
}
