// The organization as its own people see it: credentials, members, usage, the audit trail.
import { defined } from '../../contract/defined.js';
import type { Member } from '../../contract/hosted/organization.js';
import { type EndpointSet, type Outcome, personBehind } from '../catalog/endpoint.js';
import { requireProject } from '../catalog/organization-records.js';
import { requireConfirmation } from '../catalog/versions.js';
import type { ControlServices } from '../core/services.js';
import { issueCredential, revoke, secretOnce } from './credential-issue.js';
import { removeMember, restoreMember, setRole } from './member-records.js';
import { auditPage, credentialPage, memberPage, requireCredential, usageOf } from './organization-pages.js';

type CredentialIds = 'createCredential' | 'listCredentials' | 'revokeCredential';
type MemberIds = 'listMembers' | 'updateMember' | 'removeMember' | 'restoreMember';

export function organizationEndpoints(services: ControlServices): EndpointSet<CredentialIds | MemberIds | 'listAuditEvents' | 'getUsage'> {
  return {
    ...ofCredentials(services),
    ...ofMembers(services),
    listAuditEvents: { kind: 'read', run: (view, { query, caller }) => auditPage(services, view, caller.organizationId, query) },
    getUsage: {
      kind: 'read',
      run: (view, { query, caller: { organizationId } }) => {
        const projectId = query?.projectId;
        if (projectId !== undefined) requireProject(view, { organizationId, projectId });
        return usageOf(view, services, organizationId, projectId);
      },
    },
  };
}

function ofCredentials(services: ControlServices): EndpointSet<CredentialIds> {
  return {
    createCredential: {
      kind: 'change',
      ...secretOnce,
      apply: (tx, { body, caller }) => {
        const createdBy = caller.userId ?? caller.credentialId;
        const makerId = personBehind(caller);
        const made = { ...body, organizationId: caller.organizationId, createdBy, ...defined({ makerId }) };
        const reply = issueCredential(tx, services, made);
        return { reply, resource: { type: 'credential', id: reply.credential.credentialId } };
      },
    },
    listCredentials: { kind: 'read', run: (view, { query, caller }) => credentialPage(services, view, caller.organizationId, query) },
    revokeCredential: {
      kind: 'change',
      apply: (tx, { path, body, caller }) => {
        const record = requireCredential(tx, { ...path, organizationId: caller.organizationId });
        requireConfirmation(path.credentialId, body);
        const credential = revoke(tx, record, services.nowMs());
        return { reply: { credential }, resource: { type: 'credential', id: credential.credentialId } };
      },
    },
  };
}

function ofMembers(services: ControlServices): EndpointSet<MemberIds> {
  const which = (userId: string, { organizationId }: { organizationId: string }) => ({ organizationId, userId, nowMs: services.nowMs() });
  const done = (member: Member): Outcome<{ member: Member }> => ({ reply: { member }, resource: { type: 'member', id: member.userId } });
  return {
    listMembers: { kind: 'read', run: (view, { query, caller }) => memberPage(services, view, caller.organizationId, query) },
    updateMember: { kind: 'change', apply: (tx, { path, body, caller }) => done(setRole(tx, which(path.userId, caller), body.role)) },
    removeMember: { kind: 'change', apply: (tx, { path, body, caller }) => done(removeMember(tx, which(path.userId, caller), body)) },
    restoreMember: {
      kind: 'change',
      apply: (tx, { path, body, caller }) => done(restoreMember(tx, which(path.userId, caller), body.role)),
    },
  };
}
