// A stored run as a world to play with: a copy of the world that it left, forked at one of its entries. The run itself is not touched.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { compileProject } from './compiler/compile.js';
import { defined } from './contract/defined.js';
import { ServiceError } from './contract/errors.js';
import { newId } from './contract/ids.js';
import { type OptionShapes, optionShapes, requireOptions } from './contract/known-options.js';
import { localFolders } from './contract/local-folders.js';
import type { OperationEntry } from './contract/world/evidence.js';
import { nextCall } from './drills/stored/next-call.js';
import { openStoredRun } from './drills/stored/stored-run.js';
import { RetainedWorlds } from './inspector/retained-worlds.js';
import type { WorldRef } from './worlds/api.js';
import { chooseLocalIsolation, type LocalIsolation, openLocalWorlds } from './worlds/local-worlds.js';

export interface ForkRunOptions {
  /** The repository. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /** A report folder, the id of a run of the repository, or an alias such as `latest`. */
  run: string;
  /** The fork stands as the run did right after this entry; inside a transaction, after the one before it. */
  atSequence: number;
  /** The retained worlds. Default .service/runs. */
  runDirectory?: string;
  /** Where tool code runs. Default: as `runDrills`. */
  isolate?: LocalIsolation;
}
const shapes: OptionShapes<ForkRunOptions> = {
  root: optionShapes.root,
  config: 'text',
  run: { required: 'text' },
  atSequence: { required: 'number' },
  runDirectory: 'text',
  isolate: optionShapes.isolate,
};

export interface ForkedRun {
  readonly runId: string;
  readonly drillId: string;
  readonly world: WorldRef;
  /** The last entry of the run that it stands after. */
  readonly atSequence: number;
  /** What the agent of the run asked next. */
  readonly next: OperationEntry | undefined;
  /** Of the run: who acts where nobody says another. */
  readonly actor: { actorId: string; actorInstanceId?: string };
  /** Removes the fork and the copy. */
  close(): Promise<void>;
}

/** Rejects with control.NOT_FOUND where the run or its world is not kept, with control.INVALID_REQUEST for an entry that there is not. */
export async function forkRun(options: ForkRunOptions): Promise<ForkedRun> {
  requireOptions('forkRun', options, shapes);
  const { root, config, run, atSequence, runDirectory = localFolders.runs } = options;
  const stored = await openStoredRun({ root, run });
  const { identity, interactions } = stored.report.result;
  const { at, next } = await nextCall(stored, atSequence);
  const [first] = interactions;
  const caller = next ?? first;
  if (caller === undefined)
    throw new ServiceError('control.INVALID_REQUEST', { message: `${identity.runId} has no actor: nothing ran in it.` });
  // What is not compiled now was compiled then: only where its code may run is asked.
  const { outsidePackages } = await compileProject({ root: resolve(root), ...defined({ config }) });
  const isolation = options.isolate ?? chooseLocalIsolation(outsidePackages).isolation;
  const directory = await mkdtemp(join(tmpdir(), 'drillyard-fork-'));
  const worlds = await openLocalWorlds({ directory, isFresh: true, hosts: 1, isolation, hostCoolDownMs: 0, printThrows: true });
  const close = () => worlds.close().finally(() => rm(directory, { recursive: true, force: true }));
  try {
    const retained = new RetainedWorlds({
      runDirectory: resolve(root, runDirectory),
      copyDirectory: directory,
      worlds: async () => worlds,
    });
    const parent = await retained.open(identity.runId);
    const { world } = await parent.fork({ worldId: newId('world'), atSequence: at, isNew: true });
    const { actorId, actorInstanceId } = caller;
    return {
      runId: identity.runId,
      drillId: identity.drillId,
      world,
      atSequence: at,
      next,
      actor: { actorId, ...defined({ actorInstanceId }) },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
