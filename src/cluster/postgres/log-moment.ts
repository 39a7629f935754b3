// All of a log and its store as they are at one moment, for who reads longer than a moment, while nodes work.
//   LOG-MOMENT-1. What is read is of one moment: everything that was acknowledged before it, and nothing that follows from what came later.
//   LOG-MOMENT-2. What it names in a store beside the database stays there until it is closed. There is one at a time.
import type { SharedBlobs } from '../../contract/cluster-store.js';
import { ServiceError } from '../../contract/errors.js';
import { type ClusterLog, LogUnavailable, LogUnknown } from '../log.js';
import { openObjects, storeIdentity } from '../objects/open-objects.js';
import { PostgresSession, Refused } from './connection.js';
import { indexedBlobs } from './indexed-blobs.js';
import { indexedSnapshots } from './indexed-snapshots.js';
import { postgresBlobs } from './postgres-blobs.js';
import { postgresSnapshots } from './postgres-snapshots.js';
import { endsText, entryOfRow, readStatement } from './read-entries.js';
import { checkSchema, checkStore, clusterRow, hasTables } from './schema.js';
import { partOf, type RunStatement } from './statements.js';
import { holdStore } from './store-hold.js';

export interface LogMoment {
  clusterId: string;
  /** Besides home 0. */
  homes: number;
  keyFingerprint: string;
  format: number;
  /** Homes that have had an entry, with the sequence of their last. */
  ends: ReadonlyMap<number, number>;
  log: Pick<ClusterLog, 'read'>;
  snapshots: Pick<ClusterLog['snapshots'], 'get' | 'sequences'>;
  blobs: Pick<SharedBlobs, 'get' | 'has' | 'digests'>;
}
export interface LogAddress {
  /** Of PostgreSQL; it may hold a password. */
  url: string;
  /** As the nodes name it. */
  store?: string;
}

/** control.STATE_CONFLICT while somebody else reads it so, and where there is no cluster. */
export async function atOneMoment<T>({ url, store }: LogAddress, work: (moment: LogMoment) => Promise<T>): Promise<T> {
  const objects = store === undefined ? undefined : await openObjects(store);
  const session = new PostgresSession({ url, name: 'drillyard-backup' });
  try {
    return await session.alone(async (run) => {
      if (!(await hasTables(run))) throw conflict('There is no cluster in this database.');
      if (!(await holdStore(run))) throw conflict('Another backup of the cluster is being made; try again when it is done.');
      await run({ text: 'set idle_in_transaction_session_timeout = 0' });
      await run({ text: 'begin isolation level repeatable read read only' });
      const cluster = await clusterRow(run);
      if (cluster === undefined) throw conflict('There is no cluster in this database.');
      checkSchema(cluster);
      await checkStore(cluster, objects && storeIdentity(objects));
      const statements = partOf(run);
      return await work({
        clusterId: String(cluster.cluster_id),
        homes: Number(cluster.homes),
        keyFingerprint: String(cluster.key_fingerprint),
        format: Number(cluster.format),
        ends: await endsOf(run),
        log: { read: async (from, bytesMax) => (await run(readStatement(from, bytesMax))).map(entryOfRow) },
        snapshots: objects === undefined ? postgresSnapshots(statements) : indexedSnapshots(statements, objects),
        blobs: objects === undefined ? postgresBlobs(statements) : indexedBlobs(statements, objects),
      });
    });
  } catch (error) {
    throw unreachable(error);
  } finally {
    await session.close();
    objects?.close();
  }
}

async function endsOf(run: RunStatement): Promise<Map<number, number>> {
  const homes = (await run({ text: 'select home from drillyard_home', isRead: true })).map(({ home }) => Number(home));
  const rows = await run({ text: endsText, values: [homes], isRead: true });
  return new Map(rows.map(({ home, end_seq }): [number, number] => [Number(home), Number(end_seq)]).filter(([, end]) => end > 0));
}

/** For who waits for the answer: control.UNAVAILABLE with what the database or the store says. */
export function unreachable(error: unknown): unknown {
  if (!(error instanceof LogUnavailable || error instanceof LogUnknown || error instanceof Refused)) return error;
  const message = `The database or the store of the cluster did not do it: ${error.message}`;
  return new ServiceError('control.UNAVAILABLE', { message, cause: error });
}

const conflict = (message: string): ServiceError => new ServiceError('control.STATE_CONFLICT', { message });
