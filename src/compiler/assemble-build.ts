// Everything checked becomes one build. Its hash is made of what things mean: of setups rather than the layers they were written as,
// of manifests and bundles rather than files, in order of ids.
import { defined } from '../contract/defined.js';
import { jsonDigest } from '../contract/digest.js';
import type { JsonValue } from '../contract/json.js';
import type { CompiledBuild, CompiledDrill, CompiledScenario, CompiledTool } from '../contract/run/build.js';
import type { Suite } from '../contract/run/drill.js';
import type { World } from '../contract/run/project-files.js';
import type { Target } from '../contract/run/target.js';
import { compareTexts } from '../text/compare-texts.js';
import type { Setups } from './project-starts.js';
import { baselineSetup, setupDigest } from './setups.js';

export interface BuildParts {
  world: World;
  tools: CompiledTool[];
  /** Of each scenario and each drill. */
  setups: Pick<Setups, 'scenario' | 'drill'>;
  targets: Target[];
  suites: Suite[];
  environmentPrefixes: string[];
  /** Absent: Drillyard's own. */
  dialect?: string;
}

export function assembleBuild(parts: BuildParts): CompiledBuild {
  const baseline = baselineSetup(parts.world);
  const tools = byId(parts.tools, ({ packageId }) => packageId);
  const build: Omit<CompiledBuild, 'buildHash'> = {
    schemaVersion: 1,
    packageLockHash: jsonDigest(
      tools.map(({ packageId, version, manifestHash, artifactHash }) => ({ packageId, version, manifestHash, artifactHash })),
    ),
    world: parts.world,
    baseline: { setup: baseline, setupHash: setupDigest(baseline) },
    tools,
    scenarios: byId([...parts.setups.scenario], ([{ id }]) => id).map(
      ([scenario, setup]): CompiledScenario => ({ scenario, setup, setupHash: setupDigest(setup) }),
    ),
    targets: byId(parts.targets, ({ id }) => id),
    drills: byId([...parts.setups.drill], ([{ id }]) => id).map(
      ([drill, setup]): CompiledDrill => ({ drill, setup, setupHash: setupDigest(setup) }),
    ),
    suites: byId(parts.suites, ({ id }) => id),
    compat: { environmentPrefixes: parts.environmentPrefixes, ...defined({ dialect: parts.dialect }) },
  };
  return { ...build, buildHash: buildHashOf(build) };
}

function buildHashOf({
  packageLockHash,
  world,
  baseline,
  scenarios,
  targets,
  drills,
  suites,
  compat,
}: Omit<CompiledBuild, 'buildHash'>): string {
  const { id, title, seed } = world;
  const meaning = {
    schemaVersion: 1,
    packageLockHash,
    world: { id, title, seed, setupHash: baseline.setupHash },
    scenarios: scenarios.map(({ scenario, setupHash }) => ({ id: scenario.id, title: scenario.title, setupHash })),
    targets,
    drills: drills.map(({ drill: { inlineScenario, toolOverrides: _, ...drill }, setupHash }) => ({
      ...drill,
      inlineTitle: inlineScenario?.title,
      setupHash,
    })),
    suites,
    compat,
  };
  return jsonDigest(meaning as unknown as JsonValue);
}

function byId<T>(items: readonly T[], idOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => compareTexts(idOf(a), idOf(b)));
}
