// The organization as its own people see it: credentials, members, the audit trail.
import { ServiceError } from '../contract/errors.js';
import { auditTable } from './audit-records.js';
import { issueCredential, revoke, secretOfCredential } from './credential-issue.js';
import { listPage } from './cursors.js';
import type { EndpointSet } from './endpoint.js';
import { type CredentialRecord, credentialTable, memberTable } from './organization-records.js';
import type { ControlServices } from './services.js';
import type { View } from './tables.js';

type OrganizationIds = 'createCredential' | 'listCredentials' | 'revokeCredential' | 'listMembers' | 'listAuditEvents';

export function organizationEndpoints(services: ControlServices): EndpointSet<OrganizationIds> {
  return {
    createCredential: {
      kind: 'change',
      ...secretOfCredential(services.keyring),
      apply: (tx, { body, caller }) => {
        const createdBy = caller.userId ?? caller.credentialId;
        const reply = issueCredential(tx, services, { ...body, organizationId: caller.organizationId, createdBy });
        return { reply, resource: { type: 'credential', id: reply.credential.credentialId } };
      },
    },
    listCredentials: {
      kind: 'read',
      run: (view, { query, caller }) => {
        const page = listPage(services, view, { table: credentialTable, index: 'byOrganization', prefix: [caller.organizationId], query });
        return { ...page, items: page.items.map(({ credential }) => credential) };
      },
    },
    revokeCredential: {
      kind: 'change',
      apply: (tx, { path, caller }) => {
        const credential = revoke(tx, requireCredential(tx, { ...path, organizationId: caller.organizationId }), services.nowMs());
        return { reply: { credential }, resource: { type: 'credential', id: credential.credentialId } };
      },
    },
    listMembers: {
      kind: 'read',
      run: (view, { query, caller }) => {
        const page = listPage(services, view, { table: memberTable, index: 'byOrganization', prefix: [caller.organizationId], query });
        return { ...page, items: page.items.map(({ member }) => member) };
      },
    },
    listAuditEvents: {
      kind: 'read',
      run: (view, { query, caller }) => {
        const projectId = query?.projectId;
        const list =
          projectId === undefined
            ? { index: 'byOrganization', prefix: [caller.organizationId] }
            : { index: 'byProject', prefix: [caller.organizationId, projectId] };
        return listPage(services, view, { table: auditTable, ...list, query, reverse: true });
      },
    },
  };
}

export function requireCredential(view: View, { organizationId, credentialId }: { organizationId: string; credentialId: string }): CredentialRecord {
  const record = view.get(credentialTable, credentialId);
  if (record !== undefined && record.credential.organizationId === organizationId) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such credential.' });
}
