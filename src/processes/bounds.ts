// What a child process may take: its memory by a limit of the kernel on the process itself, and where the machine lets us, memory,
// processor time and the number of processes by a control group of its own. The limit on the process makes an allocation fail inside it, as
// an error of the code that asked; the control group is what holds when that is not enough.
//   BOUNDS-1. A box has no more processes and threads than its bounds say: by a control group, or by a limit of the kernel on its user.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Command } from './bubblewrap.js';
import { codeRangeBytes } from './code-range.js';
import { tuning } from './tuning.js';

export interface ChildBounds {
  /** Private memory: heap, buffers, stacks. Maps of files do not count. */
  memoryBytesMax: number;
  /** Hundredths of one processor, over its threads; only a control group holds it. */
  cpuPercentMax: number;
  /** Hundredths of what a process has that is in no group of ours, where processors are short. */
  cpuWeight: number;
  /** Threads of all of its processes. */
  processesMax: number;
}

const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find((file) => existsSync(file));

/** A command that puts itself under its bounds before it runs what it was made from. */
export interface BoundedCommand extends Command {
  /** While it yields it has only what nobody else wants of a processor; in a control group alone. */
  setYielding(yields: boolean): void;
  /** To be called once everything that it started has ended. */
  ended(): void;
}

interface Hierarchy {
  /** Folders in which a group is made: one for version 2, one a controller for version 1. */
  parents: string[];
  countsProcesses: boolean;
  write(group: string[], bounds: ChildBounds): void;
  /** `idle`: it has what nobody else wants, and a process that wakes goes first. */
  weigh(group: string[], cpuWeight: number | 'idle'): void;
}

let hierarchy: Hierarchy | null | undefined;
let groups = 0;
/** Names of groups that this process made and has not given up. */
const live = new Set<string>();

/** What holds each bound, in words for an operator. */
export interface BoundsHeld {
  memory: 'control group' | 'process limit' | 'heap only';
  cpu: 'control group' | 'none';
  processes: 'control group' | 'process limit' | 'none';
}

export function boundsHeld({ inBox }: { inBox: boolean }): BoundsHeld {
  hierarchy ??= findHierarchy();
  return {
    memory: hierarchy !== null ? 'control group' : prlimit === undefined ? 'heap only' : 'process limit',
    cpu: hierarchy === null ? 'none' : 'control group',
    processes: hierarchy?.countsProcesses ? 'control group' : inBox && userLimit() !== undefined ? 'process limit' : 'none',
  };
}

/** A command that is to run in a box, under the bound that the kernel counts by the user of a box. */
export function boundedInBox({ file, args }: Command, { processesMax }: Pick<ChildBounds, 'processesMax'>): Command {
  const limit = userLimit();
  return limit === undefined ? { file, args } : { file: limit, args: [`--nproc=${processesMax}`, '--', file, ...args] };
}

/**
 * The program that sets it, where it holds: Linux 5.14 and later count the processes of a user in each user namespace for itself, so
 * those of one box; earlier ones count all that the user of the service has. It never holds root.
 */
function userLimit(): string | undefined {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const countsByNamespace = major > 5 || (major === 5 && minor >= 14);
  return process.platform === 'linux' && countsByNamespace && process.getuid?.() !== 0 ? prlimit : undefined;
}

/** The command under the bounds that are available on this machine: prlimit (util-linux) and a control group of its own. */
export function bounded(command: Command, bounds: ChildBounds): BoundedCommand {
  hierarchy ??= findHierarchy();
  const group = hierarchy === null ? undefined : createGroup(hierarchy, bounds);
  const own = limited(command, bounds);
  if (hierarchy === null || group === undefined) return { ...own, setYielding: () => {}, ended: () => {} };
  const { weigh } = hierarchy;
  let wasYielding = false;
  return {
    ...joining(group, own),
    setYielding: (yields) => {
      if (yields === wasYielding) return;
      wasYielding = yields;
      try {
        weigh(group, yields ? 'idle' : bounds.cpuWeight);
      } catch {
        // Its last process has ended and the group with it.
      }
    },
    ended: () => removeAll(group),
  };
}

function limited({ file, args }: Command, { memoryBytesMax }: ChildBounds): Command {
  return prlimit === undefined
    ? { file, args }
    : { file: prlimit, args: [`--data=${memoryBytesMax + codeRangeBytes()}`, '--core=0', '--', file, ...args] };
}

/** It joins by itself, before it has any child: one that is moved from outside may have started some already. */
function joining(group: readonly string[], { file, args }: Command): Command {
  const script = 'while [ "$1" != -- ]; do echo $$ >"$1/cgroup.procs" || exit; shift; done; shift; exec "$@"';
  return { file: '/bin/sh', args: ['-c', script, 'sh', ...group, '--', file, ...args] };
}

function createGroup({ parents, write, weigh }: Hierarchy, bounds: ChildBounds): string[] | undefined {
  const name = `drillyard-${process.pid}-${++groups}`;
  const group = parents.map((parent) => join(parent, name));
  live.add(name);
  try {
    for (const parent of parents) sweep(parent);
    for (const folder of group) mkdirSync(folder);
    write(group, bounds);
    weigh(group, bounds.cpuWeight);
    return group;
  } catch {
    removeAll(group);
    return undefined;
  }
}

