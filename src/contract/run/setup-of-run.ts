// What a run started from, as its report has it: the overrides flat, and the scope of each beside it. Both ways.
import { jsonDigest } from '../digest.js';
import type { JsonObject, JsonValue } from '../json.js';
import type { OverrideScope, ToolOverride, WorldSetup } from '../world/scenario.js';
import type { RunSetup } from './run.js';

const scopes: readonly OverrideScope[] = ['run', 'drill', 'scenario', 'world'];

export interface FlatOverrides {
  behaviorOverrides: JsonObject[];
  toolOverrides: ToolOverride[];
}
export function flatOverrides(toolOverrides: WorldSetup['toolOverrides']): FlatOverrides {
  return {
    behaviorOverrides: toolOverrides.flatMap(({ scope, rules }) => rules.map((rule) => ({ scope, ...rule }) as unknown as JsonObject)),
    toolOverrides: toolOverrides.flatMap(({ rules }) => rules),
  };
}

export function setupOfRun({ setup: { scenario, tools } }: RunSetup): WorldSetup {
  const toolOverrides = scopes.flatMap((scope) => {
    const rules = tools.behaviorOverrides.filter((rule) => rule.scope === scope).map(ruleOf);
    return rules.length === 0 ? [] : [{ scope, rules }];
  });
  return { ...scenario, toolOverrides };
}
function ruleOf({ scope: _, ...rule }: JsonObject): ToolOverride {
  return rule as unknown as ToolOverride;
}

/** Whether its digest is that of its setup, and of nothing less. Throws for values that no world starts from, as canonicalJson does. */
export function hasItsSetupHash(runSetup: RunSetup): boolean {
  const { setup, setupHash } = runSetup;
  const whole = setupOfRun(runSetup);
  const stated: FlatOverrides = { behaviorOverrides: setup.tools.behaviorOverrides, toolOverrides: setup.scenario.toolOverrides };
  return digestOf(whole) === setupHash && digestOf(stated) === digestOf(flatOverrides(whole.toolOverrides));
}

function digestOf(value: object): string {
  return jsonDigest(value as unknown as JsonValue);
}
