// Which cluster a command is about: its database and its store, from flags or the variables that its nodes have.
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { clusterStore, databaseUrl, NotTaken, type ValueKind } from './setting-values.js';

export interface ClusterFlags {
  cluster?: string;
  clusterStore?: string;
}

export const namesCluster = ({ cluster = process.env.DRILLYARD_CLUSTER }: ClusterFlags): boolean => cluster !== undefined && cluster !== '';

/** Of one that is named. control.INVALID_REQUEST for what names none. */
export function clusterAddress({ cluster, clusterStore: store }: ClusterFlags): { url: string; store?: string } {
  const { DRILLYARD_CLUSTER = '', DRILLYARD_CLUSTER_STORE } = process.env;
  const named = cluster ?? DRILLYARD_CLUSTER;
  const where = store ?? (DRILLYARD_CLUSTER_STORE || undefined);
  return {
    url: read('--cluster', databaseUrl, named),
    ...defined({ store: where === undefined ? undefined : read('--cluster-store', clusterStore, where) }),
  };
}

function read(flag: string, kind: ValueKind<string>, text: string): string {
  try {
    return kind.parse(text);
  } catch (error) {
    if (!(error instanceof NotTaken)) throw error;
    // What was given may hold a password.
    throw new ServiceError('control.INVALID_REQUEST', { message: `${flag} must be ${error.message}.` });
  }
}
