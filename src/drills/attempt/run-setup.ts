// The parts of a run's result that are known before it begins: who it is, and what it starts from.
import { defined } from '../../contract/defined.js';
import { jsonDigest } from '../../contract/digest.js';
import type { JsonObject } from '../../contract/json.js';
import type { CompiledBuild } from '../../contract/run/build.js';
import type { RunIdentity, RunSetup } from '../../contract/run/run.js';
import { flatOverrides } from '../../contract/run/setup-of-run.js';
import type { PlayableDrill } from '../plan/plan.js';

/** Which try of what this is: of so many trials, of so many attempts. */
export interface AttemptNumbers {
  seed: string;
  /** From 1. */
  trial: number;
  trialCount: number;
  /** From 1. */
  attempt: number;
  attemptLimit: number;
}

/** Without the world's identity, which is known once the world is made. */
export function runIdentity(
  build: CompiledBuild,
  { drill, setupHash, target }: PlayableDrill,
  { runId, numbers }: { runId: string; numbers: AttemptNumbers },
): Omit<RunIdentity, 'worldInstanceId'> {
  const { seed, trial, trialCount, attempt, attemptLimit } = numbers;
  return {
    runId,
    drillId: drill.id,
    targetId: drill.targetId,
    targetHash: jsonDigest(target as unknown as JsonObject),
    buildHash: build.buildHash,
    packageLockHash: build.packageLockHash,
    seed,
    trial,
    trialCount,
    attempt,
    attemptLimit,
    ...defined({ scenarioId: drill.scenarioId }),
    setupHash,
  };
}

const setups = new WeakMap<PlayableDrill, RunSetup>();

/** One object for all attempts of a drill: a start may hold thousands of rows. */
export function runSetup(build: CompiledBuild, planned: PlayableDrill): RunSetup {
  let setup = setups.get(planned);
  if (setup === undefined) {
    setup = makeSetup(build, planned);
    setups.set(planned, setup);
  }
  return setup;
}

function makeSetup({ tools }: CompiledBuild, { drill, setup, setupHash, target }: PlayableDrill): RunSetup {
  const { toolOverrides, ...scenario } = setup;
  const flat = flatOverrides(toolOverrides);
  return {
    schemaVersion: 1,
    drillId: drill.id,
    setup: {
      tools: {
        packages: tools.map(({ packageId, version, manifestHash, artifactHash }) => ({ packageId, version, manifestHash, artifactHash })),
        behaviorOverrides: flat.behaviorOverrides,
      },
      bindings: { environment: { ...target.bindingEnvironment } },
      scenario: { ...scenario, toolOverrides: flat.toolOverrides },
    },
    setupHash,
  };
}
