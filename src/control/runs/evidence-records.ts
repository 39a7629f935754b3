// Evidence bundles as they lie in the catalog. A sealed bundle is a report folder, <dataDirectory>/evidence/<evidenceBundleId>/<runId>/;
// no path ever comes from a client.
import { join } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import type { EvidenceBundle } from '../../contract/hosted/runs.js';
import { defineTable, type View } from '../catalog/tables.js';

export interface EvidenceRecord {
  bundle: EvidenceBundle;
  runId: string;
  /** Of a sealed one that several machines share: the blob that it is. */
  archive?: string;
  /** A deleted bundle whose folder is still to be removed. */
  folderRemains?: boolean;
}
export const evidenceTable = defineTable<EvidenceRecord>({
  name: 'evidence',
  idOf: ({ bundle }) => bundle.evidenceBundleId,
  indexes: {
    byRetention: ({ bundle: { state, retainedUntilMs } }) =>
      state === 'sealed' && retainedUntilMs !== undefined ? [retainedUntilMs] : undefined,
    byArchive: ({ archive }) => (archive === undefined ? undefined : []),
    byRemoval: ({ folderRemains }) => (folderRemains === true ? [] : undefined),
  },
});

/** Everything of one bundle. */
export function bundleFolder(dataDirectory: string, evidenceBundleId: string): string {
  return join(dataDirectory, 'evidence', evidenceBundleId);
}

/** A bundle as its project sees it. control.NOT_FOUND for one that does not exist and for one of another project alike. */
export function requireEvidence(
  view: View,
  place: { organizationId: string; projectId: string; evidenceBundleId: string },
): EvidenceRecord {
  const record = view.get(evidenceTable, place.evidenceBundleId);
  if (record !== undefined && record.bundle.organizationId === place.organizationId && record.bundle.projectId === place.projectId)
    return record;
  throw new ServiceError('control.NOT_FOUND', { message: 'There is no such evidence bundle.' });
}

/** control.STATE_CONFLICT for one that has no files: not yet, or not any more. */
export function requireSealed({ bundle: { state } }: EvidenceRecord): void {
  if (state === 'sealed') return;
  throw new ServiceError('control.STATE_CONFLICT', { message: `The evidence is ${state}; it has no files.`, details: { state } });
}

export const deletedEvidence = ({ bundle, runId }: EvidenceRecord, nowMs: number): EvidenceRecord => ({
  bundle: { ...bundle, state: 'deleted', deletedAtMs: nowMs },
  runId,
  folderRemains: true,
});
