// What worlds start from: the world's own start, with a scenario's layer, with a drill's overrides.
//   SETUPS-1. Patches append, actors replace by (id, instanceId) in place, faults and initial events add, overrides rank higher, the clock
//     replaces.
//   SETUPS-2. An instance that is not named is the package's default one, so both ways of writing it give one setup.
import { canonicalJson } from '../contract/canonical-json.js';
import { sha256Digest } from '../contract/digest.js';
import type { JsonValue } from '../contract/json.js';
import type { InlineScenario } from '../contract/run/drill.js';
import type { World } from '../contract/run/project-files.js';
import type { Scenario, ScenarioActor, ToolOverride, WorldSetup } from '../contract/world/scenario.js';

export function baselineSetup(world: Pick<World, keyof Start>): WorldSetup {
  return { ...startOf(world), virtualTimeUs: world.virtualTimeUs ?? 0, toolOverrides: scopes({ world: world.toolOverrides }) };
}

export function scenarioSetup(world: Pick<World, keyof Start>, scenario: Scenario): WorldSetup {
  const below = startOf(world);
  const layer = startOf(scenario);
  return {
    virtualTimeUs: scenario.virtualTimeUs ?? world.virtualTimeUs ?? 0,
    actors: replaceActors(below.actors, layer.actors),
    state: [...below.state, ...layer.state],
    faults: distinctFaults([...below.faults, ...layer.faults]),
    initialEvents: [...below.initialEvents, ...layer.initialEvents],
    toolOverrides: scopes({ scenario: scenario.toolOverrides, world: world.toolOverrides }),
  };
}

/** Complete by itself: nothing of the world is below it. */
export function inlineSetup(scenario: InlineScenario): WorldSetup {
  return { ...startOf(scenario), virtualTimeUs: scenario.virtualTimeUs ?? 0, toolOverrides: scopes({ scenario: scenario.toolOverrides }) };
}

export function withDrillOverrides(setup: WorldSetup, rules: ToolOverride[] | undefined): WorldSetup {
  return rules === undefined || rules.length === 0
    ? setup
    : { ...setup, toolOverrides: [{ scope: 'drill', rules }, ...setup.toolOverrides] };
}

type Start = Pick<WorldSetup, 'actors' | 'state' | 'faults' | 'initialEvents'> & { virtualTimeUs?: number; toolOverrides?: ToolOverride[] };
type NormalizedSetup = Pick<WorldSetup, 'actors' | 'state' | 'faults' | 'initialEvents'>;
const normalized = new WeakMap<object, NormalizedSetup>();

function startOf(start: Start): NormalizedSetup {
  let found = normalized.get(start);
  if (found === undefined) {
    found = {
      actors: start.actors,
      state: start.state.map((patch) => ({ ...patch, instanceId: patch.instanceId ?? patch.packageId })),
      faults: distinctFaults(start.faults.map((fault) => ({ ...fault, instanceId: fault.instanceId ?? fault.packageId }))),
      initialEvents: start.initialEvents.map((initial) => ({
        ...initial,
        event: { ...initial.event, instanceId: initial.event.instanceId ?? initial.event.packageId },
      })),
    };
    normalized.set(start, found);
  }
  return found;
}

function replaceActors(below: readonly ScenarioActor[], layer: readonly ScenarioActor[]): ScenarioActor[] {
  const keyOf = ({ id, instanceId }: ScenarioActor) => `${id} ${instanceId ?? ''}`;
  const actors = new Map(below.map((actor) => [keyOf(actor), actor]));
  for (const actor of layer) actors.set(keyOf(actor), actor);
  return [...actors.values()];
}

function distinctFaults(faults: WorldSetup['faults']): WorldSetup['faults'] {
  return [...new Map(faults.map((fault) => [`${fault.packageId} ${fault.instanceId} ${fault.faultId}`, fault])).values()];
}

/** Highest first; a scope without rules is left out. */
function scopes(rules: { scenario?: ToolOverride[] | undefined; world?: ToolOverride[] | undefined }): WorldSetup['toolOverrides'] {
  return (['scenario', 'world'] as const).flatMap((scope) => {
    const own = rules[scope];
    return own === undefined || own.length === 0 ? [] : [{ scope, rules: own }];
  });
}

const texts = new WeakMap<object, string>();
const digests = new WeakMap<WorldSetup, string>();

/** The same as jsonDigest(setup), made once. */
export function setupDigest(setup: WorldSetup): string {
  const digest = digests.get(setup) ?? digestOf(setup);
  digests.set(setup, digest);
  return digest;
}

/** Every scenario holds the world's patches, so the text of a patch is made once. */
function digestOf({ actors, faults, initialEvents, state, toolOverrides, virtualTimeUs }: WorldSetup): string {
  const textOf = (patch: object): string => {
    const text = texts.get(patch) ?? canonicalJson(patch as unknown as JsonValue);
    texts.set(patch, text);
    return text;
  };
  const canonical = (value: unknown) => canonicalJson(value as JsonValue);
  return sha256Digest(
    `{"actors":${canonical(actors)},"faults":${canonical(faults)},"initialEvents":${canonical(initialEvents)},` +
      `"state":[${state.map(textOf).join(',')}],"toolOverrides":${canonical(toolOverrides)},"virtualTimeUs":${canonical(virtualTimeUs)}}`,
  );
}

export function rowKey(row: { packageId: string; instanceId?: string; namespace: string; rowId: string }): string {
  return `${row.packageId} ${row.instanceId ?? row.packageId} ${row.namespace} ${row.rowId}`;
}

/** The rows that are there after these patches. */
export function rowsAfter(patches: WorldSetup['state']): Set<string> {
  const rows = new Set<string>();
  for (const patch of patches) {
    if (patch.action === 'upsert') rows.add(rowKey(patch));
    else rows.delete(rowKey(patch));
  }
  return rows;
}

/** Every instance a world with this setup has, as `packageId instanceId`, but for the default ones. */
export function namedInstances({ actors, state, faults, initialEvents, toolOverrides }: WorldSetup): Set<string> {
  const named: { packageId: string; instanceId?: string }[] = [
    ...actors.flatMap(({ grants }) => grants),
    ...state,
    ...faults,
    ...initialEvents.map(({ event }) => event),
    ...toolOverrides.flatMap(({ rules }) => rules.map(({ operation }) => operation)),
  ];
  return new Set(named.flatMap(({ packageId, instanceId }) => (instanceId === undefined ? [] : [`${packageId} ${instanceId}`])));
}
