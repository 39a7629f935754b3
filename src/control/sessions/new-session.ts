// Where every session begins, from every endpoint: counted, and recorded before its world is made.
import type { WorldSession } from '../../contract/hosted/resources.js';
import { newId } from '../../contract/ids.js';
import { limits } from '../../contract/limits.js';
import { homeOf, newIdInHome } from '../../worlds/homes.js';
import { requireBuild } from '../builds/build-records.js';
import { takeQuota } from '../catalog/quotas.js';
import type { SessionRecord } from '../catalog/session-records.js';
import { requireStorage } from '../catalog/storage-use.js';
import type { Change } from '../catalog/tables.js';
import type { ControlServices } from '../core/services.js';

type RequiredMember = 'organizationId' | 'projectId' | 'environmentId' | 'buildHash' | 'seed';
type MayBeGiven =
  | 'callbackReceiverBindingIds'
  | 'drillId'
  | 'scenarioId'
  | 'trial'
  | 'attempt'
  | 'warmPool'
  | 'parentSessionId'
  | 'parentHostedSnapshotId';
export interface NewSession extends Pick<WorldSession, RequiredMember>, Partial<Pick<WorldSession, MayBeGiven>> {
  ttlMs: number | undefined;
}

/**
 * control.NOT_FOUND for a build that is gone; control.QUOTA_EXCEEDED when the organization has too many, or stores what it may. The caller
 * writes the record.
 */
export function newSession(
  tx: Change,
  services: Pick<ControlServices, 'settings' | 'nowMs' | 'homes'>,
  {
    ttlMs = limits.sessionTtlMs,
    organizationId,
    projectId,
    environmentId,
    buildHash,
    seed,
    callbackReceiverBindingIds = [],
    ...rest
  }: NewSession,
  record: Pick<SessionRecord, 'setupHash' | 'createdBy' | 'clockUs'>,
): SessionRecord {
  // Retention may have removed it since somebody looked.
  requireBuild(tx, { organizationId, projectId, buildHash });
  requireStorage(tx, services, { organizationId, projectId });
  takeQuota(tx, services, { organizationId, name: 'sessionsLiveMax' });
  const nowMs = services.nowMs();
  const session: WorldSession = {
    schemaVersion: 1,
    organizationId,
    projectId,
    environmentId,
    sessionId: newSessionId(services, rest.parentSessionId),
    buildHash,
    seed,
    callbackReceiverBindingIds,
    state: 'creating',
    leaseGeneration: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    expiresAtMs: nowMs + ttlMs,
    version: 1,
    ...rest,
  };
  return { session, ...record };
}

/** A fork is in the home of its parent. */
function newSessionId({ homes }: Pick<ControlServices, 'homes'>, parentSessionId: string | undefined): string {
  if (homes === undefined || parentSessionId === undefined) return newId('ses');
  return newIdInHome('ses', { home: homeOf(parentSessionId, homes.count), homes: homes.count });
}
