// What will run: drills x trials, with their seeds and how often each may be tried. Pure: the same build and options, the same plan.
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import { limits } from '../../contract/limits.js';
import type { CompiledBuild, CompiledDrill } from '../../contract/run/build.js';
import type { Drill, Suite, Trials } from '../../contract/run/drill.js';
import type { RunError } from '../../contract/run/run.js';
import type { Binding, HttpMounts, Target } from '../../contract/run/target.js';
import { timelineLength, timelineLengthUs } from '../../contract/run/timeline-length.js';
import { deriveSeed } from '../../contract/seed.js';
import { isSeed } from '../../contract/seed-text.js';
import { runError } from '../ports/run-error.js';
import type { RunDrillsOptions, Selection } from './options.js';
import { selectDrills } from './select.js';
import { isInShard, isShard, type Shard } from './shard.js';

export interface PlannedTrial {
  /** From 1. */
  trial: number;
  /** Every attempt of the trial has the same. */
  seed: string;
}
/** A drill with who plays it. */
export interface PlayableDrill extends CompiledDrill {
  target: Target;
}
export interface PlannedDrill extends PlayableDrill {
  /** Those that run: all, or those that were asked for. */
  trials: PlannedTrial[];
  /** How many there are in all. */
  trialCount: number;
  /** The gate over the trials; none where only some of them run. */
  require: Trials['require'];
  attemptLimit: number;
  /** Why no attempt of it can run: each is reported as failed to run. */
  refusal?: RunError;
}
export interface Plan {
  buildHash: string;
  suiteId?: string;
  /** What every trial's seed is derived from. */
  seed: string;
  concurrency: number;
  shard?: Shard;
  /** None only in a shard, or where all are skipped. */
  drills: PlannedDrill[];
  /** Chosen, and not run: each has its reason in `skip`. */
  skipped: Drill[];
}

export type PlanOptions = Pick<
  RunDrillsOptions,
  keyof Selection | 'trials' | 'trial' | 'only' | 'retries' | 'seed' | 'concurrency' | 'agent'
>;

export function planRun(build: CompiledBuild, options: PlanOptions, available: ReadonlySet<Binding>): Plan {
  const { shard } = options;
  if (shard !== undefined && !isShard(shard))
    throw invalid('shard', `must have an index from 1 to its count, which is at most ${limits.runShardsMax}`);
  const { drills: all, suite } = selectDrills(build, options);
  const { only } = options;
  const named = only === undefined ? all : all.filter(({ drill }) => only.some(({ drillId }) => drillId === drill.id));
  const selected = withTrial(named, options, suite);
  if (selected.length === 0) throw new ServiceError('control.NOT_FOUND', { message: 'None of the chosen drills is to run again.' });
  const chosen = shard === undefined ? selected : selected.filter(({ drill }) => isInShard(drill.id, shard));
  const drills = chosen.filter(({ drill }) => drill.skip === undefined);
  const seed = options.seed ?? build.world.seed;
  if (!isSeed(seed)) throw invalid('seed', 'must be a decimal integer from 0 to 18446744073709551615');
  const retries = bounded('retries', options.retries ?? suite?.retries ?? 0, { from: 0, to: limits.retriesMax });
  const concurrency = bounded('concurrency', options.concurrency ?? suite?.concurrency ?? 1, { from: 1, to: limits.runConcurrencyMax });
  return {
    buildHash: build.buildHash,
    ...defined({ suiteId: suite?.id }),
    seed,
    concurrency,
    ...defined({ shard }),
    drills: drills.map((compiled) => {
      const numbers = trialsOf(compiled.drill, options, suite);
      const target = targetOf(build, compiled);
      const refusal = refuseTarget(target, available, options.agent !== undefined) ?? refuseTimeline(compiled);
      return {
        ...compiled,
        target,
        trials: numbers.wanted.map((trial) => ({ trial, seed: deriveSeed(seed, compiled.drill.id, trial) })),
        trialCount: numbers.count,
        require: numbers.isPart ? {} : compiled.drill.trials.require,
        attemptLimit: retries + 1,
        ...defined({ refusal }),
      };
    }),
    skipped: chosen.flatMap(({ drill }) => (drill.skip === undefined ? [] : [drill])),
  };
}

/** The drills that have the trial that is asked for. control.INVALID_REQUEST where none has. */
function withTrial(
  drills: readonly CompiledDrill[],
  { trial, ...options }: PlanOptions,
  suite: Suite | undefined,
): readonly CompiledDrill[] {
  if (trial === undefined || options.only !== undefined) return drills;
  bounded('trial', trial, trialBounds);
  const having = drills.filter(({ drill }) => trial <= countOf(drill, options, suite));
  if (having.length > 0) return having;
  const [most] = drills
    .map(({ drill }) => ({ id: drill.id, count: countOf(drill, options, suite) }))
    .sort((left, right) => right.count - left.count);
  throw invalid('trial', `must be at most ${most!.count}: no chosen drill has more trials than "${most!.id}"`);
}

const trialBounds = { from: 1, to: limits.trialsMax };

function countOf({ trials }: Drill, options: PlanOptions, suite: Suite | undefined): number {
  return bounded('trials', options.trials ?? suite?.trials ?? trials.count, trialBounds);
}

