// The public run: compile, plan, attempts with bounded concurrency, verdicts. Everything it opens it closes.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type CallbackReceivers, loopbackReceiver, receiverIdsOf } from '../callbacks/receivers.js';
import { type CompileResult, compileProject } from '../compiler/compile.js';
import type { CompiledBuild, Diagnostic } from '../contract/build.js';
import { ServiceError } from '../contract/errors.js';
import type { Provenance } from '../contract/project-view.js';
import type { RunError, Verdict } from '../contract/run.js';
import type { RunEvent } from '../contract/run-events.js';
import type { TrialStatistics } from '../contract/trial-statistics.js';
import { refuseUnknownOptions } from '../contract/unknown-options.js';
import { markRun } from '../reports/runs-in-progress.js';
import { chooseLocalIsolation, openLocalWorlds } from '../worlds/local-worlds.js';
import type { AttemptContext, PlaceOfHandler } from './attempt-context.js';
import type { BindingsPort } from './bindings-port.js';
import { defaultRunDirectory, thenPrune } from './kept-runs.js';
import { requireKnownOptions } from './known-options.js';
import { forEachInLanes, type Rest } from './lanes.js';
import { requireLoadableTools } from './loadable-tools.js';
import type { RunDrillsOptions } from './options.js';
import { type Plan, type PlanOptions, planOptionNames, planRun } from './plan.js';
import { attemptPlayed, type ReportedAttempt } from './reported-attempt.js';
import { runError, saysDiskFull } from './run-error.js';
import type { Shard } from './shard.js';
import { SourceInvalidError } from './source-invalid.js';
import { Targets } from './targets/targets.js';
import { drillVerdict, firstAttemptStatistics, overallVerdict, trialVerdict } from './trials.js';

export interface TrialOutcome {
  trial: number;
  seed: string;
  verdict: Verdict;
  /** It passed, but not at the first attempt. */
  flaky: boolean;
  attempts: ReportedAttempt[];
}
export interface DrillOutcome {
  drillId: string;
  title?: string;
  verdict: Verdict;
  /** A trial passed, but not at its first attempt. */
  flaky: boolean;
  /** Of the first attempts of several trials: absent for a drill of one trial, and where none was started. */
  statistics?: TrialStatistics;
  trials: TrialOutcome[];
}
export interface RunDrillsResult {
  schemaVersion: 1;
  buildHash: string;
  suiteId?: string;
  seed: string;
  shard?: Shard;
  verdict: Verdict;
  /** Drills. */
  passed: number;
  failed: number;
  inconclusive: number;
  cancelled: boolean;
  /** A full disk: no further attempts were started, and what did not run counts as inconclusive. Which folder it is, and what to do. */
  endedEarly?: RunError;
  drills: DrillOutcome[];
  /** Warnings of the compiler. */
  diagnostics: Diagnostic[];
  /** Where each drill of the repository is declared. */
  sources: { [drillId: string]: Provenance };
}
/** Of a build, whose source nobody knows any more. */
export type BuildRunResult = Omit<RunDrillsResult, 'diagnostics' | 'sources'>;

/** Rejects with control.SOURCE_INVALID (`details.diagnostics`) for a repository that does not compile, and for options that fit nothing. */
export async function runDrills(options: RunDrillsOptions, openBindings: () => BindingsPort): Promise<RunDrillsResult> {
  requireKnownOptions(options);
  const { build, diagnostics, view, outsidePackages, handlerPlace } = await compile(options);
  const sources = Object.fromEntries(view.drills.map(({ id, provenance }) => [id, provenance]));
  const result = await thenPrune(options, () => runBuild(build, options, openBindings, { outsidePackages, placeOfHandler: handlerPlace }));
  return { ...result, diagnostics, sources };
}

/** Compiles and plans; runs nothing. */
export async function planDrills(options: PlanDrillsOptions, available: BindingsPort['available']): Promise<Plan> {
  refuseUnknownOptions('planDrills', options, [...planOptionNames, ...sourceOptionNames]);
  return planRun((await compile(options)).build, options, available);
}

type SourceOptions = Pick<RunDrillsOptions, 'root' | 'config' | 'onCompiling'>;
const sourceOptionNames: readonly (keyof SourceOptions)[] = ['root', 'config', 'onCompiling'];
export type PlanDrillsOptions = PlanOptions & SourceOptions;

async function compile({ root, config, onCompiling }: SourceOptions): Promise<Compiled> {
  const progress = onCompiling === undefined ? {} : { onProgress: onCompiling };
  const { build, ...compiled } = await compileProject({ root: resolve(root), ...(config === undefined ? {} : { config }), ...progress });
  if (build === undefined) throw new SourceInvalidError(compiled.diagnostics);
  return { ...compiled, build };
}

