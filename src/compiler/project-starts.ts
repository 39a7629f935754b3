// Every start of a project, layered and checked where it is written: the world, its scenarios, inline scenarios, starters of packages.
import type { Drill } from '../contract/drill.js';
import type { World } from '../contract/project-files.js';
import type { Scenario, WorldSetup } from '../contract/scenario.js';
import { validateToolStarter } from '../contract/validators.js';
import type { Diagnostics } from './diagnostics.js';
import { type ProjectDocuments, validated } from './project-documents.js';
import { baselineSetup, inlineSetup, rowsAfter, scenarioSetup, withDrillOverrides } from './setups.js';
import type { SourceDocument } from './source-document.js';
import { checkOverrides, checkStart } from './start-checks.js';
import type { ToolCatalog } from './tool-catalog.js';

export interface Setups {
  scenario: Map<Scenario, WorldSetup>;
  drill: Map<Drill, WorldSetup>;
}
interface Checking {
  diagnostics: Diagnostics;
  catalog: ToolCatalog;
}

const emptyWorld: World = { schemaVersion: 1, id: 'world', seed: '1', virtualTimeUs: 0, actors: [], state: [], faults: [], initialEvents: [] };

/**
 * Without a world that fits there are no setups but inline ones, and nobody's actors or deletions are judged. A drill whose scenario does
 * not exist has no setup.
 */
export function checkStarts(checking: Checking, { world, scenarios, drills }: ProjectDocuments): Setups {
  const below = world?.item ?? emptyWorld;
  const baseline = world && baselineSetup(below);
  if (world !== undefined && baseline !== undefined) {
    checkStart(checking, { start: world.item, document: world.document, base: '', setup: baseline, rowsBelow: new Set() });
  }
  const rowsBelow = world && rowsAfter(below.state);
  const setups: Setups = { scenario: new Map(), drill: new Map() };
  const byId = new Map<string, WorldSetup>();
  for (const { item, document } of scenarios) {
    const layered = scenarioSetup(below, item);
    const setup = world && layered;
    checkStart(checking, { start: item, document, base: '', setup: setup ?? { virtualTimeUs: layered.virtualTimeUs }, rowsBelow });
    if (setup === undefined) continue;
    setups.scenario.set(item, setup);
    byId.set(item.id, setup);
  }
  for (const { item, document } of drills) {
    const { scenarioId, inlineScenario, toolOverrides } = item;
    const own = inlineScenario && inlineSetup(inlineScenario);
    if (inlineScenario !== undefined && own !== undefined) {
      checkStart(checking, { start: inlineScenario, document, base: '/inlineScenario', setup: own, rowsBelow: new Set() });
    }
    const setup = own ?? (scenarioId === undefined ? baseline : byId.get(scenarioId));
    if (setup === undefined) continue;
    setups.drill.set(item, withDrillOverrides(setup, toolOverrides));
    checkOverrides(checking, { rules: toolOverrides ?? [], document, base: '', actors: setup.actors });
  }
  return setups;
}

/** What a package offers a new world to start with: only rows. */
export function checkStarter(checking: Checking, document: SourceDocument): void {
  const starter = validated(checking.diagnostics, document, validateToolStarter);
  if (starter === undefined) return;
  const start = { actors: [], state: starter.state, faults: [], initialEvents: [] };
  checkStart(checking, { start, document, base: '', setup: { virtualTimeUs: starter.virtualTimeUs ?? 0 }, rowsBelow: new Set() });
}
