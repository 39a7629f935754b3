// `drillyard admin backup --cluster`: reads the log and the store of a cluster, and asks no node.
import { backUpCluster, type ClusterBackupProgress } from '../nodes/cluster-backup.js';
import { counted, grouped } from '../text/counted.js';
import { visibleLine } from '../text/visible-text.js';
import { type ClusterFlags, clusterAddress } from './cluster-address.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { createOutput } from './output.js';
import { tuning } from './tuning.js';

export async function clusterBackupCommand(flags: ClusterFlags, to: string, json: boolean): Promise<ExitCode> {
  const output = createOutput({ json });
  let reportedAtMs = performance.now();
  const onProgress = (progress: ClusterBackupProgress): void => {
    if (performance.now() - reportedAtMs < tuning.backupLookMsMax) return;
    reportedAtMs = performance.now();
    output.line({ event: 'progress', ...progress });
    if (!json) output.say(`running  ${progress.done} ${progress.part}`);
  };
  try {
    const { files, bytes, cluster } = await backUpCluster({ ...clusterAddress(flags), to, onProgress });
    const position = Object.fromEntries((cluster?.position ?? []).map(({ home, sequence }) => [home, sequence]));
    output.line({ event: 'backup', state: 'succeeded', to, files, bytes, clusterId: cluster?.clusterId ?? '', position });
    if (!json)
      output.say(
        `succeeded  ${visibleLine(to)}  ${counted(Object.keys(position).length, 'home')}, ${counted(files, 'file')}, ${grouped(bytes)} bytes`,
      );
    return exitCodes.passed;
  } catch (error) {
    return reportFailure(error, output, process.cwd());
  }
}
