// Every start of a project, layered and checked where it is written: the world, its scenarios, inline scenarios, starters of packages.
import type { Drill } from '../contract/run/drill.js';
import type { World } from '../contract/run/project-files.js';
import { validateToolStarter } from '../contract/validate/validators.js';
import type { Scenario, WorldSetup } from '../contract/world/scenario.js';
import type { Diagnostics } from './diagnostics.js';
import { type ProjectDocuments, validated } from './project-documents.js';
import { baselineSetup, inlineSetup, rowsAfter, scenarioSetup, withDrillOverrides } from './setups.js';
import type { SoundValues } from './sound-values.js';
import type { SourceDocument } from './source-document.js';
import { checkOverrides, checkStart } from './start-checks.js';
import type { ToolCatalog } from './tool-catalog.js';

export interface Setups {
  baseline?: WorldSetup;
  scenario: Map<Scenario, WorldSetup>;
  drill: Map<Drill, WorldSetup>;
}
interface Checking {
  diagnostics: Diagnostics;
  catalog: ToolCatalog;
  sound: SoundValues;
}

/** Where documents came from makes no difference. */
interface Starts {
  world?: { item: World };
  scenarios: readonly { item: Scenario }[];
  drills: readonly { item: Drill }[];
}
/** Without a world that fits there are no setups but inline ones. A drill whose scenario does not exist has no setup. */
export function layOutStarts({ world, scenarios, drills }: Starts): Setups {
  const setups: Setups = { scenario: new Map(), drill: new Map() };
  if (world !== undefined) setups.baseline = baselineSetup(world.item);
  const byId = new Map<string, WorldSetup>();
  for (const { item } of world === undefined ? [] : scenarios) {
    const setup = scenarioSetup(world!.item, item);
    setups.scenario.set(item, setup);
    byId.set(item.id, setup);
  }
  for (const { item } of drills) {
    const { scenarioId, inlineScenario, toolOverrides } = item;
    const setup = inlineScenario ? inlineSetup(inlineScenario) : scenarioId === undefined ? setups.baseline : byId.get(scenarioId);
    if (setup !== undefined) setups.drill.set(item, withDrillOverrides(setup, toolOverrides));
  }
  return setups;
}

/** Without a world that fits, no actors and no deletions are judged. */
export function checkStarts(checking: Checking, { world, scenarios, drills }: ProjectDocuments, setups: Setups): void {
  if (world !== undefined && setups.baseline !== undefined) {
    checkStart(checking, { start: world.item, document: world.document, base: '', setup: setups.baseline, rowsBelow: new Set() });
  }
  const rowsBelow = setups.baseline && rowsAfter(setups.baseline.state);
  for (const { item, document } of scenarios) {
    const setup = setups.scenario.get(item) ?? { virtualTimeUs: item.virtualTimeUs ?? 0 };
    checkStart(checking, { start: item, document, base: '', setup, rowsBelow });
  }
  for (const { item, document } of drills) {
    const { inlineScenario, toolOverrides = [] } = item;
    const setup = setups.drill.get(item);
    if (setup === undefined) continue;
    if (inlineScenario !== undefined)
      checkStart(checking, { start: inlineScenario, document, base: '/inlineScenario', setup, rowsBelow: new Set() });
    checkOverrides(checking, { rules: toolOverrides, document, base: '', actors: setup.actors });
  }
}

/** What a package offers a new world to start with: only rows. */
export function checkStarter(checking: Checking, document: SourceDocument): void {
  const starter = validated(checking.diagnostics, document, validateToolStarter);
  if (starter === undefined) return;
  const start = { actors: [], state: starter.state, faults: [], initialEvents: [] };
  checkStart(checking, { start, document, base: '', setup: { virtualTimeUs: starter.virtualTimeUs ?? 0 }, rowsBelow: new Set() });
}
