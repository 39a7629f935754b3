// Worlds of a local run, whose hosts may be in boxes. Hosts in boxes see one folder that is empty when the run begins, and not what earlier
// runs left: the worlds move to where runs are kept when their hosts have ended.
import { existsSync, lstatSync, mkdtempSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareHost } from '../actors/child.js';
import { prepareThreadHost } from '../actors/pool.js';
import { ServiceError } from '../contract/errors.js';
import { limits } from '../contract/limits.js';
import { makeFolder } from '../files/make-folder.js';
import { canBox } from '../processes/bubblewrap.js';
import type { ForkWorld, WorldRef, Worlds, WorldsOptions } from './api.js';
import { WorldView } from './world-view.js';
import { openWorlds, worldHostModule } from './worlds.js';

export type LocalIsolation = 'thread' | 'process' | 'box';
export interface LocalWorldsOptions extends Omit<WorldsOptions, 'isolation' | 'children' | 'layout' | 'durability'> {
  isolation: LocalIsolation;
  /** The folder is new and this run's alone: hosts in boxes may see it as it is. */
  isFresh?: boolean;
}

/** Where the folder of hosts in boxes is inside of them. */
const inside = '/data';

/** control.UNAVAILABLE where boxes are asked for and not available. */
export async function openLocalWorlds({ isolation, directory, isFresh = false, ...options }: LocalWorldsOptions): Promise<Worlds> {
  const common = { ...options, layout: 'run', durability: 'committed' } as const;
  if (isolation !== 'box') return await openWorlds({ ...common, directory, isolation });
  const { works, reason } = canBox();
  if (!works) throw new ServiceError('control.UNAVAILABLE', { message: `Tool code cannot run in a box: ${reason}.` });
  makeFolder(directory);
  const outside = isFresh ? directory : mkdtempSync(join(directory, '.box-'));
  const bounds = {
    memoryBytesMax: limits.localBoxMemoryBytesMax,
    cpuPercentMax: limits.hostCpuPercentMax,
    cpuWeight: limits.hostCpuWeight,
    processesMax: limits.hostProcessesMax,
  };
  const box = { folders: [{ outside, inside, writable: true }] };
  const take = () => prepareHost({ moduleHref: worldHostModule.href, resourceLimits: {}, bounds, box });
  const worlds = await openWorlds({ ...common, directory: outside, isolation: 'process', children: { take, directory: inside } });
  return isFresh ? worlds : movingBack(worlds, outside, directory);
}

/** A host for the next worlds in threads, which loads its modules meanwhile. Returns a function that gives it up where none were opened. */
export function prepareLocalHost(): () => void {
  return prepareThreadHost(worldHostModule.href);
}

/** In a folder of their own, which goes with them. */
export async function openTemporaryWorlds(
  options: Omit<LocalWorldsOptions, 'directory' | 'isFresh'>,
): Promise<{ worlds: Worlds; close(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'drillyard-world-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const worlds = await openLocalWorlds({ ...options, directory, isFresh: true });
    return { worlds, close: () => worlds.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * The worlds of a run, which are kept under their ids once their hosts have ended: those that were made here and nothing else, since code
 * that has left its realm may have put other names, or links, into the folder that the box sees.
 */
function movingBack(worlds: Worlds, from: string, to: string): Worlds {
  const made = new Set<string>();
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await worlds.close();
    for (const name of made) {
      const isFolder = lstatSync(join(from, name), { throwIfNoEntry: false })?.isDirectory() === true;
      if (isFolder && !existsSync(join(to, name))) renameSync(join(from, name), join(to, name));
    }
    await rm(from, { recursive: true, force: true });
  };
  const noted = (ref: WorldRef): WorldRef => {
    made.add(ref.worldId);
    return new NotedWorld(ref, noted);
  };
  return {
    create: async (request) => noted(await worlds.create(request)),
    open: async (worldId) => noted(await worlds.open(worldId)),
    hostOf: (worldId) => worlds.hostOf(worldId),
    killHost: (index) => worlds.killHost(index),
    stats: () => worlds.stats(),
    get hostCount() {
      return worlds.hostCount;
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Its forks are noted as it was. */
class NotedWorld extends WorldView {
  readonly #noted: (fork: WorldRef) => WorldRef;

  constructor(world: WorldRef, noted: (fork: WorldRef) => WorldRef) {
    super(world);
    this.#noted = noted;
  }

  override async fork(request: ForkWorld): ReturnType<WorldRef['fork']> {
    const { world, position } = await super.fork(request);
    return { world: this.#noted(world), position };
  }
}

/**
 * Where tool code of a local run goes that names no place: packages from outside of the repository into a box where one is available.
 * `notice`: what the user should know, where it cannot.
 */
export function chooseLocalIsolation(outsidePackages: readonly string[]): { isolation: LocalIsolation; notice?: string } {
  if (outsidePackages.length === 0) return { isolation: 'thread' };
  const { works, reason } = canBox();
  if (works) return { isolation: 'box' };
  const names = outsidePackages.join(', ');
  return { isolation: 'thread', notice: `Tool code from outside of this repository (${names}) runs without a box: ${reason}.` };
}
