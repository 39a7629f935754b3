// Processes that have no more than a share of one processor, by a control group of their own (version 2, or the `cpu` hierarchy of version
// 1). It takes root, or a group that is delegated. Where none can be written nothing is limited, and it says why.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const periodUs = 100_000;

export interface CpuShare {
  /** With its threads, and whatever it starts from then on. */
  add(pid: number): void;
  /** For processes that have ended. */
  remove(): void;
}

/** `percent`: of one processor. A text: why there is none. */
export function cpuShare(name: string, percent: number): CpuShare | string {
  const root = '/sys/fs/cgroup';
  const isNewer = existsSync(join(root, 'cgroup.controllers'));
  const folder = join(root, ...(isNewer ? [] : ['cpu']), `drillyard-bench-${process.pid}-${name}`);
  const quotaUs = Math.round((periodUs * percent) / 100);
  try {
    if (isNewer && !readFileSync(join(root, 'cgroup.subtree_control'), 'utf8').includes('cpu'))
      writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(folder);
    if (isNewer) writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`);
    else {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
    }
  } catch (error) {
    if (existsSync(folder)) rmdirSync(folder);
    return `no control group: ${(error as Error).message}`;
  }
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    remove: () => rmdirSync(folder),
  };
}
