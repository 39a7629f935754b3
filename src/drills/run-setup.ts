// The parts of a run's result that are known before it begins: who it is, and what it starts from.
import type { CompiledBuild } from '../contract/build.js';
import type { JsonObject } from '../contract/json.js';
import type { RunIdentity, RunSetup } from '../contract/run.js';
import type { PlannedDrill, PlannedTrial } from './plan.js';

export interface AttemptNumber {
  runId: string;
  /** From 1. */
  attempt: number;
}

export function runIdentity(
  build: CompiledBuild,
  planned: PlannedDrill,
  { trial, seed }: PlannedTrial,
  { runId, attempt }: AttemptNumber,
): RunIdentity {
  const { drill, setupHash } = planned;
  return {
    runId,
    // Known once the world is made.
    worldInstanceId: '',
    drillId: drill.id,
    targetId: drill.targetId,
    buildHash: build.buildHash,
    packageLockHash: build.packageLockHash,
    seed,
    trial,
    trialCount: planned.trials.length,
    attempt,
    attemptLimit: planned.attemptLimit,
    ...(drill.scenarioId === undefined ? {} : { scenarioId: drill.scenarioId }),
    setupHash,
  };
}

const setups = new WeakMap<PlannedDrill, RunSetup>();

/** One object for all attempts of a drill: a start may hold thousands of rows. */
export function runSetup(build: CompiledBuild, planned: PlannedDrill): RunSetup {
  let setup = setups.get(planned);
  if (setup === undefined) {
    setup = makeSetup(build, planned);
    setups.set(planned, setup);
  }
  return setup;
}

function makeSetup({ tools }: CompiledBuild, { drill, setup, setupHash, target }: PlannedDrill): RunSetup {
  const { toolOverrides, ...scenario } = setup;
  return {
    schemaVersion: 1,
    drillId: drill.id,
    setup: {
      tools: {
        packages: tools.map(({ packageId, version, manifestHash, artifactHash }) => ({ packageId, version, manifestHash, artifactHash })),
        behaviorOverrides: toolOverrides.flatMap(({ scope, rules }) => rules.map((rule) => ({ scope, ...rule }) as unknown as JsonObject)),
      },
      bindings: { environment: { ...target.bindingEnvironment } },
      scenario: { ...scenario, toolOverrides: toolOverrides.flatMap(({ rules }) => rules) },
    },
    setupHash,
  };
}