function removeAll(group: readonly string[]): void {
  for (const folder of group) {
    live.delete(basename(folder));
    remove(folder);
  }
}

/**
 * Groups that were busy for a moment after their last process, and those of processes that were killed. One that is in use cannot be
 * removed.
 */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^drillyard-(\d+)-\d+$/.exec(name)?.[1];
    if (owner === undefined || live.has(name)) continue;
    if (Number(owner) === process.pid || !existsSync(`/proc/${owner}`)) remove(join(parent, name));
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Busy, or never made; the next sweep asks again.
  }
}

const quotaUs = ({ cpuPercentMax }: ChildBounds): number => Math.ceil((tuning.cpuPeriodUs * cpuPercentMax) / 100);
/** Version 1 counts the weight that is usual as 1,024, version 2 as 100. */
const sharesOf = (cpuWeight: number): number => Math.ceil((1024 * cpuWeight) / 100);

function findHierarchy(): Hierarchy | null {
  if (process.platform !== 'linux') return null;
  const found = [...version2(), version1(['memory', 'cpu', 'pids']), version1(['memory', 'cpu'])];
  return found.find((one) => one !== undefined && works(one)) ?? null;
}

/**
 * Of a systemd unit with `Delegate=yes`: the service runs in this group of it, since only a group without processes can hand on
 * controllers.
 */
const delegateSubgroup = 'drillyard';

/** Below the group of this process, or beside it where the unit is delegated to the service. */
function version2(): Hierarchy[] {
  const own = ownPath(/^0::(.*)$/m);
  const mount = mountOf('cgroup2');
  if (own === undefined || mount === undefined) return [];
  const parents = [join(mount, own), ...(basename(own) === delegateSubgroup ? [dirname(join(mount, own))] : [])];
  const handing = parents.filter((parent) => handsOn(parent, ['memory', 'cpu']));
  return handing.map((parent) => {
    // Some systems keep it back, and without it the others hold all the same.
    const countsProcesses = handsOn(parent, ['pids']);
    return {
      parents: [parent],
      countsProcesses,
      write: ([folder], bounds) => {
        writeFileSync(join(folder as string, 'memory.max'), String(bounds.memoryBytesMax));
        writeFileSync(join(folder as string, 'cpu.max'), `${quotaUs(bounds)} ${tuning.cpuPeriodUs}`);
        if (countsProcesses) writeFileSync(join(folder as string, 'pids.max'), String(bounds.processesMax));
      },
      weigh: ([folder], cpuWeight) => weigh(folder as string, 'cpu.weight', cpuWeight),
    };
  });
}

/** Whether groups in this one have the controllers; they are asked for where they are not handed on yet. */
function handsOn(parent: string, controllers: readonly string[]): boolean {
  const file = join(parent, 'cgroup.subtree_control');
  const hasAll = (): boolean => controllers.every((name) => readText(file).split(/\s+/).includes(name));
  if (hasAll()) return true;
  try {
    writeFileSync(file, controllers.map((name) => `+${name}`).join(' '));
  } catch {
    return false;
  }
  return hasAll();
}

function version1(controllers: readonly string[]): Hierarchy | undefined {
  const parents = controllers.map((controller) => {
    const mount = mountOf('cgroup', controller);
    const own = ownPath(new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm'));
    if (mount === undefined || own === undefined) return undefined;
    // In a container the path may be that of the machine outside, which is not to be seen.
    return existsSync(join(mount, own)) ? join(mount, own) : mount;
  });
  if (parents.some((parent) => parent === undefined)) return undefined;
  return {
    parents: parents as string[],
    countsProcesses: controllers.includes('pids'),
    write: ([memory, cpu, pids], bounds) => {
      writeFileSync(join(memory as string, 'memory.limit_in_bytes'), String(bounds.memoryBytesMax));
      writeFileSync(join(cpu as string, 'cpu.cfs_period_us'), String(tuning.cpuPeriodUs));
      writeFileSync(join(cpu as string, 'cpu.cfs_quota_us'), String(quotaUs(bounds)));
      if (pids !== undefined) writeFileSync(join(pids, 'pids.max'), String(bounds.processesMax));
    },
    weigh: ([, cpu], cpuWeight) => weigh(cpu as string, 'cpu.shares', cpuWeight === 'idle' ? cpuWeight : sharesOf(cpuWeight)),
  };
}

/** A group that was idle has the usual weight afterwards, and gets its own again. */
function weigh(folder: string, file: 'cpu.weight' | 'cpu.shares', weight: number | 'idle'): void {
  const idle = join(folder, 'cpu.idle');
  if (existsSync(idle)) writeFileSync(idle, weight === 'idle' ? '1' : '0');
  if (weight !== 'idle') writeFileSync(join(folder, file), String(weight));
}

/** Whether a process can be put into a group made there. */
function works(found: Hierarchy): boolean {
  const { probeMemoryBytes: memoryBytesMax, probeCpuPercent: cpuPercentMax, probeProcesses: processesMax } = tuning;
  const group = createGroup(found, { memoryBytesMax, cpuPercentMax, cpuWeight: 100, processesMax });
  if (group === undefined) return false;
  const { file, args } = joining(group, { file: '/bin/sh', args: ['-c', ':'] });
  const { status } = spawnSync(file, args, { stdio: 'ignore', timeout: tuning.probeTimeoutMs });
  removeAll(group);
  return status === 0;
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