/** Which trials of a drill run, of how many. One alone is judged for itself: the gate is over all of them. */
function trialsOf(drill: Drill, options: PlanOptions, suite: Suite | undefined): { wanted: number[]; count: number; isPart: boolean } {
  const own = countOf(drill, options, suite);
  if (options.only === undefined) {
    if (options.trial !== undefined) return { wanted: [options.trial], count: own, isPart: true };
    return { wanted: Array.from({ length: own }, (_, index) => index + 1), count: own, isPart: false };
  }
  const { trials = [], trialCount = own } = options.only.find(({ drillId }) => drillId === drill.id) ?? {};
  const wanted = [...new Set(trials.map((trial) => bounded('trial', trial, trialBounds)))].sort((left, right) => left - right);
  const count = Math.max(bounded('trialCount', trialCount, trialBounds), ...wanted);
  return { wanted, count, isPart: wanted.length < count };
}

/** undefined: the build has no such drill. */
export function playableDrill(build: CompiledBuild, drillId: string): PlayableDrill | undefined {
  const compiled = build.drills.find(({ drill }) => drill.id === drillId);
  return compiled === undefined ? undefined : { ...compiled, target: targetOf(build, compiled) };
}

function targetOf(build: CompiledBuild, { drill }: CompiledDrill): Target {
  const target = build.targets.find(({ id }) => id === drill.targetId);
  if (target === undefined) throw new Error(`the build has no target ${drill.targetId}, which the compiler checks`);
  return target;
}

/** What this engine cannot do with a target that is well declared. */
export function refuseTarget(target: Target, available: ReadonlySet<Binding>, hasAgent: boolean): RunError | undefined {
  if (target.kind === 'external' && !hasAgent) {
    return runError('target.UNSUPPORTED', `Target "${target.id}" is external: use --external, or give its agent to runDrills.`, {
      details: { targetId: target.id, kind: target.kind },
    });
  }
  if (target.bindings.some((binding) => available.has(binding))) return undefined;
  return runError(
    'target.BINDING_UNAVAILABLE',
    `Target "${target.id}" asks for ${target.bindings.join(', ')} only; this version offers ${[...available].join(', ')}.`,
    { details: { targetId: target.id, bindings: [...target.bindings] } },
  );
}

/**
 * Why a drill does not fit one run that begins at `startUs`, by default where its setup does; one reason is of a build that was made before
 * assertions were counted.
 */
export function refuseTimeline(
  { drill, setup }: Pick<CompiledDrill, 'drill' | 'setup'>,
  startUs: number = setup.virtualTimeUs,
): RunError | undefined {
  const assertions = drill.assertions.length + drill.timeline.invariants.length;
  const assertionsMax = limits.drillAssertionsMax;
  if (assertions > assertionsMax) {
    return runError(
      'framework.TOO_MANY_ASSERTIONS',
      `Drill "${drill.id}" has ${assertions} assertions; at most ${assertionsMax} are judged.`,
      {
        details: { assertions, assertionsMax },
      },
    );
  }
  const interactions = timelineLength(drill.timeline);
  const interactionsMax = limits.timelineInteractionsMax;
  if (interactions > interactionsMax) {
    return runError(
      'framework.TIMELINE_TOO_LONG',
      `Drill "${drill.id}" has ${interactions} interactions; at most ${interactionsMax} fit one run.`,
      {
        details: { interactions, interactionsMax },
      },
    );
  }
  if (Number.isSafeInteger(startUs + timelineLengthUs(drill.timeline))) return undefined;
  return runError(
    'framework.TIMELINE_TOO_LONG',
    `The timeline of drill "${drill.id}" begins at ${startUs} us and goes beyond the last virtual time, ${Number.MAX_SAFE_INTEGER} us.`,
    { details: { startUs } },
  );
}

/** Why a drill cannot be judged in a hosted service, where no modules of a repository run but its tools. */
export function refuseJudges({ drill }: Pick<CompiledDrill, 'drill'>): RunError | undefined {
  const judges = drill.assertions.filter(({ kind }) => kind === 'custom').map(({ id }) => id);
  if (judges.length === 0) return undefined;
  const message = `Drill "${drill.id}" is judged by modules of its repository (${judges.join(', ')}), which a hosted service does not run: use a local run.`;
  return runError('assertion.JUDGE_UNAVAILABLE', message, { details: { assertionIds: judges } });
}

/** What strangers share has one listener, and names only where its operator has set them up. */
export function refuseMounts({ target }: { target: Target }, served: ReadonlySet<HttpMounts>): RunError | undefined {
  const { id, httpMounts = 'path' } = target;
  if (served.has(httpMounts)) return undefined;
  const message = `Target "${id}" wants a ${httpMounts} for each mount of wire routes, and this service serves them by ${[...served].join(' or ')}: use a local run.`;
  return runError('target.UNSUPPORTED', message, { details: { targetId: id, httpMounts } });
}

function bounded(name: string, value: number, { from, to }: { from: number; to: number }): number {
  if (Number.isInteger(value) && value >= from && value <= to) return value;
  throw invalid(name, `must be an integer from ${from} to ${to}`);
}

function invalid(name: string, message: string): ServiceError {
  return new ServiceError('control.INVALID_REQUEST', {
    message: `${name} ${message}.`,
    issues: [{ path: `/${name}`, code: 'OUT_OF_RANGE', message }],
  });
}
