// Whether a compiled build is what its hash says. What compiled it may have lied: source of strangers may have taken its process over.
//   BUILD-SOUNDNESS-1. Of builds of one hash that are sound the same runs. Code, manifests and schemas have the digests that stand beside
//     them; setups are those that the world, the scenarios and the drills make, and their hashes are theirs; every list is in its order.
import { defined } from '../contract/defined.js';
import { jsonDigest, sha256Digest } from '../contract/digest.js';
import type { JsonValue } from '../contract/json.js';
import type { CompiledBuild, CompiledTool } from '../contract/run/build.js';
import { validateCompiledBuild } from '../contract/validate/validators.js';
import type { WorldSetup } from '../contract/world/scenario.js';
import { assembleBuild } from './assemble-build.js';
import { layOutStarts } from './project-starts.js';
import { setupDigest } from './setups.js';

/** `build` is any value that came as JSON. */
export function isSoundBuild(build: CompiledBuild): boolean {
  if (!validateCompiledBuild(build).ok || !build.tools.every(isSoundTool)) return false;
  const again = assembledAgain(build);
  return (
    again.buildHash === build.buildHash &&
    again.packageLockHash === build.packageLockHash &&
    isSoundSetup(build.baseline, again.baseline) &&
    areSame(build.tools, again.tools) &&
    areSame(build.targets, again.targets) &&
    areSame(build.suites, again.suites) &&
    areSame(build.scenarios, again.scenarios, (own, made) => own.scenario === made.scenario && isSoundSetup(own, made)) &&
    areSame(build.drills, again.drills, (own, made) => own.drill === made.drill && isSoundSetup(own, made))
  );
}

/** From its documents alone: what was made of them is made once more. */
function assembledAgain({ world, tools, scenarios, targets, drills, suites, compat }: CompiledBuild): CompiledBuild {
  const setups = layOutStarts({
    world: { item: world },
    scenarios: scenarios.map(({ scenario }) => ({ item: scenario })),
    drills: drills.map(({ drill }) => ({ item: drill })),
  });
  const { environmentPrefixes, dialect } = compat;
  return assembleBuild({ world, tools, setups, targets, suites, environmentPrefixes, ...defined({ dialect }) });
}

function isSoundTool({ packageId, version, manifest, manifestHash, artifactHash, stateSchemaDigest, behavior }: CompiledTool): boolean {
  const digestOf = (value: unknown): string => jsonDigest(value as JsonValue);
  if (packageId !== manifest.id || version !== manifest.version) return false;
  if (manifestHash !== digestOf(manifest) || stateSchemaDigest !== digestOf(manifest.state)) return false;
  if (behavior === null) return artifactHash === manifestHash;
  // The text of a manifest as code would make a tool of data one of code, under the same hashes.
  return artifactHash !== manifestHash && artifactHash === behavior.codeHash && artifactHash === sha256Digest(behavior.code);
}

interface WithSetup {
  setup: WorldSetup;
  setupHash: string;
}
function isSoundSetup(own: WithSetup, made: WithSetup): boolean {
  return own.setupHash === made.setupHash && setupDigest(own.setup) === made.setupHash;
}

function areSame<T>(own: readonly T[], made: readonly T[], isSame = (one: T, other: T): boolean => one === other): boolean {
  return own.length === made.length && own.every((one, index) => isSame(one, made[index] as T));
}
