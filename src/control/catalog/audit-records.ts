// The audit trail: one event for each accepted change, written in that very change, and refusals of authority beside them
// (refusal-trail.ts).
import type { AuditEvent } from '../../contract/hosted/organization.js';
import { newId } from '../../contract/ids.js';
import type { Caller } from './endpoint.js';
import { defineTable } from './tables.js';

export const auditTable = defineTable<AuditEvent>({
  name: 'audit',
  idOf: ({ auditEventId }) => auditEventId,
  indexes: {
    byOrganization: ({ organizationId, refusal }) => (refusal === undefined ? [organizationId] : undefined),
    byTime: ({ atMs }) => [atMs],
    byProject: ({ organizationId, projectId, refusal }) =>
      projectId === undefined || refusal !== undefined ? undefined : [organizationId, projectId],
    refusedByOrganization: ({ organizationId, refusal }) => (refusal === undefined ? undefined : [organizationId]),
    refusedByProject: ({ organizationId, projectId, refusal }) =>
      projectId === undefined || refusal === undefined ? undefined : [organizationId, projectId],
  },
});

export interface AcceptedChange {
  action: string;
  atMs: number;
  caller: Caller;
  correlationId: string;
  /** From where it was asked for; '' where that is not known. */
  clientAddress: string;
  projectId: string | undefined;
  resource: { type: string; id: string };
  /** Whose trail it stands in. Default: that of the caller's. */
  organizationId?: string;
}
export function auditEvent({
  action,
  atMs,
  caller,
  correlationId,
  clientAddress,
  projectId,
  resource,
  ...trail
}: AcceptedChange): AuditEvent {
  const { credentialId, userId, operator } = caller;
  const { organizationId = caller.organizationId } = trail;
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
    // Where the operator works from is no tenant's affair.
    ...(clientAddress === '' || operator === true ? {} : { clientAddress }),
  };
}
