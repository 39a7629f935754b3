// What the operator of the service does with its organizations: who there is, what each may use, who is in it, and the server key.
// None of it is within reach of a tenant's credential.
import type { EpochMs } from '../primitives.js';
import type { tags } from '../tags.js';
import type { Role } from '../world/authority.js';
import type { CredentialId, OrganizationId, UserId } from './organization.js';

type QuotaCount = number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<9007199254740991>;
/** How many of a thing an organization may have at once. */
export interface Quotas {
  sessionsLiveMax: QuotaCount;
  runsActiveMax: QuotaCount;
  sourceDraftsMax: QuotaCount;
  datasetsMax: QuotaCount;
  projectsMax: QuotaCount;
  credentialsMax: QuotaCount;
  /** Bytes on the disk: of the world of one session, and of all worlds and evidence bundles of one project and of the organization. */
  sessionBytesMax: QuotaCount;
  projectBytesMax: QuotaCount;
  organizationBytesMax: QuotaCount;
}
/** Those of `Quotas` that are the organization's own; null in a change: the service's default again. */
export interface OwnQuotas {
  sessionsLiveMax?: QuotaCount | null;
  runsActiveMax?: QuotaCount | null;
  sourceDraftsMax?: QuotaCount | null;
  datasetsMax?: QuotaCount | null;
  projectsMax?: QuotaCount | null;
  credentialsMax?: QuotaCount | null;
  sessionBytesMax?: QuotaCount | null;
  projectBytesMax?: QuotaCount | null;
  organizationBytesMax?: QuotaCount | null;
}
/** Requests a second, and how many may come at once. */
export interface Rate {
  perSecond: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<1000000>;
  burst: number & tags.Type<'int64'> & tags.Minimum<1> & tags.Maximum<1000000>;
}

export interface Organization {
  schemaVersion: 1;
  organizationId: string;
  name: string;
  state: 'active' | 'suspended';
  suspendedAtMs?: EpochMs;
  suspendedReason?: string;
  /** In force: its own where it has one, else the service's. */
  quotas: Quotas;
  /** Of one credential. */
  rate: Rate;
  /** Of all its credentials together. */
  organizationRate: Rate;
  /** Which of those are its own. */
  own: string[];
  version: number;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
}
export interface OrganizationPath {
  organizationId: OrganizationId;
}
export interface OrganizationMemberPath extends OrganizationPath {
  userId: UserId;
}
export interface OrganizationCredentialPath extends OrganizationPath {
  credentialId: CredentialId;
}
export interface CreateOrganizationRequest {
  name: string & tags.MinLength<1> & tags.MaxLength<100>;
  quotas?: OwnQuotas;
  rate?: Rate | null;
  organizationRate?: Rate | null;
}
/** What is left out stays as it is; null is the service's default again. */
export interface UpdateOrganizationRequest {
  name?: string & tags.MinLength<1> & tags.MaxLength<100>;
  quotas?: OwnQuotas;
  rate?: Rate | null;
  organizationRate?: Rate | null;
}
export interface SuspendOrganizationRequest {
  /** Shown to operators alone. */
  reason?: string & tags.MinLength<1> & tags.MaxLength<500>;
}
export interface OrganizationReply {
  organization: Organization;
}
export interface OrganizationList {
  items: Organization[];
  nextCursor?: string;
}
export interface QuotaUsage {
  quota: string;
  used: number;
  max: number;
}
export interface OrganizationUsage {
  schemaVersion: 1;
  organizationId: string;
  atMs: EpochMs;
  quotas: QuotaUsage[];
}
export interface UsageReply {
  usage: OrganizationUsage;
}
export interface IssueCredentialRequest {
  name: string & tags.MinLength<1> & tags.MaxLength<100>;
  /** Default manager. */
  role?: Role | null;
  /** Default: it does not expire. At most ten years. */
  ttlMs?: number & tags.Type<'int64'> & tags.Minimum<1000> & tags.Maximum<315360000000>;
}

/** One generation of the server key. The key itself is never shown. */
export interface KeyGeneration {
  generation: number;
  createdAtMs: EpochMs;
  /** Of an earlier generation: what derives from it stops working then. */
  acceptedUntilMs?: EpochMs;
}
export interface ServerKeyReply {
  /** The present one first. */
  generations: KeyGeneration[];
}
export interface RotateKeyRequest {
  /** How long what derives from the present key still works. Default 0; at most thirty days. */
  graceMs?: number & tags.Type<'int64'> & tags.Minimum<0> & tags.Maximum<2592000000>;
}

/** A copy of the data directory of a service, made while it works. */
export interface Backup {
  schemaVersion: 1;
  /** The folder of the copy, on the disk of the service. It is there when the copy is whole. */
  to: string;
  state: 'running' | 'succeeded' | 'failed';
  startedAtMs: EpochMs;
  finishedAtMs?: EpochMs;
  /** So far. */
  projects: number;
  files: number;
  bytes: number;
  /** Why it has failed. What it had written is removed. */
  error?: { code: string; message: string };
}
export interface StartBackupRequest {
  /** A folder that is not there so far, by its full path, in one that is; not inside the data directory. */
  to: string & tags.Pattern<'^/'> & tags.MinLength<2> & tags.MaxLength<1024>;
}
export interface BackupReply {
  backup: Backup;
}
export interface LatestBackupReply {
  /** Absent: none was made since the service started. */
  backup?: Backup;
}
