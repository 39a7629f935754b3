// Organizations and what belongs to them as they lie in the catalog: members, credentials, projects, grants.
import { createHash } from 'node:crypto';
import { ServiceError } from '../contract/errors.js';
import type { Credential, Member, Project, ProjectGrant } from '../contract/hosted-organization.js';
import { defineTable, type View } from './tables.js';

export interface Organization {
  organizationId: string;
  name: string;
  createdAtMs: number;
}
export const organizationTable = defineTable<Organization>({
  name: 'organization',
  idOf: ({ organizationId }) => organizationId,
  indexes: { all: () => [] },
});

export interface CredentialRecord {
  credential: Credential;
  /** It counts for the organization's quota: neither revoked nor, as far as anybody has looked, expired. */
  counted: boolean;
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

/** A subject is the same user in every organization, and in every life of this server. */
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
export const noProject = (): ServiceError => new ServiceError('control.NOT_FOUND', { message: 'There is no such project.' });
