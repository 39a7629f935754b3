// Worlds whose hosts are where a flag says: `--isolate thread`, `process` or `box`, bounded as those of the service.
import { dirname } from 'node:path';
import { limits } from '../src/contract/limits.js';
import type { Worlds, WorldsOptions } from '../src/worlds/api.js';
import { BoxPool } from '../src/worlds/boxes.js';
import { PlainPool } from '../src/worlds/ready-hosts.js';
import { openWorlds } from '../src/worlds/worlds.js';

export interface IsolatedOptions extends Omit<WorldsOptions, 'isolation' | 'children'> {
  /** `thread` where it is no text. */
  isolate: string | boolean | undefined;
}

const heapMb = 512;
const bounds = {
  memoryBytesMax: heapMb * 1024 * 1024 + limits.hostBesideHeapBytesMax,
  cpuPercentMax: limits.hostCpuPercentMax,
  cpuWeight: limits.hostCpuWeight,
  processesMax: limits.hostProcessesMax,
};
const resourceLimits = { maxOldGenerationSizeMb: heapMb };

/** In boxes the folder is one of a folder of its own. */
export async function openIsolated({ isolate, ...options }: IsolatedOptions): Promise<Worlds> {
  const { directory } = options;
  if (isolate !== 'process' && isolate !== 'box') return await openWorlds({ ...options, isolation: 'thread' });
  const own = { directory: dirname(directory), bounds, resourceLimits, ready: 0 };
  const pool = isolate === 'box' ? new BoxPool(own) : new PlainPool(own);
  const worlds = await openWorlds({ ...options, isolation: 'process', children: pool.childrenOf(directory, 'shared') });
  const close = async (): Promise<void> => {
    await worlds.close();
    await pool.close();
  };
  return Object.assign(Object.create(worlds), { close });
}
