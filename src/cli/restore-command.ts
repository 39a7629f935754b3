// `drillyard admin restore`: a data directory, or a cluster, from a backup.
import pc from 'picocolors';
import type { BackupManifest } from '../control/backup-manifest.js';
import { settingsDefaults } from '../control/catalog/settings.js';
import { restoreData } from '../control/restore-data.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ClusterFlags, clusterAddress, namesCluster } from './cluster-address.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';

export interface RestoreFlags extends ClusterFlags {
  from: string;
  dataDir?: string;
  json: boolean;
}

export async function restoreCommand({ from, dataDir, json, ...flags }: RestoreFlags): Promise<ExitCode> {
  const output = createOutput({ json });
  try {
    const cluster = dataDir === undefined && namesCluster(flags) ? clusterAddress(flags) : undefined;
    const { manifest, place } = cluster === undefined ? await toData(from, dataDir) : await toCluster(from, cluster);
    const { kind, files, bytes, madeAtMs } = manifest;
    output.line({ event: 'restored', kind, ...place, from, files, bytes, madeAtMs });
    const where = 'dataDirectory' in place ? place.dataDirectory : `the cluster ${place.clusterId}`;
    const made = new Date(madeAtMs).toISOString();
    if (!json)
      output.say(`${pc.green('restored')} ${visibleLine(where)}: ${counted(files, 'file')}, ${grouped(bytes)} bytes, as of ${made}.`);
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, process.cwd());
  }
}

interface Restored {
  manifest: BackupManifest;
  place: { dataDirectory: string } | { clusterId: string };
}
async function toData(from: string, named: string | undefined): Promise<Restored> {
  const dataDirectory = named ?? (process.env.DRILLYARD_DATA_DIR || settingsDefaults.dataDirectory);
  return { manifest: await restoreData({ from, dataDirectory }), place: { dataDirectory } };
}
async function toCluster(from: string, address: { url: string; store?: string }): Promise<Restored> {
  const { restoreCluster } = await import('../nodes/cluster-restore.js');
  const { manifest, clusterId } = await restoreCluster({ from, ...address });
  return { manifest, place: { clusterId } };
}
