// The audit trail: one event for each accepted change, written in that very change.

import type { AuditEvent } from '../contract/hosted-organization.js';
import { newId } from '../contract/ids.js';
import type { Caller } from './endpoint.js';
import { defineTable } from './tables.js';

export const auditTable = defineTable<AuditEvent>({
  name: 'audit',
  idOf: ({ auditEventId }) => auditEventId,
  indexes: {
    byOrganization: ({ organizationId }) => [organizationId],
    byTime: ({ atMs }) => [atMs],
    byProject: ({ organizationId, projectId }) => (projectId === undefined ? undefined : [organizationId, projectId]),
  },
});

export interface AcceptedChange {
  action: string;
  atMs: number;
  caller: Caller;
  correlationId: string;
  projectId: string | undefined;
  resource: { type: string; id: string };
}
export function auditEvent({ action, atMs, caller, correlationId, projectId, resource }: AcceptedChange): AuditEvent {
  const { organizationId, credentialId, userId } = caller;
  return {
    schemaVersion: 1,
    auditEventId: newId('audit'),
    organizationId,
    ...(projectId === undefined ? {} : { projectId }),
    atMs,
    action,
    credentialId,
    ...(userId === undefined ? {} : { userId }),
    resourceType: resource.type,
    resourceId: resource.id,
    correlationId,
  };
}
