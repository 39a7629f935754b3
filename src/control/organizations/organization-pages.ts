// What is listed of an organization, to its own people and to the operator alike.
import { ServiceError } from '../../contract/errors.js';
import type { UsageReply } from '../../contract/hosted/operator.js';
import type { AuditEvent, AuditEventsQuery, Credential, Member, PageQuery } from '../../contract/hosted/organization.js';
import { auditTable } from '../catalog/audit-records.js';
import { type ListPage, listPage } from '../catalog/cursors.js';
import { type CredentialRecord, credentialTable, memberTable } from '../catalog/organization-records.js';
import { type QuotaName, quotaMax, quotaUsed } from '../catalog/quotas.js';
import { projectBytes } from '../catalog/storage-use.js';
import type { View } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';

type Keys = Pick<ControlServices, 'keyring'>;

export function memberPage(services: Keys, view: View, organizationId: string, query: PageQuery | undefined): ListPage<Member> {
  const page = listPage(services, view, { table: memberTable, index: 'byOrganization', prefix: [organizationId], query });
  return { ...page, items: page.items.map(({ member }) => member) };
}

export function credentialPage(services: Keys, view: View, organizationId: string, query: PageQuery | undefined): ListPage<Credential> {
  const page = listPage(services, view, { table: credentialTable, index: 'byOrganization', prefix: [organizationId], query });
  return { ...page, items: page.items.map(({ credential }) => credential) };
}

export function auditPage(services: Keys, view: View, organizationId: string, query: AuditEventsQuery = {}): ListPage<AuditEvent> {
  const { projectId, outcome = 'accepted' } = query;
  const [ofOrganization, ofProject] =
    outcome === 'refused' ? ['refusedByOrganization', 'refusedByProject'] : ['byOrganization', 'byProject'];
  const list =
    projectId === undefined
      ? { index: ofOrganization!, prefix: [organizationId] }
      : { index: ofProject!, prefix: [organizationId, projectId] };
  return listPage(services, view, { table: auditTable, ...list, query, reverse: true });
}

export function usageOf(
  view: View,
  { settings, nowMs }: Pick<ControlServices, 'settings' | 'nowMs'>,
  organizationId: string,
  projectId?: string,
): UsageReply {
  // Those of one session and of one project are no use of the organization.
  const counted: QuotaName[] = (Object.keys(settings.quotas) as QuotaName[]).filter(
    (name) => name !== 'sessionBytesMax' && name !== 'projectBytesMax',
  );
  const quotas: UsageReply['usage']['quotas'] = counted.map((name) => {
    const use = { organizationId, name };
    return { quota: name, used: quotaUsed(view, use), max: quotaMax(view, settings, use) };
  });
  if (projectId !== undefined) {
    const name = 'projectBytesMax';
    quotas.push({ quota: name, used: projectBytes(view, projectId), max: quotaMax(view, settings, { organizationId, name }) });
  }
  return { usage: { schemaVersion: 1, organizationId, atMs: nowMs(), quotas } };
}

export function requireCredential(
  view: View,
  { organizationId, credentialId }: { organizationId: string; credentialId: string },
): CredentialRecord {
  const record = view.get(credentialTable, credentialId);
  if (record !== undefined && record.credential.organizationId === organizationId) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such credential.' });
}
