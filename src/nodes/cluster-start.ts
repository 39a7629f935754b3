// Starts a node of a cluster: its log, then the node itself. What was begun of a start that fails or is given up is ended.
import { openPostgresLog } from '../cluster/postgres/postgres-log.js';
import { clusterFormats } from '../contract/cluster-format.js';
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import { Keyring } from '../control/catalog/keyring.js';
import type { ControlSettings } from '../control/catalog/settings.js';
import type { ServiceGround } from '../service-incarnation.js';
import { ClusterNode, type ClusterOptions } from './cluster-node.js';

export interface ClusterStart {
  settings: ControlSettings;
  ground: ServiceGround;
  options: ClusterOptions;
  /** Aborted: the start is given up. It may wait for a database, and for a leader. */
  signal?: AbortSignal | undefined;
}

export async function startClusterNode({ settings, ground, options, signal }: ClusterStart): Promise<ClusterNode> {
  const { dataDirectory, keyFile } = settings;
  const keyring = Keyring.open({ dataDirectory, nowMs: Date.now, ...defined({ keyFile }) });
  const { node, homes = limits.clusterHomes, store } = options;
  const log = await openPostgresLog(options.url, {
    ...{ node, homes, formats: clusterFormats },
    ...defined({ store, signal }),
    keyFingerprint: keyring.fingerprint,
    ...{ warn: (message: string) => ground.log.warn(message), waitMs: limits.clusterDatabaseWaitMs },
  });
  let made: ClusterNode | undefined;
  try {
    made = new ClusterNode({ settings, ground, options: { ...options, homes }, log, keyring });
    await made.begin(signal);
    return made;
  } catch (error) {
    await (made === undefined ? log.close() : made.close(0));
    throw error;
  }
}
