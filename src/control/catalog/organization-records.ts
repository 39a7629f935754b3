// Organizations and what belongs to them as they lie in the catalog: members, credentials, projects, grants.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../contract/errors.js';
import type { Quotas, Rate } from '../../contract/hosted/operator.js';
import type { Credential, Member, Project, ProjectGrant } from '../../contract/hosted/organization.js';
import { defineTable, type View } from './tables.js';

/** One of an early version has but the first three members. */
export interface OrganizationRecord {
  organizationId: string;
  name: string;
  createdAtMs: number;
  version?: number;
  updatedAtMs?: number;
  suspendedAtMs?: number;
  suspendedReason?: string;
  /** Its own limits; where it has none, the settings of the service hold. */
  quotas?: Partial<Quotas>;
  rate?: Rate;
  organizationRate?: Rate;
}
export const organizationTable = defineTable<OrganizationRecord>({
  name: 'organization',
  idOf: ({ organizationId }) => organizationId,
  indexes: { all: () => [] },
});

/** control.ORGANIZATION_SUSPENDED while the operator has suspended it. */
export function requireNotSuspended(organization: OrganizationRecord | undefined): OrganizationRecord | undefined {
  if (organization?.suspendedAtMs === undefined) return organization;
  throw new ServiceError('control.ORGANIZATION_SUSPENDED', {
    message: 'The operator of this service has suspended the organization. Its data stays; ask the operator.',
  });
}

export interface CredentialRecord {
  credential: Credential;
  /** It counts for the organization's quota: neither revoked nor, as far as anybody has looked, expired. */
  counted: boolean;
  /** The hash of its secret. Absent in those of early versions, whose secrets derive from the first server key. */
  secretHash?: string;
  /** The member who made it, also through credentials; absent for one that no member made, and in those of early versions. */
  makerId?: string;
}
export const credentialTable = defineTable<CredentialRecord>({
  name: 'credential',
  idOf: ({ credential }) => credential.credentialId,
  indexes: {
    byOrganization: ({ credential }) => [credential.organizationId],
    byExpiry: ({ credential: { organizationId, expiresAtMs }, counted }) =>
      counted && expiresAtMs !== undefined ? [organizationId, expiresAtMs] : undefined,
  },
});
/** All that is kept of a secret: its hash, and what it opens. */
export const bearerTable = defineTable<{ hash: string; credentialId: string }>({ name: 'bearer', idOf: ({ hash }) => hash, indexes: {} });

export interface MemberRecord {
  member: Member;
  issuer: string;
  /** Credentials and grants of earlier than this are void: the member was removed since. */
  activeSinceMs?: number;
}
export const memberTable = defineTable<MemberRecord>({
  name: 'member',
  idOf: ({ member }) => memberId(member),
  indexes: {
    byOrganization: ({ member }) => [member.organizationId],
    byUser: ({ member }) => [member.userId],
  },
});
export const memberId = ({ organizationId, userId }: Pick<Member, 'organizationId' | 'userId'>): string => `${organizationId}.${userId}`;

/** A subject is the same user in every organization, and in every incarnation of this server. */
export function userIdOf({ issuer, subject }: { issuer: string; subject: string }): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
  return `usr_${digest.slice(0, 26)}`;
}

export const projectTable = defineTable<Project>({
  name: 'project',
  idOf: ({ projectId }) => projectId,
  indexes: { byOrganization: ({ organizationId }) => [organizationId] },
});
export const grantTable = defineTable<ProjectGrant>({
  name: 'grant',
  idOf: ({ grantId }) => grantId,
  indexes: {
    byProject: ({ projectId }) => [projectId],
    /** At most one for a subject in a project. */
    bySubject: ({ projectId, subject }) => [projectId, subject.kind, subject.id],
  },
});
export function grantOf(view: View, projectId: string, { kind, id }: ProjectGrant['subject']): ProjectGrant | undefined {
  return view.list(grantTable, { index: 'bySubject', prefix: [projectId, kind, id], limit: 1 }).records[0];
}

export function requireProject(view: View, { organizationId, projectId }: { organizationId: string; projectId: string }): Project {
  const project = view.get(projectTable, projectId);
  if (project === undefined || project.organizationId !== organizationId) throw noProject();
  return project;
}
/** control.STATE_CONFLICT for one that is being deleted, control.NOT_FOUND for one that is gone. */
export function requireOpenProject(view: View, projectId: string): void {
  const project = view.get(projectTable, projectId);
  if (project === undefined) throw noProject();
  if (project.deletionRequestedAtMs === undefined) return;
  throw new ServiceError('control.STATE_CONFLICT', {
    message: 'The project is being deleted.',
    details: { state: 'deleting', deletionRequestedAtMs: project.deletionRequestedAtMs },
  });
}
/** There is one, and it is not being deleted. */
export function isOpenProject(view: View, projectId: string): boolean {
  const project = view.get(projectTable, projectId);
  return project !== undefined && project.deletionRequestedAtMs === undefined;
}
export const noProject = (): ServiceError => new ServiceError('control.NOT_FOUND', { message: 'There is no such project.' });
