// A log that begins with what another had: snapshots and blobs are put, and the cluster is there when all of them are.
//   NEW-LOG-1. A log that is begun so is whole or is not there. It has a name of its own, so that copies of the former are refused.
import type { SharedBlobs } from '../../contract/cluster-store.js';
import { ServiceError } from '../../contract/errors.js';
import { LogUnknown } from '../log.js';
import { openObjects, storeIdentity } from '../objects/open-objects.js';
import { PostgresSession } from './connection.js';
import { indexedBlobs } from './indexed-blobs.js';
import { indexedSnapshots } from './indexed-snapshots.js';
import { type LogAddress, unreachable } from './log-moment.js';
import { postgresBlobs } from './postgres-blobs.js';
import { postgresSnapshots } from './postgres-snapshots.js';
import { beginCluster, checkSettings, clusterRow, hasTables, type NewCluster } from './schema.js';
import { partOf } from './statements.js';

export interface NewLog {
  clusterId: string;
  /** Everything of the home up to the sequence; its log begins behind it. */
  put(home: number, sequence: number, body: AsyncIterable<Buffer>): Promise<void>;
  blobs: Pick<SharedBlobs, 'put'>;
}

/** control.STATE_CONFLICT where the database has a cluster. */
export async function beginLog<T>({ url, store }: LogAddress, identity: NewCluster, work: (log: NewLog) => Promise<T>): Promise<T> {
  const objects = store === undefined ? undefined : await openObjects(store);
  const identityOfStore = objects && storeIdentity(objects);
  const session = new PostgresSession({ url, name: 'drillyard-restore' });
  try {
    await checkSettings(session);
    return await session.transaction(async (run) => {
      if ((await hasTables(run)) && (await clusterRow(run)) !== undefined) {
        throw new ServiceError('control.STATE_CONFLICT', {
          message: 'This database has a cluster already. Restore into an empty one: what is there is not replaced.',
        });
      }
      const cluster = await beginCluster(run, identity, identityOfStore);
      const statements = partOf(run);
      const snapshots = objects === undefined ? postgresSnapshots(statements) : indexedSnapshots(statements, objects);
      return await work({
        clusterId: String(cluster.cluster_id),
        put: async (home, sequence, body) => {
          await snapshots.put(home, sequence, body);
          await run({ text: 'update drillyard_home set first_seq = $2 where home = $1', values: [home, sequence + 1] });
        },
        blobs: objects === undefined ? postgresBlobs(statements) : indexedBlobs(statements, objects),
      });
    });
  } catch (error) {
    // Where it is not known whether the cluster is there, the store stays its own.
    if (!(error instanceof LogUnknown)) await identityOfStore?.forget().catch(() => {});
    throw unreachable(error);
  } finally {
    await session.close();
    objects?.close();
  }
}
