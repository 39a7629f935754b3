// The settings of a node of a cluster.
import { defined } from '../contract/defined.js';
import { limits } from '../contract/limits.js';
import type { ControlServerOptions } from '../index.js';
import { setting, words } from './serve-setting.js';
import { clusterStore, databaseUrl, integer, nodeName, nodeOrigin } from './setting-values.js';

export const clusterSettings = {
  cluster: setting(
    'cluster',
    '<url>',
    words('none'),
    'PostgreSQL as the log that nodes share, such as `postgres://drillyard@db/drillyard`; see [several machines](cluster.md). A password belongs into the variable.',
    databaseUrl,
  ),
  node: setting('node', '<name>', words('none'), 'With `--cluster`: the name of this node, which no other has.', nodeName),
  nodeAddress: setting(
    'node-address',
    '<url>',
    words('none'),
    'With `--cluster`: where the other nodes reach this one; `http://`, host, port.',
    nodeOrigin,
  ),
  homes: setting(
    'homes',
    '<n>',
    String(limits.clusterHomes),
    'With `--cluster`: into how many parts its worlds are laid; fixed when the cluster begins.',
    integer(1, limits.clusterHomesMax),
  ),
  clusterStore: setting(
    'cluster-store',
    '<url>',
    words('in PostgreSQL'),
    "With `--cluster`: where snapshots and blobs lie, the same for all nodes: `file:///shared/folder`, or `s3://bucket/prefix`, of other stores than Amazon's with `?endpoint=https://...`; see [several machines](cluster.md#snapshots-and-blobs).",
    clusterStore,
  ),
};

interface ClusterValues {
  cluster?: string;
  node?: string;
  nodeAddress?: string;
  homes?: number;
  clusterStore?: string;
  keyFile?: string;
}

export function clusterOf({
  cluster: url,
  node,
  nodeAddress: address,
  homes,
  clusterStore: store,
}: ClusterValues): ControlServerOptions['cluster'] | undefined {
  if (url === undefined || node === undefined || address === undefined) return undefined;
  return { url, node, address, ...defined({ homes, store }) };
}

/** What is wrong with values that are fine each by itself. */
export function clusterMismatches(
  { cluster, node, nodeAddress, homes, clusterStore, keyFile }: ClusterValues,
  rotateKey: boolean,
): string[] {
  if (cluster === undefined) {
    const isOther = [node, nodeAddress, homes, clusterStore].some((value) => value !== undefined);
    return isOther ? ['--node, --node-address, --homes and --cluster-store say nothing without --cluster; name the database.'] : [];
  }
  const missing = Object.entries({ node, 'node-address': nodeAddress, 'key-file': keyFile }).filter(([, value]) => value === undefined);
  return [
    ...(missing.length === 0 ? [] : [`A node of a cluster needs ${missing.map(([flag]) => `--${flag}`).join(' and ')} too.`]),
    ...(rotateKey ? ['The key of a cluster cannot be rotated by one of its nodes: leave --rotate-key out.'] : []),
  ];
}
