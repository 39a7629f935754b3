// The files of a home made from what the log has: a snapshot, and the records behind it.
//   CLUSTER-REBUILD-1. The files of a home are replaced only when all of a snapshot has arrived.
//   CLUSTER-REBUILD-2. A snapshot that is damaged or gone is passed over for the one before, behind which the log is still there.
//     Where a newer one has replaced it, that is read once the node knows of it (LogUnavailable, tried again).
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ClusterLog, LogUnavailable } from '../cluster/log.js';
import { PartJoiner } from '../cluster/record-parts.js';
import { readSnapshot, type SnapshotFile, type SnapshotPlace } from '../cluster/snapshot-stream.js';
import { tuning } from '../cluster/tuning.js';
import { isServiceError } from '../contract/errors.js';
import { folderOfStream, isStreamOf } from '../control/stream-files.js';
import { markBoot } from '../files/boot-mark.js';
import { dataFileOf } from '../files/database.js';
import { makeFolder } from '../files/make-folder.js';
import type { ClusterHome } from './cluster-home.js';

type Snapshots = Pick<ClusterLog['snapshots'], 'get' | 'sequences'>;

/**
 * Puts a snapshot of the home in place of its files below `data`: that of the sequence, or where it cannot be read an older one. Rejects
 * with LogUnavailable where a newer one has taken its place.
 */
export async function restoreHome(
  files: ClusterHome,
  snapshots: Snapshots,
  { home, sequence, data }: SnapshotPlace & { data: string },
): Promise<void> {
  for (let tried = sequence; ; ) {
    try {
      return await restoreFrom(files, snapshots, { home, sequence: tried, data });
    } catch (error) {
      if (!isServiceError(error, 'control.DATA_DAMAGED', 'control.NOT_FOUND')) throw error;
      const there = await snapshots.sequences(home);
      if (there.some((one) => one > sequence)) throw new LogUnavailable(`the snapshot of home ${home} at ${sequence} was replaced`);
      const older = there.find((one) => one < tried && one > files.mark.sequence);
      if (older === undefined) throw error;
      tried = older;
    }
  }
}

/** Applies what the log has of the home behind the files, up to and with `end`. */
export async function catchUp(files: ClusterHome, log: Pick<ClusterLog, 'read'>, end: number): Promise<void> {
  const { home, mark } = files;
  const joiner = new PartJoiner();
  for (let next = mark.sequence + 1; next <= end; ) {
    const read = await log.read([{ home, sequence: next }], tuning.followedBytesAtOnce);
    const entries = read.filter(({ sequence }) => sequence <= end);
    if (entries[0]?.sequence !== next) throw new Error(`the log of home ${home} does not reach back to ${next}`);
    const records = entries.map((entry) => joiner.join(entry)).filter((record) => record !== undefined);
    next += entries.length;
    const upTo = joiner.isWhole ? next - 1 : records.at(-1)?.sequence;
    if (upTo !== undefined) await files.apply(records, { after: mark.sequence, upTo });
  }
}

async function restoreFrom(
  files: ClusterHome,
  snapshots: Snapshots,
  { home, sequence, data }: SnapshotPlace & { data: string },
): Promise<void> {
  const scratch = join(data, 'cluster', `restoring-${home}`);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    let made = 0;
    const pathOf = (stream: string): string => {
      if (!isStreamOf(home, stream)) throw new Error('it names no stream of its home');
      const folder = join(scratch, String(made++));
      mkdirSync(folder);
      return dataFileOf(folder);
    };
    const found = await readSnapshot(snapshots.get(home, sequence), { home, sequence, pathOf });
    await files.removeAll();
    for (const file of found) place(file, folderOfStream(data, { home, stream: file.stream }));
    const { mark } = files;
    for (const { stream, number, nonce } of found) mark.ends.set(stream, { number, nonce });
    mark.sequence = sequence;
    mark.snapshotSequence = sequence;
    mark.logBytes = 0;
    mark.save();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function place({ path }: SnapshotFile, folder: string): void {
  makeFolder(dirname(folder));
  markBoot(dirname(path));
  renameSync(dirname(path), folder);
}
