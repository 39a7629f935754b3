// A world to play with in process: one compiled repository, one world of it, driven by code instead of a drill.
import { resolve } from 'node:path';
import { walkPages } from './async/pages.js';
import { withReceivers } from './callbacks/delivering-world.js';
import type { CallbackReceivers } from './callbacks/receivers.js';
import { compileProject } from './compiler/compile.js';
import { defined } from './contract/defined.js';
import { newId } from './contract/ids.js';
import type { JsonObject, JsonValue } from './contract/json.js';
import { type OptionShapes, optionShapes, requireOptions } from './contract/known-options.js';
import { limits } from './contract/limits.js';
import type { CompiledBuild } from './contract/run/build.js';
import { chooseStart, type WorldStart as LocalWorldStart } from './contract/run/world-start.js';
import type { EvidenceEntry } from './contract/world/evidence.js';
import type {
  AdvanceResult,
  CallResult,
  EvidencePage,
  StatePage,
  ToolCatalogItem,
  WorldPosition,
} from './contract/world/world-protocol.js';
import { loadEachTool, namingFile } from './drills/loadable-tools.js';
import { SourceInvalidError } from './drills/source-invalid.js';
import type { WorldRef } from './worlds/api.js';
import { chooseLocalIsolation, type LocalIsolation, openLocalWorlds, openTemporaryWorlds } from './worlds/local-worlds.js';

export interface LocalWorldOptions {
  /** The repository. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /** What the world starts from: a scenario, a drill's setup, or (without both) the world's own baseline. */
  scenarioId?: string;
  drillId?: string;
  /** Default: the world's. */
  seed?: string;
  /** Where the world is kept. Default: a temporary folder that `close` removes. */
  directory?: string;
  isolate?: LocalIsolation;
  /** Where callbacks are delivered, by receiver id; addresses of this machine. Those of no entry wait. */
  callbackReceivers?: CallbackReceivers;
}

const shapes: OptionShapes<LocalWorldOptions> = {
  root: optionShapes.root,
  config: 'text',
  scenarioId: 'text',
  drillId: 'text',
  seed: 'text',
  directory: 'text',
  isolate: optionShapes.isolate,
  callbackReceivers: optionShapes.receivers,
};

export interface ActorCall {
  actorId: string;
  actorInstanceId?: string;
  packageId: string;
  operationId: string;
  arguments: JsonValue;
  instanceId?: string;
  idempotencyKey?: string;
}
export interface StateSpace {
  packageId: string;
  /** Default: the package's id. */
  instanceId?: string;
  namespace: string;
}

export interface LocalWorld {
  /** Everything else a world answers to: faults, events, snapshots, forks, reset. */
  readonly world: WorldRef;
  readonly build: CompiledBuild;
  /** An actor calls a tool. Outcomes are values; nothing is thrown for an error of the tool. */
  call(call: ActorCall): Promise<CallResult>;
  /** What the actor is granted. */
  tools(actorId: string, actorInstanceId?: string): Promise<ToolCatalogItem[]>;
  /** Moves the clock, firing what is due. */
  advance(targetUs: number, options?: { maxEvents?: number; signal?: AbortSignal }): Promise<AdvanceResult>;
  /** One row, or null. */
  row(space: StateSpace, rowId: string): Promise<JsonObject | null>;
  /** Every row of a namespace, in order of rowId; `atSequence`: as it was right after that entry. */
  state(space: StateSpace, options?: { atSequence?: number }): AsyncGenerator<{ rowId: string; value: JsonObject }>;
  /** The journal, from a sequence on. */
  evidence(fromSequence?: number): AsyncGenerator<EvidenceEntry>;
  position(): Promise<WorldPosition>;
  close(): Promise<void>;
}

/** Rejects with control.SOURCE_INVALID when the repository does not compile, control.INVALID_REQUEST for a scenario or drill it has not. */
export async function createLocalWorld(options: LocalWorldOptions): Promise<LocalWorld> {
  requireOptions('createLocalWorld', options, shapes);
  const { build, diagnostics, outsidePackages, handlerPlace } = await compileProject({
    root: resolve(options.root),
    ...defined({ config: options.config }),
  });
  if (build === undefined) throw new SourceInvalidError(diagnostics);
  const isolate = options.isolate ?? chooseLocalIsolation(outsidePackages).isolation;
  try {
    return await openLocalWorld(build, chooseStart(build, options), { ...options, isolate });
  } catch (error) {
    throw namingFile(error, { build, placeOfHandler: handlerPlace });
  }
}

/** A world of a build, from a start that is one of the build's or made from it. */
export async function openLocalWorld(
  build: CompiledBuild,
  start: LocalWorldStart,
  options: Pick<LocalWorldOptions, 'seed' | 'directory' | 'isolate' | 'callbackReceivers'>,
): Promise<LocalWorld> {
  const { directory, isolate: isolation = 'thread' } = options;
  const { worlds, close: closeWorlds } = await openedIn(directory, { hosts: 1, isolation, printThrows: true });
  const ended = new AbortController();
  const close = async (): Promise<void> => {
    ended.abort();
    await closeWorlds();
  };
  try {
    const made = await worlds.create({
      worldId: newId('world'),
      build,
      ...start,
      seed: { seed: options.seed ?? build.world.seed, trial: 1, attempt: 1 },
    });
    await loadEachTool(made, build);
    const { world } = withReceivers(made, { build, fixed: options.callbackReceivers, signal: ended.signal });
    return localWorld(build, world, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function openedIn(directory: string | undefined, options: Parameters<typeof openTemporaryWorlds>[0]) {
  if (directory === undefined) return await openTemporaryWorlds(options);
  const worlds = await openLocalWorlds({ ...options, directory });
  return { worlds, close: () => worlds.close() };
}

function localWorld(build: CompiledBuild, world: WorldRef, close: () => Promise<void>): LocalWorld {
  return {
    world,
    build,
    call: (call) => world.command({ kind: 'call', ...call }),
    tools: (actorId, actorInstanceId) => world.query({ kind: 'tools', actorId, ...defined({ actorInstanceId }) }),
    advance: (targetUs, { maxEvents = limits.advanceEventsMax, signal } = {}) =>
      world.command({ kind: 'advance', targetUs, maxEvents }, signal === undefined ? {} : { signal }),
    row: async (space, rowId) => (await world.query({ kind: 'row', ...space, rowId })).value,
    state: (space, options = {}) => rowsOf(world, space, options),
    evidence: (fromSequence = 1) => entriesOf(world, fromSequence),
    position: () => world.query({ kind: 'position' }),
    close,
  };
}

async function* rowsOf(
  world: WorldRef,
  space: StateSpace,
  at: { atSequence?: number },
): AsyncGenerator<{ rowId: string; value: JsonObject }> {
  const next = ({ nextAfterRowId }: StatePage) => nextAfterRowId;
  const pages = walkPages({ next }, (afterRowId?: string) =>
    world.query({ kind: 'state', ...space, ...at, ...defined({ afterRowId }), limit: limits.statePageRowsMax }),
  );
  for await (const { rows } of pages) yield* rows;
}

async function* entriesOf(world: WorldRef, fromSequence: number): AsyncGenerator<EvidenceEntry> {
  const next = ({ nextSequence }: EvidencePage) => nextSequence;
  const pages = walkPages({ first: fromSequence, next }, (sequence = fromSequence) =>
    world.query({ kind: 'evidence', fromSequence: sequence, limit: limits.evidencePageEntriesMax }),
  );
  for await (const { entries } of pages) yield* entries;
}
