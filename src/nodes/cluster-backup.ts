// A backup of a cluster, made of its log and store alone: no node is asked, and none waits.
//   CLUSTER-BACKUP-1. It has the catalog and every home as they were at one moment of the log, which the manifest names, and what they lead
//     to. All that was acknowledged before it began is in it.
// It has the form of a data directory, so that what verifies one verifies it: evidence lies unpacked, and its archives are made again.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { atOneMoment, type LogAddress, type LogMoment } from '../cluster/postgres/log-moment.js';
import { ServiceError } from '../contract/errors.js';
import { beginBackup, inDraft } from '../control/backup-folder.js';
import { type BackupManifest, type HomePosition, writeManifest } from '../control/backup-manifest.js';
import { CatalogCopy } from '../control/catalog/catalog-copy.js';
import { everyRecord } from '../control/catalog/tables.js';
import { blobFile } from '../control/core/blobs.js';
import { dataFormat, formatOf } from '../control/data-format.js';
import { evidenceTable } from '../control/runs/evidence-records.js';
import { SharedBundles } from '../control/runs/shared-bundles.js';
import { openCopiedCatalog } from '../control/verify-catalog.js';
import { flushFile, flushFolder } from '../files/flushed-copy.js';
import { makeFolder } from '../files/make-folder.js';
import { OpenCopies } from './cluster-copies.js';
import { ClusterHome } from './cluster-home.js';
import { catchUp, restoreHome } from './cluster-rebuild.js';

export interface ClusterBackupOptions extends LogAddress {
  /** A folder that is not there, in one that is. */
  to: string;
  nowMs?: () => number;
  onProgress?(progress: ClusterBackupProgress): void;
}
export interface ClusterBackupProgress {
  part: 'homes' | 'evidence' | 'blobs';
  done: number;
}

export async function backUpCluster({
  to: named,
  nowMs = Date.now,
  onProgress = () => {},
  ...address
}: ClusterBackupOptions): Promise<BackupManifest> {
  const to = resolve(named);
  return await atOneMoment(address, async (moment) => {
    const madeAtMs = nowMs();
    const draft = beginBackup(to);
    return await inDraft(draft, to, async () => {
      const { clusterId, homes, keyFingerprint, format } = moment;
      const position = await copyHomes(moment, draft, onProgress);
      const { archives, dataFormat } = await copyEvidence(moment, draft, onProgress);
      await copyBlobs(moment, { draft, left: archives, onProgress });
      await flushAll(draft);
      return await writeManifest(draft, {
        kind: 'cluster',
        dataFormat,
        madeAtMs,
        cluster: { clusterId, homes, keyFingerprint, format, position },
      });
    });
  });
}

type OnProgress = (progress: ClusterBackupProgress) => void;

async function copyHomes({ ends, log, snapshots }: LogMoment, draft: string, onProgress: OnProgress): Promise<HomePosition[]> {
  const marks = join(draft, 'cluster');
  makeFolder(marks);
  const copies = new OpenCopies((directory) => new CatalogCopy(directory));
  const position: HomePosition[] = [];
  try {
    for (const [home, end] of [...ends].sort(([one], [other]) => one - other)) {
      const files = new ClusterHome({ home, data: draft, marks, copies });
      const [newest] = await snapshots.sequences(home);
      if (newest !== undefined) await restoreHome(files, snapshots, { home, sequence: newest, data: draft });
      // Of a record in parts the last one may be still to come: nobody was answered for it.
      await catchUp(files, log, end);
      await files.closeCopies();
      const streams = [...files.mark.ends].map(([stream, { number, nonce }]) => ({ stream, number, nonce: nonce.toString('hex') }));
      position.push({ home, sequence: files.mark.sequence, streams });
      onProgress({ part: 'homes', done: position.length });
    }
  } finally {
    await copies.closeAll();
    await rm(marks, { recursive: true, force: true });
  }
  return position;
}

/** Yields the archives that lie unpacked now. */
async function copyEvidence(
  { blobs }: LogMoment,
  draft: string,
  onProgress: OnProgress,
): Promise<{ archives: Set<string>; dataFormat: number }> {
  const archives = new Set<string>();
  if (!existsSync(join(draft, 'catalog'))) return { archives, dataFormat };
  const catalog = openCopiedCatalog(draft);
  try {
    const bundles = new SharedBundles({ dataDirectory: draft, store: readOnly(blobs) });
    for (const record of everyRecord(catalog.view, evidenceTable)) {
      if (record.bundle.state !== 'sealed' || record.archive === undefined) continue;
      await bundles.bring(record);
      archives.add(record.archive);
      onProgress({ part: 'evidence', done: archives.size });
    }
    return { archives, dataFormat: formatOf(catalog.view) };
  } finally {
    await catalog.close();
    await rm(join(draft, 'evidence-drafts'), { recursive: true, force: true });
  }
}

async function copyBlobs(
  { blobs }: LogMoment,
  { draft, left, onProgress }: { draft: string; left: ReadonlySet<string>; onProgress: OnProgress },
): Promise<void> {
  let done = 0;
  const digests: string[] = [];
  // The names first: the session of a list is not to be used within it.
  for await (const digest of blobs.digests()) if (!left.has(digest)) digests.push(digest);
  for (const digest of digests) {
    const [file, body] = [blobFile(draft, digest), await blobs.get(digest)];
    if (file === undefined || body === undefined) throw damagedBlob(digest, 'it is not there, or has no name of a digest');
    await mkdir(dirname(file), { recursive: true });
    if (`sha256:${await write(file, body)}` !== digest) throw damagedBlob(digest, 'its bytes are not those of its digest');
    onProgress({ part: 'blobs', done: ++done });
  }
}

async function write(path: string, body: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx');
  try {
    for await (const piece of body) {
      hash.update(piece);
      await file.writeFile(piece);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** What copies were open with goes; the rest is on the disk when this resolves. */
async function flushAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await flushAll(path);
    else if (entry.name === 'lock.mdb' || entry.name === 'boot') await rm(path);
    else await flushFile(path);
  }
  await flushFolder(folder);
}

function readOnly(blobs: LogMoment['blobs']): ConstructorParameters<typeof SharedBundles>[0]['store'] {
  const refuse = (): never => {
    throw new ServiceError('control.INTERNAL', { message: 'A backup changes nothing of the cluster.' });
  };
  return {
    get: (digest) => blobs.get(digest),
    has: (digest) => blobs.has(digest),
    digests: () => blobs.digests(),
    put: refuse,
    removeOld: refuse,
  };
}

function damagedBlob(digest: string, reason: string): ServiceError {
  return new ServiceError('control.DATA_DAMAGED', {
    message: `The blob ${digest} of the cluster is damaged: ${reason}. No backup was made.`,
    details: { digest, reason },
  });
}
