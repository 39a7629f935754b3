// Starts a node of a cluster: its log, then the node itself. What was begun of a start that fails or is given up is ended.
import { openPostgresLog } from '../cluster/postgres/postgres-log.js';
import { nodeAddressInUse } from '../cluster/refusals.js';
import { clusterFormats } from '../contract/cluster-format.js';
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import { Keyring } from '../control/catalog/keyring.js';
import type { ControlSettings } from '../control/catalog/settings.js';
import { requireSharedKey } from '../control/core/server-key.js';
import { createNodeToken, type NodeToken } from '../http/node-token.js';
import { whoIsThere } from '../http/who-is-there.js';
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
  requireSharedKey(settings);
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
    const token = createNodeToken(keyring, 'cluster');
    await requireOwnAddress(options, token, ground);
    made = new ClusterNode({ settings, ground, options: { ...options, homes }, log, token });
    await made.begin(signal);
    return made;
  } catch (error) {
    await (made === undefined ? log.close() : made.close(0));
    throw error;
  }
}

/** This node does not say its name yet. Where it cannot reach itself others may. */
async function requireOwnAddress({ node, address }: ClusterOptions, token: NodeToken, { log }: ServiceGround): Promise<void> {
  const who = await whoIsThere(address, { token, format: clusterFormats.newest });
  if (who === 'no_node') log.warn('this node does not reach itself at its address; see that the others do', { address });
  else if (who !== 'silent' && who.node !== node) throw nodeAddressInUse(address, who.node);
}
