// Bytes that tenants keep on the disk: what the world of each session, each sealed bundle and everything that was sent has, and their sums
// for project and organization. A share is noted in the change that knows of it, so the sums are exactly what the shares say.
//   STORAGE-USE-1. What was sent counts where it was sent, though the disk has equal bytes once: what one tenant stores depends on no
//     other.
//   STORAGE-USE-2. Records that stay for as long as their tenant likes and are as large as what was sent count as well: turns and
//     proposals, tool setups, data choices.
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { countOf, moveCount, quotaMax } from './quotas.js';
import type { ControlSettings } from './settings.js';
import { type Change, defineTable, type View } from './tables.js';

export interface Tenant {
  organizationId: string;
  projectId: string;
}
interface StorageShare extends Tenant {
  /**
   * The id of what has the bytes: a session, a run, an evidence bundle, a draft, a conversation or its records, a tool setup, a revision of
   * a dataset, a build.
   */
  ownerId: string;
  bytes: number;
}
export const storageTable = defineTable<StorageShare>({ name: 'storage', idOf: ({ ownerId }) => ownerId, indexes: {} });

const projectCounter = ({ projectId }: Pick<Tenant, 'projectId'>): string => `quota ${projectId} projectBytesMax`;
const organizationCounter = ({ organizationId }: Tenant): string => `quota ${organizationId} organizationBytesMax`;

/** What an owner has from now on; 0 for one that is gone. */
export function noteStorage(tx: Change, share: StorageShare): void {
  const { ownerId, bytes, organizationId, projectId } = share;
  const grown = bytes - (tx.get(storageTable, ownerId)?.bytes ?? 0);
  if (grown === 0) return;
  if (bytes === 0) tx.remove(storageTable, ownerId);
  else tx.put(storageTable, { ownerId, organizationId, projectId, bytes });
  moveCount(tx, projectCounter(share), grown);
  moveCount(tx, organizationCounter(share), grown);
}

/** What an owner has beside what it had. */
export function addStorage(tx: Change, share: StorageShare): void {
  noteStorage(tx, { ...share, bytes: storageOf(tx, share.ownerId) + share.bytes });
}

/** Of a record that counts. */
export function bytesOfRecord(record: object): number {
  return Buffer.byteLength(JSON.stringify(record));
}

export function storageOf(view: View, ownerId: string): number {
  return view.get(storageTable, ownerId)?.bytes ?? 0;
}

export function projectBytes(view: View, projectId: string): number {
  return countOf(view, projectCounter({ projectId }));
}

/** Why a tenant may store no more; undefined while it may. */
export function storageRefusal(view: View, settings: ControlSettings, tenant: Tenant): ServiceError | undefined {
  const { organizationId, projectId } = tenant;
  const [projectMax, organizationMax] = (['projectBytesMax', 'organizationBytesMax'] as const).map((name) =>
    quotaMax(view, settings, { organizationId, name }),
  ) as [number, number];
  const used = { project: countOf(view, projectCounter(tenant)), organization: countOf(view, organizationCounter(tenant)) };
  if (used.project >= projectMax) {
    return full('project', { quota: 'projectBytesMax', projectId, max: projectMax, used: used.project });
  }
  if (used.organization < organizationMax) return undefined;
  return full('organization', { quota: 'organizationBytesMax', organizationId, max: organizationMax, used: used.organization });
}

function full(what: 'project' | 'organization', details: { [name: string]: string | number }): ServiceError {
  return new ServiceError('control.QUOTA_EXCEEDED', {
    message: `The ${what} may store ${details.max} bytes; sessions that end, evidence and drafts that are deleted give theirs back.`,
    details,
    retryAfterMs: limits.quotaRetryAfterMs,
  });
}

/** Before something begins that will store. */
export function requireStorage(view: View, { settings }: { settings: ControlSettings }, tenant: Tenant): void {
  const refusal = storageRefusal(view, settings, tenant);
  if (refusal !== undefined) throw refusal;
}
