// What a child process may take: its memory by a limit of the kernel on the process itself, and where the machine lets us, memory and
// processor time by a control group of its own. The limit on the process makes an allocation fail inside it, as an error of the code that asked;
// the control group is what holds when that is not enough.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from './bubblewrap.js';

export interface ChildBounds {
  /** Private memory: heap, buffers, stacks. Maps of files do not count. */
  memoryBytesMax: number;
  /** Hundredths of one processor, over its threads; only a control group holds it. */
  cpuPercentMax: number;
}

const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file));

/** The command with the limit on its memory, where the machine has prlimit (util-linux). */
export function limited({ file, args }: Command, { memoryBytesMax }: Pick<ChildBounds, 'memoryBytesMax'>): Command {
  return prlimit === undefined ? { file, args } : { file: prlimit, args: [`--data=${memoryBytesMax}`, '--core=0', '--', file, ...args] };
}

export interface ControlGroup {
  add(pid: number): void;
  /** Once nothing runs in it any more. */
  remove(): void;
}

interface Hierarchy {
  /** Folders in which a group is made: one for version 2, one a controller for version 1. */
  parents: string[];
  write(group: string[], bounds: ChildBounds): void;
}

let hierarchy: Hierarchy | null | undefined;

/** Which bounds hold here, in words for an operator. */
export function boundsHeld(): { memory: 'control group' | 'process limit' | 'heap only'; cpu: 'control group' | 'none' } {
  hierarchy ??= findHierarchy();
  if (hierarchy !== null) return { memory: 'control group', cpu: 'control group' };
  return { memory: prlimit === undefined ? 'heap only' : 'process limit', cpu: 'none' };
}

/** A new group, or undefined where this process may not make one. */
export function createControlGroup(name: string, bounds: ChildBounds): ControlGroup | undefined {
  hierarchy ??= findHierarchy();
  if (hierarchy === null) return undefined;
  const group = hierarchy.parents.map((parent) => join(parent, name));
  try {
    for (const folder of group) mkdirSync(folder);
    hierarchy.write(group, bounds);
  } catch {
    removeAll(group);
    return undefined;
  }
  return {
    add: (pid) => {
      for (const folder of group) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    },
    remove: () => removeAll(group),
  };
}

function removeAll(group: readonly string[]): void {
  for (const folder of group) {
    try {
      rmdirSync(folder);
    } catch {
      // Busy for a moment after its last process, or never made. An empty group costs nothing and the next start makes others.
    }
  }
}

const cpuPeriodUs = 100_000;
const quotaUs = ({ cpuPercentMax }: ChildBounds): number => Math.ceil((cpuPeriodUs * cpuPercentMax) / 100);

function findHierarchy(): Hierarchy | null {
  if (process.platform !== 'linux') return null;
  return [version2(), version1()].find((found) => found !== undefined && works(found)) ?? null;
}

/** Below the group of this process; its controllers must be handed down already (systemd: `Delegate=yes`). */
function version2(): Hierarchy | undefined {
  const own = ownPath(/^0::(.*)$/m);
  const mount = mountOf('cgroup2');
  if (own === undefined || mount === undefined) return undefined;
  const parent = join(mount, own);
  if (!readText(join(parent, 'cgroup.subtree_control')).includes('memory')) return undefined;
  return {
    parents: [parent],
    write: ([folder], bounds) => {
      writeFileSync(join(folder as string, 'memory.max'), String(bounds.memoryBytesMax));
      writeFileSync(join(folder as string, 'cpu.max'), `${quotaUs(bounds)} ${cpuPeriodUs}`);
    },
  };
}

function version1(): Hierarchy | undefined {
  const parents = ['memory', 'cpu'].map((controller) => {
    const mount = mountOf('cgroup', controller);
    const own = ownPath(new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm'));
    if (mount === undefined || own === undefined) return undefined;
    // In a container the path may be that of the machine outside, which is not to be seen.
    return existsSync(join(mount, own)) ? join(mount, own) : mount;
  });
  if (parents.some((parent) => parent === undefined)) return undefined;
  return {
    parents: parents as string[],
    write: ([memory, cpu], bounds) => {
      writeFileSync(join(memory as string, 'memory.limit_in_bytes'), String(bounds.memoryBytesMax));
      writeFileSync(join(cpu as string, 'cpu.cfs_period_us'), String(cpuPeriodUs));
      writeFileSync(join(cpu as string, 'cpu.cfs_quota_us'), String(quotaUs(bounds)));
    },
  };
}

function works({ parents, write }: Hierarchy): boolean {
  const group = parents.map((parent) => join(parent, `drillyard-probe-${process.pid}`));
  try {
    for (const folder of group) mkdirSync(folder);
    write(group, { memoryBytesMax: 1024 ** 3, cpuPercentMax: 100 });
    return true;
  } catch {
    return false;
  } finally {
    removeAll(group);
  }
}

function ownPath(pattern: RegExp): string | undefined {
  return pattern.exec(readText('/proc/self/cgroup'))?.[1];
}
function mountOf(kind: 'cgroup' | 'cgroup2', controller?: string): string | undefined {
  for (const line of readText('/proc/self/mounts').split('\n')) {
    const [, folder, type, options = ''] = line.split(' ');
    if (type === kind && (controller === undefined || options.split(',').includes(controller))) return folder;
  }
  return undefined;
}
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
