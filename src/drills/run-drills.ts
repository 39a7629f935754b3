// The public run: compile, plan, attempts with bounded concurrency, verdicts. Everything it opens it closes.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type CallbackReceivers, loopbackReceiver, receiverIdsOf } from '../callbacks/receivers.js';
import { runDialect } from '../compat/dialects.js';
import { type CompileResult, compileProject } from '../compiler/compile.js';
import { defined } from '../contract/defined.js';
import { ServiceError } from '../contract/errors.js';
import { localFolders } from '../contract/local-folders.js';
import type { Provenance } from '../contract/provenance.js';
import type { CompiledBuild, Diagnostic } from '../contract/run/build.js';
import { markRun, type RunMark } from '../reports/runs-in-progress.js';
import type { Worlds } from '../worlds/api.js';
import { chooseLocalIsolation, openLocalWorlds, prepareLocalHost } from '../worlds/local-worlds.js';
import type { AttemptContext, PlaceOfHandler } from './attempt/attempt-context.js';
import { requireLoadableTools } from './loadable-tools.js';
import type { AttemptRequest } from './local-attempt.js';
import { requirePlanOptions, requireRunOptions, type SourceOptions } from './plan/known-options.js';
import type { RunDrillsOptions } from './plan/options.js';
import { type Plan, type PlanOptions, planRun } from './plan/plan.js';
import type { BindingsPort, OpenBindings } from './ports/bindings-port.js';
import { attemptPlayed } from './reported-attempt.js';
import { announcePlan, type BuildRunResult, newInvocation, plannedRuns, Run } from './run.js';
import { SourceInvalidError } from './source-invalid.js';
import { thenPrune } from './stored/kept-runs.js';
import { Targets } from './targets/targets.js';

export interface RunDrillsResult extends BuildRunResult {
  /** Warnings of the compiler. */
  diagnostics: Diagnostic[];
  /** Where each drill of the repository is declared. */
  sources: { [drillId: string]: Provenance };
}

/** Rejects with control.SOURCE_INVALID (`details.diagnostics`) for a repository that does not compile, and for options that fit nothing. */
export async function runDrills(options: RunDrillsOptions, openBindings: OpenBindings): Promise<RunDrillsResult> {
  requireRunOptions(options);
  // While the source is read on this thread, that of the first host loads its modules.
  const giveUpHost = (options.isolate ?? 'thread') === 'thread' ? prepareLocalHost() : () => {};
  try {
    const { build, diagnostics, view, outsidePackages, handlerPlace } = await compile(options);
    const sources = Object.fromEntries(view.drills.map(({ id, provenance }) => [id, provenance]));
    options.onSources?.(sources);
    // Hosts in boxes are processes.
    if (outsidePackages.length > 0) giveUpHost();
    const result = await thenPrune(options, () =>
      runBuild(build, options, openBindings, { outsidePackages, placeOfHandler: handlerPlace }),
    );
    return { ...result, diagnostics, sources };
  } finally {
    giveUpHost();
  }
}

/** Compiles and plans; runs nothing. */
export async function planDrills(options: PlanDrillsOptions, available: BindingsPort['available']): Promise<Plan> {
  requirePlanOptions(options);
  return planRun((await compile(options)).build, options, available);
}

export type PlanDrillsOptions = PlanOptions & SourceOptions;

async function compile({ root, config, inlineDrills, onCompiling }: SourceOptions): Promise<CompiledRepository> {
  const progress = defined({ onProgress: onCompiling });
  const { build, ...compiled } = await compileProject({ root: resolve(root), ...defined({ config, inlineDrills }), ...progress });
  if (build === undefined) throw new SourceInvalidError(compiled.diagnostics);
  return { ...compiled, build };
}

type CompiledRepository = CompileResult & { build: CompiledBuild };

export interface SourceFacts {
  /** Tool packages that were installed; their code runs in a box where one is available. */
  outsidePackages?: readonly string[];
  placeOfHandler?: PlaceOfHandler;
}

export async function runBuild(
  build: CompiledBuild,
  options: RunDrillsOptions,
  openBindings: OpenBindings,
  { outsidePackages = [], placeOfHandler = () => undefined }: SourceFacts = {},
): Promise<BuildRunResult> {
  const root = resolve(options.root);
  const { isolation, notice } = options.isolate === undefined ? chooseLocalIsolation(outsidePackages) : { isolation: options.isolate };
  if (notice !== undefined) options.onNotice?.(notice);
  const dialect = runDialect(build.compat.dialect);
  const bindings = openBindings({ dialect: dialect.agents });
  const plan = planRun(build, options, bindings.available);
  const runs = plannedRuns(plan);
  const onEvent = options.onEvent ?? (() => {});
  const invocation = newInvocation(plan);
  announcePlan(plan, { invocation, onEvent });
  const { agent, onWorld = () => {}, onSaid = () => {}, callbackReceivers = {} } = options;
  requireReceivers(build, callbackReceivers);
  const prefixes = build.compat.environmentPrefixes;
  // An agent is the repository's own code; a box is asked for by name before its process changes.
  const agents = options.isolate === 'box' ? 'process' : (options.isolate ?? 'thread');
  const targets = new Targets({
    root,
    isolation: agents,
    prefixes,
    dialect: dialect.targets,
    allowRemote: options.allowRemote === true,
    ...defined({ agent }),
  });
  const directory = resolve(root, options.runDirectory ?? localFolders.runs);
  let mark: RunMark | undefined;
  let worlds: Worlds | undefined;
  try {
    const [first] = plan.drills;
    if (first !== undefined && first.refusal === undefined) targets.prepare(first.target);
    mark = markRun(directory);
    worlds = await openLocalWorlds({
      directory,
      // One a lane: tool code that takes its host down, or keeps it busy for seconds, must not touch an attempt beside it or after it.
      hosts: Math.max(1, Math.min(plan.concurrency, runs)),
      hostsAtStart: Math.min(availableParallelism(), runs),
      hostCoolDownMs: 0,
      isolation,
      ...defined({ handlerTimeoutMs: options.handlerTimeoutMs, freshModulePerTurn: options.freshModulePerTurn }),
    });
    await requireLoadableTools(worlds, { build, drill: plan.drills[0], placeOfHandler });
    const signal = options.signal ?? new AbortController().signal;
    const facts = { invocation, build, callbackReceivers, placeOfHandler };
    const context: AttemptContext = { ...facts, worlds, bindings, targets, signal, onEvent, onWorld, onSaid };
    const play = (request: AttemptRequest) => attemptPlayed(context, options, request);
    return await new Run(plan, options, { invocation, signal, onEvent, play }).play();
  } finally {
    await targets.close();
    await bindings.close();
    await worlds?.close();
    mark?.remove();
  }
}

/** control.INVALID_REQUEST for a receiver to which no tool of the build sends anything, or that cannot be one. */
function requireReceivers(build: CompiledBuild, given: CallbackReceivers): void {
  const known = receiverIdsOf(build);
  for (const [receiverId, target] of Object.entries(given)) {
    loopbackReceiver(target);
    if (known.has(receiverId)) continue;
    const suggestion = known.size === 0 ? 'no tool has callbacks' : `there are ${[...known].join(', ')}`;
    throw new ServiceError('control.INVALID_REQUEST', { message: `No tool sends callbacks to a receiver "${receiverId}": ${suggestion}.` });
  }
}