type Compiled = CompileResult & { build: CompiledBuild };

export interface SourceFacts {
  /** Tool packages that were installed; their code runs in a box where one can be had. */
  outsidePackages?: readonly string[];
  placeOfHandler?: PlaceOfHandler;
}

export async function runBuild(
  build: CompiledBuild,
  options: RunDrillsOptions,
  openBindings: () => BindingsPort,
  { outsidePackages = [], placeOfHandler = () => undefined }: SourceFacts = {},
): Promise<BuildRunResult> {
  const root = resolve(options.root);
  const { isolation, notice } = options.isolate === undefined ? chooseLocalIsolation(outsidePackages) : { isolation: options.isolate };
  if (notice !== undefined) options.onNotice?.(notice);
  const bindings = openBindings();
  const plan = planRun(build, options, bindings.available);
  const runs = plan.drills.reduce((sum, { trials }) => sum + trials.length, 0);
  const onEvent = options.onEvent ?? (() => {});
  onEvent({
    event: 'plan',
    runs,
    drills: plan.drills.length,
    concurrency: plan.concurrency,
    seed: plan.seed,
    ...(plan.shard === undefined ? {} : { shard: plan.shard }),
  });
  const { agent, onWorld = () => {}, callbackReceivers = {} } = options;
  requireReceivers(build, callbackReceivers);
  const prefixes = build.compat.environmentPrefixes;
  // An agent is the repository's own code; a box is asked for by name before its process changes.
  const agents = options.isolate === 'box' ? 'process' : (options.isolate ?? 'thread');
  const targets = new Targets({
    root,
    isolation: agents,
    prefixes,
    allowRemote: options.allowRemote === true,
    ...(agent === undefined ? {} : { agent }),
  });
  const directory = resolve(root, options.runDirectory ?? defaultRunDirectory);
  const mark = markRun(directory);
  const worlds = await openLocalWorlds({
    directory,
    // One a lane: tool code that takes its host down, or keeps it busy for seconds, must not touch an attempt beside it or after it.
    hosts: Math.max(1, Math.min(plan.concurrency, runs)),
    hostsAtStart: Math.min(availableParallelism(), runs),
    hostCoolDownMs: 0,
    isolation,
    ...(options.handlerTimeoutMs === undefined ? {} : { handlerTimeoutMs: options.handlerTimeoutMs }),
    ...(options.amnesia === undefined ? {} : { amnesia: options.amnesia }),
  }).catch((error: unknown) => {
    mark?.remove();
    throw error;
  });
  try {
    await requireLoadableTools(worlds, build, plan.drills[0]);
    const signal = options.signal ?? new AbortController().signal;
    const context: AttemptContext = { build, worlds, bindings, targets, callbackReceivers, placeOfHandler, signal, onEvent, onWorld };
    return await new Run(plan, options, context).play();
  } finally {
    await targets.close();
    await bindings.close();
    await worlds.close();
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

class Run {
  readonly #plan: Plan;
  readonly #options: RunDrillsOptions;
  readonly #context: AttemptContext;
  readonly #drills: DrillOutcome[];
  /** By drill, how many have not ended. */
  readonly #openTrials: number[];
  #stopped = false;
  #endedEarly: RunError | undefined;

  constructor(plan: Plan, options: RunDrillsOptions, context: AttemptContext) {
    this.#plan = plan;
    this.#options = options;
    this.#context = context;
    this.#openTrials = plan.drills.map(({ trials }) => trials.length);
    this.#drills = plan.drills.map(({ drill, trials }) => ({
      drillId: drill.id,
      ...(drill.title === undefined ? {} : { title: drill.title }),
      verdict: 'inconclusive',
      flaky: false,
      trials: trials.map(({ trial, seed }) => ({ trial, seed, verdict: 'inconclusive', flaky: false, attempts: [] })),
    }));
  }

  async play(): Promise<BuildRunResult> {
    const { drills, concurrency } = this.#plan;
    const jobs = drills.flatMap((planned, drillIndex) => planned.trials.map((_, trialIndex) => ({ drillIndex, trialIndex })));
    await forEachInLanes(jobs, { lanesMax: concurrency }, (job, lane) => this.#playTrial(job, lane));
    return this.#summary();
  }

  async #playTrial({ drillIndex, trialIndex }: { drillIndex: number; trialIndex: number }, lane: number): Promise<Rest> {
    const planned = this.#plan.drills[drillIndex]!;
    const outcome = this.#drills[drillIndex]!.trials[trialIndex]!;
    const { signal } = this.#context;
    for (let attempt = 1; attempt <= planned.attemptLimit && !signal.aborted && !this.#stopped; attempt++) {
      const request = { planned, trial: planned.trials[trialIndex]!, attempt, host: lane };
      const { verdict, reported } = await attemptPlayed(this.#context, this.#options, request);
      const reports = reported.then((played) => {
        outcome.attempts.push(played);
        this.#endOnFullDisk(played);
      });
      // Of several lanes each goes on while its last report is written; one alone tells of a trial before it begins the next.
      if (attempt === planned.attemptLimit && this.#plan.concurrency > 1) {
        this.#stopAfter(verdict);
        return { rest: reports.then(() => this.#closeTrial(drillIndex, outcome)) };
      }
      await reports;
      if (outcome.attempts.at(-1)?.verdict === 'passed') break;
    }
    this.#closeTrial(drillIndex, outcome);
    return undefined;
  }

  #closeTrial(drillIndex: number, outcome: TrialOutcome): void {
    Object.assign(outcome, trialVerdict(outcome.attempts.map(({ verdict }) => verdict)));
    this.#stopAfter(outcome.verdict);
    this.#openTrials[drillIndex]! -= 1;
    if (this.#openTrials[drillIndex] === 0) this.#closeDrill(drillIndex);
  }

  #endOnFullDisk({ result: { failure }, reportError }: ReportedAttempt): void {
    const full = [failure, reportError].find((error) => error !== undefined && saysDiskFull(error));
    if (full === undefined || this.#endedEarly !== undefined) return;
    this.#stopped = true;
    const { root, runDirectory = defaultRunDirectory } = this.#options;
    const place = full.details.path ?? resolve(root, runDirectory);
    const message = `The disk is full at ${place}. No further attempts were started; what was acknowledged before is kept. Make room and run again.`;
    this.#endedEarly = runError('control.STORAGE_FULL', message, { retryable: true, details: { path: place } });
  }

  #stopAfter(verdict: Verdict): void {
    if (verdict === 'failed' && this.#options.stopOnFailure === true) this.#stopped = true;
  }

  #closeDrill(drillIndex: number): void {
    const outcome = this.#drills[drillIndex]!;
    const { drill } = this.#plan.drills[drillIndex]!;
    outcome.verdict = drillVerdict(
      outcome.trials.map(({ verdict }) => verdict),
      drill.trials.require,
    );
    outcome.flaky = outcome.trials.some(({ flaky }) => flaky);
    const statistics = firstAttemptStatistics(outcome.trials.map(({ attempts }) => attempts[0]?.verdict));
    if (statistics !== undefined) outcome.statistics = statistics;
    this.#context.onEvent({
      event: 'drill',
      drillId: drill.id,
      verdict: outcome.verdict,
      trialsPassed: outcome.trials.filter(({ verdict }) => verdict === 'passed').length,
      trialCount: outcome.trials.length,
      ...(outcome.flaky ? { flaky: true as const } : {}),
      ...(statistics === undefined ? {} : { statistics }),
    });
  }

  #ending(): Pick<Extract<RunEvent, { event: 'summary' }>, 'endedEarly'> {
    if (this.#endedEarly === undefined) return {};
    const { code, message } = this.#endedEarly;
    return { endedEarly: { code, message } };
  }

  #summary(): BuildRunResult {
    const { buildHash, suiteId, seed, shard } = this.#plan;
    const count = (wanted: Verdict): number => this.#drills.filter(({ verdict }) => verdict === wanted).length;
    const totals = {
      verdict: overallVerdict(this.#drills.map(({ verdict }) => verdict)),
      passed: count('passed'),
      failed: count('failed'),
      inconclusive: count('inconclusive'),
    };
    const flaky = this.#drills.filter((drill) => drill.flaky).map(({ drillId }) => drillId);
    const event: RunEvent = { event: 'summary', ...totals, ...(flaky.length === 0 ? {} : { flaky }), ...this.#ending() };
    this.#context.onEvent(event);
    return {
      schemaVersion: 1,
      buildHash,
      ...(suiteId === undefined ? {} : { suiteId }),
      seed,
      ...(shard === undefined ? {} : { shard }),
      ...totals,
      cancelled: this.#context.signal.aborted,
      ...(this.#endedEarly === undefined ? {} : { endedEarly: this.#endedEarly }),
      drills: this.#drills,
    };
  }
}
