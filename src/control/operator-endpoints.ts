// What the operator's token opens: organizations and their limits, members and credentials, the server key, and backups.
import { defined } from '../contract/defined.js';
import { isServiceError, ServiceError } from '../contract/errors.js';
import type { EndpointId } from '../contract/hosted/endpoints.js';
import type { Backup, Organization, OwnQuotas, Quotas, Rate } from '../contract/hosted/operator.js';
import { newId } from '../contract/ids.js';
import { listPage } from './catalog/cursors.js';
import type { EndpointSet, Outcome } from './catalog/endpoint.js';
import { type OrganizationRecord, organizationTable } from './catalog/organization-records.js';
import type { ControlSettings } from './catalog/settings.js';
import type { Change, View } from './catalog/tables.js';
import { requireConfirmation } from './catalog/versions.js';
import { noteServerKey } from './core/server-key.js';
import type { ControlServices } from './core/services.js';
import { issueCredential, revoke, secretOnce } from './organizations/credential-issue.js';
import { removeMember, restoreMember, setRole } from './organizations/member-records.js';
import { auditPage, credentialPage, memberPage, requireCredential, usageOf } from './organizations/organization-pages.js';
import { stopWork } from './organizations/organization-suspension.js';

type Limits = Pick<ControlSettings, 'quotas' | 'rate' | 'organizationRate'>;
type OrganizationIds = 'createOrganization' | 'listOrganizations' | 'getOrganization' | 'updateOrganization' | 'getOrganizationUsage';
type SuspensionIds = 'suspendOrganization' | 'resumeOrganization';
type PeopleIds = Extract<EndpointId, `${string}OrganizationMember${string}`>;
type CredentialIds = Extract<EndpointId, `${string}OrganizationCredential${string}`> | 'listOrganizationAuditEvents';
type KeyIds = 'getServerKey' | 'rotateServerKey';
type BackupIds = 'startBackup' | 'getBackup';

export function operatorEndpoints(
  services: ControlServices,
): EndpointSet<OrganizationIds | SuspensionIds | PeopleIds | CredentialIds | KeyIds | BackupIds> {
  return {
    ...ofOrganizations(services),
    ...ofSuspension(services),
    ...ofMembers(services),
    ...ofCredentials(services),
    ...ofKey(services),
    ...ofBackup(services),
  };
}

function ofOrganizations(services: ControlServices): EndpointSet<OrganizationIds> {
  const { settings, nowMs } = services;
  return {
    createOrganization: {
      kind: 'change',
      apply: (tx, { body: { name, ...limits } }) => {
        const fresh: OrganizationRecord = { organizationId: newId('org'), name, createdAtMs: nowMs(), version: 0 };
        return keep(tx, withLimits(fresh, limits), services);
      },
    },
    listOrganizations: {
      kind: 'read',
      run: (view, { query }) => {
        const page = listPage(services, view, { table: organizationTable, index: 'all', prefix: [], query });
        return { ...page, items: page.items.map((record) => shown(record, settings)) };
      },
    },
    getOrganization: { kind: 'read', run: (view, { path }) => ({ organization: shown(requireOrganization(view, path), settings) }) },
    updateOrganization: {
      kind: 'change',
      apply: (tx, { path, body: { name, ...limits } }) => {
        const record = requireOrganization(tx, path);
        return keep(tx, withLimits(name === undefined ? record : { ...record, name }, limits), services);
      },
    },
    getOrganizationUsage: {
      kind: 'read',
      run: (view, { path }) => usageOf(view, services, requireOrganization(view, path).organizationId),
    },
  };
}

function ofSuspension(services: ControlServices): EndpointSet<SuspensionIds> {
  return {
    suspendOrganization: {
      kind: 'change',
      apply: (tx, { path, body: { reason } }) => {
        const { suspendedReason: _, ...record } = requireOrganization(tx, path);
        if (record.suspendedAtMs === undefined) stopWork(tx, services, record.organizationId);
        const suspendedAtMs = record.suspendedAtMs ?? services.nowMs();
        return keep(tx, { ...record, suspendedAtMs, ...defined({ suspendedReason: reason }) }, services);
      },
    },
    resumeOrganization: {
      kind: 'change',
      apply: (tx, { path }) => {
        const { suspendedAtMs: _at, suspendedReason: _why, ...record } = requireOrganization(tx, path);
        return keep(tx, record, services);
      },
    },
  };
}

function ofMembers(services: ControlServices): EndpointSet<PeopleIds> {
  const which = (tx: Change, path: { organizationId: string; userId: string }) => {
    requireOrganization(tx, path);
    return { ...path, nowMs: services.nowMs() };
  };
  const done = (member: ReturnType<typeof setRole>) => ({
    reply: { member },
    resource: { type: 'member', id: member.userId },
    organizationId: member.organizationId,
  });
  return {
    listOrganizationMembers: {
      kind: 'read',
      run: (view, { path, query }) => memberPage(services, view, requireOrganization(view, path).organizationId, query),
    },
    updateOrganizationMember: { kind: 'change', apply: (tx, { path, body }) => done(setRole(tx, which(tx, path), body.role)) },
    removeOrganizationMember: { kind: 'change', apply: (tx, { path, body }) => done(removeMember(tx, which(tx, path), body)) },
    restoreOrganizationMember: { kind: 'change', apply: (tx, { path, body }) => done(restoreMember(tx, which(tx, path), body.role)) },
  };
}

