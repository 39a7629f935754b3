// Evidence bundles as clients see them: their record, their manifest, their files, their end. A client names a file as the manifest lists
// it; what it says is looked up there and is never a path.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import { SealedReport } from '../../drills/stored/sealed-report.js';
import type { EndpointSet } from '../catalog/endpoint.js';
import { noteStorage } from '../catalog/storage-use.js';
import type { ControlServices } from '../core/services.js';
import { DamageOfPass, sweepListed } from '../core/sweep-listed.js';
import { bundleFolder, deletedEvidence, type EvidenceRecord, evidenceTable, requireEvidence, requireSealed } from './evidence-records.js';

export function evidenceEndpoints(
  services: ControlServices,
): EndpointSet<'getEvidenceBundle' | 'getEvidenceManifest' | 'getEvidenceArtifact' | 'deleteEvidence'> {
  return {
    getEvidenceBundle: {
      kind: 'read',
      run: (view, { path, caller }) => ({ evidence: requireEvidence(view, { ...path, ...caller }).bundle }),
    },
    getEvidenceManifest: {
      kind: 'read',
      run: async (view, { path, caller }) => {
        const record = requireEvidence(view, { ...path, ...caller });
        const listed = await (await sealedReport(services, record)).files();
        const files = listed.map(({ path: file, bytes, sha256 }) => ({ path: file, bytes, hash: sha256 }));
        return { schemaVersion: 1, evidenceBundleId: path.evidenceBundleId, files };
      },
    },
    getEvidenceArtifact: {
      kind: 'read',
      run: async (view, { path, caller, query }) => {
        const bytes = await (await sealedReport(services, requireEvidence(view, { ...path, ...caller }))).stream(query.path);
        if (bytes === undefined) throw new ServiceError('control.NOT_FOUND', { message: 'The bundle has no such file.' });
        return bytes;
      },
    },
    deleteEvidence: {
      kind: 'change',
      apply: (tx, { path, caller, body }) => {
        const record = requireEvidence(tx, { ...path, ...caller });
        const evidenceBundleId: string = path.evidenceBundleId;
        if (body.confirm !== evidenceBundleId) {
          throw new ServiceError('control.CONFIRMATION_MISMATCH', { message: 'To delete evidence, confirm with its evidenceBundleId.' });
        }
        requireSealed(record);
        const deleted = deletedEvidence(record, services.nowMs());
        tx.put(evidenceTable, deleted);
        tx.afterCommit(() => void removeFolder(services, deleted));
        return { reply: { evidence: deleted.bundle }, resource: { type: 'evidence', id: evidenceBundleId } };
      },
    },
  };
}

/** control.STATE_CONFLICT when there is none. */
export async function sealedReport({ settings, bundles }: ControlServices, record: EvidenceRecord): Promise<SealedReport> {
  requireSealed(record);
  await bundles?.bring(record);
  const { evidenceBundleId, manifestDigest } = record.bundle;
  return new SealedReport(join(bundleFolder(settings.dataDirectory, evidenceBundleId), record.runId), manifestDigest as string);
}

/** Deletes what was retained long enough, and removes folders of deleted bundles. Yields how many of both. */
export async function sweepEvidence(services: ControlServices): Promise<{ deleted: number; removed: number }> {
  const { catalog, nowMs } = services;
  const deleted = await sweepListed(services, {
    table: evidenceTable,
    index: 'byRetention',
    limit: limits.runBatch,
    isDue: ({ bundle: { retainedUntilMs } }) => (retainedUntilMs as number) <= nowMs(),
    work: (tx, record) => {
      tx.put(evidenceTable, deletedEvidence(record, nowMs()));
      return true;
    },
  });
  const damage = new DamageOfPass(services);
  const toRemove = { index: 'byRemoval', prefix: [], limit: limits.runBatch, onDamage: damage.note };
  const { records } = catalog.view.list(evidenceTable, toRemove);
  for (const record of records) await removeFolder(services, record);
  const isThere = (id: string): boolean => {
    try {
      return hasFolder(catalog.view.get(evidenceTable, id));
    } catch (error) {
      damage.noteOrThrow(id, error);
      return true;
    }
  };
  const left = services.removals.areHeld ? 0 : await services.bundles?.sweep(isThere);
  return { deleted, removed: records.length + (left ?? 0) };
}

/** Also one that is being written, or waits for its removal. */
const hasFolder = (record: EvidenceRecord | undefined): boolean =>
  record !== undefined && (record.bundle.state !== 'deleted' || record.folderRemains === true);

/** Rejects never: what could not be removed now, the next sweep removes. */
async function removeFolder(
  { settings, catalog, log, removals }: ControlServices,
  { bundle: { evidenceBundleId } }: EvidenceRecord,
): Promise<void> {
  if (removals.areHeld) return;
  try {
    await rm(bundleFolder(settings.dataDirectory, evidenceBundleId), { recursive: true, force: true });
    await catalog.change((tx) => {
      const record = tx.get(evidenceTable, evidenceBundleId);
      if (record === undefined) return;
      const { organizationId, projectId } = record.bundle;
      tx.put(evidenceTable, { bundle: record.bundle, runId: record.runId });
      noteStorage(tx, { ownerId: evidenceBundleId, organizationId, projectId, bytes: 0 });
    });
  } catch (error) {
    log.warn('the folder of deleted evidence was not removed', { evidenceBundleId, error: String(error) });
  }
}
