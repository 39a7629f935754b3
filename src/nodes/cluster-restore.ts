// A cluster made from a backup of one: in an empty database, and an empty store where one is named.
//   CLUSTER-RESTORE-1. The cluster is there whole or not at all, each file being the one that was backed up.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { LogAddress } from '../cluster/postgres/log-moment.js';
import { beginLog, type NewLog } from '../cluster/postgres/new-log.js';
import { type SnapshotFile, writeSnapshot } from '../cluster/snapshot-stream.js';
import { ServiceError } from '../contract/errors.js';
import {
  type BackupManifest,
  type ClusterPosition,
  damagedBackup,
  type HomePosition,
  readManifest,
  requireWholeFiles,
} from '../control/backup-manifest.js';
import { everyRecord } from '../control/catalog/tables.js';
import { requireReadableFormat } from '../control/format-steps.js';
import { bundleFolder, evidenceTable } from '../control/runs/evidence-records.js';
import { SharedBundles } from '../control/runs/shared-bundles.js';
import { folderOfStream, verifyStreams } from '../control/stream-files.js';
import { openCopiedCatalog } from '../control/verify-catalog.js';
import { dataFileOf } from '../files/database.js';

export interface ClusterRestoreOptions extends LogAddress {
  from: string;
}
export interface RestoredCluster {
  manifest: BackupManifest;
  /** Of the new one. */
  clusterId: string;
}

/** control.STATE_CONFLICT where the database has a cluster, and for a backup of a service or of a later format. */
export async function restoreCluster({ from: named, ...address }: ClusterRestoreOptions): Promise<RestoredCluster> {
  const from = resolve(named);
  const manifest = readManifest(from);
  const { cluster } = manifest;
  if (cluster === undefined) {
    throw new ServiceError('control.STATE_CONFLICT', {
      message: `The backup ${from} is of a service without a cluster. Restore it into a data directory: leave --cluster out.`,
    });
  }
  requireReadableFormat(manifest.dataFormat, `The backup ${from}`);
  const paths = await requireWholeFiles(from, manifest);
  await verifyStreams(from, { manifest, listed: paths }, async (path, fault) => {
    const found = await fault();
    if (found !== undefined) throw damagedBackup(from, `of ${path}, ${found}`);
  });
  const { homes, keyFingerprint, format } = cluster;
  return await beginLog(address, { homes, keyFingerprint, format }, async (log) => {
    await putHomes(log, from, cluster);
    for (const path of paths.filter((path) => path.startsWith('blobs/')))
      await log.blobs.put(`sha256:${basename(path)}`, createReadStream(join(from, path)) as AsyncIterable<Buffer>);
    await putEvidence(log, from);
    return { manifest, clusterId: log.clusterId };
  });
}

async function putHomes(log: NewLog, from: string, { position }: ClusterPosition): Promise<void> {
  for (const one of position) await log.put(one.home, one.sequence, writeSnapshot(one, filesOf(from, one)));
}

async function* filesOf(from: string, { home, streams }: HomePosition): AsyncGenerator<SnapshotFile & { bytes: number }> {
  for (const { stream, number, nonce } of streams) {
    const path = dataFileOf(folderOfStream(from, { home, stream }));
    yield { stream, number, nonce: Buffer.from(nonce, 'hex'), path, bytes: (await stat(path)).size };
  }
}

/** Sealed evidence is one blob each, the same bytes as before. */
async function putEvidence({ blobs }: NewLog, from: string): Promise<void> {
  const catalog = openCopiedCatalog(from);
  try {
    const refuse = (): never => {
      throw new ServiceError('control.INTERNAL', { message: 'A restore puts evidence, and reads none.' });
    };
    const store = {
      put: (digest: string, body: AsyncIterable<Buffer>) => blobs.put(digest, body),
      get: refuse,
      has: refuse,
      digests: refuse,
      removeOld: refuse,
    };
    const bundles = new SharedBundles({ dataDirectory: from, store });
    for (const { archive, bundle, runId } of everyRecord(catalog.view, evidenceTable)) {
      const { state, evidenceBundleId, manifestDigest } = bundle;
      if (state !== 'sealed' || archive === undefined || manifestDigest === undefined) continue;
      const digest = await bundles.keep({ folder: join(bundleFolder(from, evidenceBundleId), runId), manifestDigest });
      if (digest !== archive) throw damagedBackup(from, `the evidence ${evidenceBundleId} is not as it was sealed`);
    }
  } finally {
    await catalog.close();
  }
}
