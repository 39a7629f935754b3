// The tool calls of a stored run made again, in order and at their virtual times, against the world as the present source builds it. No
// agent runs, nothing is written: it says whether the world still answers as it did.
import { resolve } from 'node:path';
import { compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { newId } from '../contract/ids.js';
import { type OptionShapes, optionShapes, requireOptions } from '../contract/known-options.js';
import type { CompiledBuild, CompiledDrill, Diagnostic } from '../contract/run/build.js';
import type { RunIdentity } from '../contract/run/run.js';
import { chooseStart } from '../contract/run/world-start.js';
import { oneReportPath } from '../reports/report-path.js';
import { nearest } from '../text/nearest.js';
import type { WorldRef, Worlds } from '../worlds/api.js';
import { chooseLocalIsolation, type LocalIsolation, openTemporaryWorlds } from '../worlds/local-worlds.js';
import { loadEachTool, namingFile } from './loadable-tools.js';
import { SourceInvalidError } from './source-invalid.js';
import { recordedSteps } from './stored/recorded-steps.js';
import { type Replayed, replaySteps } from './stored/replay.js';
import { notSealed, readVerifiedReport } from './stored/verified-report.js';
import { tuning } from './tuning.js';

export interface ReplayReportOptions {
  /** The repository, whose tools answer. */
  root: string;
  /** The root file. Default drillyard.json. */
  config?: string;
  /** A report folder, of the present folder or of the root, or the id of a run of the repository. */
  report: string;
  /** What the world starts from in the place of the drill's setup: its own start, or a scenario. */
  baseline?: boolean;
  scenarioId?: string;
  /** Switched before the first call: `package.fault`, `package@instance.fault`, or the fault alone where one tool has it. */
  faults?: readonly { fault: string; active: boolean }[];
  /** Where tool code runs. Default: as `runDrills`. */
  isolate?: LocalIsolation;
  onCompiling?: (done: number, total: number) => void;
}
const shapes: OptionShapes<ReplayReportOptions> = {
  root: optionShapes.root,
  config: 'text',
  report: { required: 'text' },
  baseline: 'boolean',
  scenarioId: 'text',
  faults: { listOf: { members: { fault: { required: 'text' }, active: { required: 'boolean' } } } },
  isolate: optionShapes.isolate,
  onCompiling: 'function',
};

export interface ReplayReportResult extends Replayed {
  runId: string;
  drillId: string;
  folder: string;
  /** What the world started from, where that is not the drill's setup. */
  start?: { kind: 'world' } | { kind: 'scenario'; scenarioId: string };
  /** Every step got the answer that it got. */
  same: boolean;
  /** The rows at the end have the run's `stateHash`. */
  sameState: boolean;
  /** The present source starts the drill from something else. */
  setupChanged: boolean;
  /** Warnings of the compiler. */
  diagnostics: Diagnostic[];
}

/**
 * Rejects with control.SOURCE_INVALID for a repository that does not compile, control.NOT_FOUND for a run or a drill that is not there, and
 * control.INVALID_REQUEST for a report that was changed, or whose journal does not hold all that was asked.
 */
export async function replayReport(options: ReplayReportOptions): Promise<ReplayReportResult> {
  requireOptions('replayReport', options, shapes);
  const { root, config, report: named, onCompiling } = options;
  const folder = oneReportPath(named, root);
  const progress = defined({ onProgress: onCompiling });
  const compiled = await compileProject({ root: resolve(root), ...defined({ config }), ...progress });
  const { build, diagnostics, outsidePackages, handlerPlace: placeOfHandler } = compiled;
  if (build === undefined) throw new SourceInvalidError(diagnostics);
  const read = await readVerifiedReport(folder);
  if (!read.ok) throw notSealed(folder, read.problems);
  const { identity, stateHash } = read.report.result;
  if (identity.worldInstanceId === '')
    throw new ServiceError('control.INVALID_REQUEST', { message: 'The run has no journal: its world could not be made.' });
  const drill = withStart(build, drillOf(build, identity.drillId), options);
  const faults = (options.faults ?? []).map((wanted) => ({ ...faultIn(build, wanted.fault), active: wanted.active }));
  const { worlds, close } = await openTemporaryWorlds({
    hosts: 1,
    isolation: options.isolate ?? chooseLocalIsolation(outsidePackages).isolation,
    printThrows: true,
  });
  try {
    const world = await startAgain(worlds, { build, drill, identity });
    await loadEachTool(world, build);
    for (const fault of faults) await world.command({ kind: 'setFault', ...fault });
    const replayed = await replaySteps(recordedSteps(read.entries), { world, recordedInstanceId: identity.worldInstanceId });
    return {
      runId: read.report.runId,
      drillId: identity.drillId,
      folder,
      ...defined({ start: startOf(options) }),
      same: replayed.differing === 0,
      sameState: (await world.query({ kind: 'position' })).stateHash === stateHash,
      setupChanged: drill.setupHash !== identity.setupHash,
      ...replayed,
      diagnostics,
    };
  } catch (error) {
    throw namingFile(error, { build, placeOfHandler });
  } finally {
    await close();
  }
}

function drillOf({ drills }: CompiledBuild, drillId: string): CompiledDrill {
  const found = drills.find(({ drill }) => drill.id === drillId);
  if (found !== undefined) return found;
  const message = `The repository has no drill '${drillId}' any more, so there is no world to ask.`;
  throw new ServiceError('control.NOT_FOUND', { message });
}

/** control.INVALID_REQUEST for a scenario that the repository does not have. */
function withStart(
  build: CompiledBuild,
  drill: CompiledDrill,
  options: Pick<ReplayReportOptions, 'baseline' | 'scenarioId'>,
): CompiledDrill {
  return startOf(options) === undefined ? drill : { ...drill, ...chooseStart(build, { scenarioId: options.scenarioId }) };
}

function startOf({ baseline = false, scenarioId }: Pick<ReplayReportOptions, 'baseline' | 'scenarioId'>): ReplayReportResult['start'] {
  if (baseline && scenarioId !== undefined)
    throw new ServiceError('control.INVALID_REQUEST', { message: '"baseline" is a start, and "scenarioId" is another.' });
  if (scenarioId !== undefined) return { kind: 'scenario', scenarioId };
  return baseline ? { kind: 'world' } : undefined;
}

/** control.INVALID_REQUEST where no tool has it, or several. */
function faultIn({ tools }: CompiledBuild, name: string): { packageId: string; instanceId?: string; faultId: string } {
  const all = tools.flatMap(({ packageId, manifest }) => manifest.faults.map(({ id }) => ({ packageId, faultId: id })));
  const [, owner, instanceId, faultId = name] = /^([^.@]+)(?:@([^.]+))?\.(.+)$/.exec(name) ?? [];
  const found = all.filter((fault) => fault.faultId === faultId && (owner === undefined || fault.packageId === owner));
  const [one, ...others] = found;
  if (one !== undefined && others.length === 0) return { ...one, ...defined({ instanceId }) };
  const known = all.map((fault) => `${fault.packageId}.${fault.faultId}`);
  const near = nearest(name, known);
  const what = others.length > 0 ? 'Several tools have' : 'No tool has';
  const hint = near === undefined ? `There are: ${known.slice(0, tuning.idsListed).join(', ')}.` : `Did you mean "${near}"?`;
  throw new ServiceError('control.INVALID_REQUEST', { message: `${what} a fault "${name}". ${hint}` });
}

/** As the attempt began, with the source of today. */
function startAgain(
  worlds: Worlds,
  { build, drill, identity }: { build: CompiledBuild; drill: CompiledDrill; identity: RunIdentity },
): Promise<WorldRef> {
  const { seed, trial, attempt } = identity;
  const { maxToolCalls, maxEvents } = drill.drill.timeline;
  return worlds.create({
    worldId: newId('world'),
    build,
    setup: drill.setup,
    setupHash: drill.setupHash,
    seed: { seed, trial, attempt },
    budgets: { maxToolCalls, maxEvents },
    isNew: true,
  });
}