function ofCredentials(services: ControlServices): EndpointSet<CredentialIds> {
  return {
    createOrganizationCredential: {
      kind: 'change',
      ...secretOnce,
      apply: (tx, { path, body: { role = 'manager', ...wanted }, caller }) => {
        const { organizationId } = requireOrganization(tx, path);
        const reply = issueCredential(tx, services, { ...wanted, role, organizationId, createdBy: caller.credentialId });
        return { reply, resource: { type: 'credential', id: reply.credential.credentialId }, organizationId };
      },
    },
    listOrganizationCredentials: {
      kind: 'read',
      run: (view, { path, query }) => credentialPage(services, view, requireOrganization(view, path).organizationId, query),
    },
    revokeOrganizationCredential: {
      kind: 'change',
      apply: (tx, { path, body }) => {
        requireOrganization(tx, path);
        const record = requireCredential(tx, path);
        requireConfirmation(path.credentialId, body);
        const credential = revoke(tx, record, services.nowMs());
        return {
          reply: { credential },
          resource: { type: 'credential', id: credential.credentialId },
          organizationId: path.organizationId,
        };
      },
    },
    listOrganizationAuditEvents: {
      kind: 'read',
      run: (view, { path, query }) => auditPage(services, view, requireOrganization(view, path).organizationId, query),
    },
  };
}

function ofKey(services: ControlServices): EndpointSet<KeyIds> {
  const { keyring, catalog } = services;
  return {
    getServerKey: { kind: 'read', run: () => ({ generations: keyring.generations }) },
    rotateServerKey: {
      kind: 'prepared',
      // The file is written before the change; a retry after a crash in between finds the generation that it has made.
      prepare: async (_, { body: { graceMs = 0 }, idempotencyKey }) => {
        if (catalog.position !== undefined) {
          throw new ServiceError('control.STATE_CONFLICT', { message: 'The key of a cluster cannot be rotated: its nodes share it.' });
        }
        inSpace(services.disk, () => keyring.rotate({ graceMs, rotationId: idempotencyKey }));
        services.sessionMemory.dropVoid(services.nowMs());
        services.log.info('the server key has a new generation', { generation: keyring.generation, graceMs });
      },
      apply: (tx) => {
        noteServerKey(tx, keyring);
        return { reply: { generations: keyring.generations }, resource: { type: 'serverKey', id: String(keyring.generation) } };
      },
    },
  };
}

/** Again where a full disk had something kept for this. */
function inSpace(disk: Pick<ControlServices['disk'], 'release'>, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!isServiceError(error, 'control.STORAGE_FULL') || !disk.release()) throw error;
    work();
  }
}

function ofBackup({ backups, catalog }: ControlServices): EndpointSet<BackupIds> {
  return {
    startBackup: {
      kind: 'prepared',
      prepare: async (_, { body: { to }, idempotencyKey }) => {
        if (catalog.position === undefined) return await backups.begin({ to, requestId: idempotencyKey });
        throw new ServiceError('control.STATE_CONFLICT', {
          message: 'A cluster is backed up from its database, by no node: drillyard admin backup --cluster <url> --to <folder>.',
        });
      },
      apply: (_tx, _call, backup: Backup) => ({ reply: { backup }, resource: { type: 'backup', id: backup.to } }),
    },
    getBackup: { kind: 'read', run: () => defined({ backup: backups.latest }) },
  };
}

function keep(tx: Change, record: OrganizationRecord, { settings, nowMs }: ControlServices): Outcome<{ organization: Organization }> {
  const next = { ...record, version: (record.version ?? 1) + 1, updatedAtMs: nowMs() };
  tx.put(organizationTable, next);
  const { organizationId } = next;
  return { reply: { organization: shown(next, settings) }, resource: { type: 'organization', id: organizationId }, organizationId };
}

type LimitChanges = { quotas?: OwnQuotas; rate?: Rate | null; organizationRate?: Rate | null };

/** null in a change: the service's default again. */
function withLimits(record: OrganizationRecord, { quotas = {}, ...rates }: LimitChanges): OrganizationRecord {
  const { quotas: before = {}, rate, organizationRate, ...rest } = record;
  const own = Object.entries({ ...before, ...quotas }).filter(([, max]) => max !== null && max !== undefined);
  const now = { rate, organizationRate, ...rates };
  return {
    ...rest,
    ...(own.length === 0 ? {} : { quotas: Object.fromEntries(own) as Partial<Quotas> }),
    ...(now.rate === undefined || now.rate === null ? {} : { rate: now.rate }),
    ...(now.organizationRate === undefined || now.organizationRate === null ? {} : { organizationRate: now.organizationRate }),
  };
}

function shown(record: OrganizationRecord, settings: Limits): Organization {
  const { organizationId, name, createdAtMs, version = 1, updatedAtMs = createdAtMs, suspendedAtMs, suspendedReason, quotas = {} } = record;
  const rates = (['rate', 'organizationRate'] as const).filter((one) => record[one] !== undefined);
  return {
    schemaVersion: 1,
    organizationId,
    name,
    state: suspendedAtMs === undefined ? 'active' : 'suspended',
    ...defined({ suspendedAtMs, suspendedReason }),
    quotas: { ...settings.quotas, ...quotas },
    rate: record.rate ?? settings.rate,
    organizationRate: record.organizationRate ?? settings.organizationRate,
    own: [...Object.keys(quotas), ...rates],
    version,
    createdAtMs,
    updatedAtMs,
  };
}

function requireOrganization(view: View, { organizationId }: { organizationId: string }): OrganizationRecord {
  const record = view.get(organizationTable, organizationId);
  if (record !== undefined) return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such organization.' });
}
