// The repository that a tool setup stands for: a root file, a world with the chosen tools and their rows, and the test definitions, as
// files that can be edited on.
//   SETUP-SOURCE-1. Equal requests and packages give equal files, byte for byte.
//   SETUP-SOURCE-2. The world's actors are those that drills without a scenario name; without any drill there is one, `agent`. Each may do
//     everything with the chosen tools. Scenarios bring their own.
//   SETUP-SOURCE-3. What a request multiplies, actors with grants, is bounded before any of it is written down.
import type { LibraryPackage } from '../../compiler/library.js';
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { CanonicalToolSetupRequest, ToolTestDefinitions } from '../../contract/hosted/resources.js';
import type { SourceFileInput } from '../../contract/hosted/source.js';
import { limits } from '../../contract/limits.js';
import type { ScenarioActor, StatePatch } from '../../contract/world/scenario.js';

/** A chosen tool and what the library has of it. */
export interface ChosenTool {
  entry: LibraryPackage;
  initialState: 'starter' | 'empty';
  instanceId?: string;
}

export function setupFiles({ name, testDefinitions }: CanonicalToolSetupRequest, tools: readonly ChosenTool[]): SourceFileInput[] {
  const packages = [...new Set(tools.map(({ entry }) => `library:${entry.libraryEntryId}`))];
  const started = tools.filter(({ initialState, entry }) => initialState === 'starter' && entry.starter !== undefined);
  // A row of any starter may name a time up to its start: the world begins when all of them have.
  const virtualTimeUs = Math.max(0, ...started.map(({ entry }) => entry.starter?.virtualTimeUs ?? 0));
  const world = {
    schemaVersion: 1,
    id: 'tool-setup',
    ...defined({ title: name }),
    virtualTimeUs,
    actors: worldActors(testDefinitions, tools),
    state: started.flatMap(starterRows),
  };
  const { targets = [], scenarios = [], drills = [] } = testDefinitions ?? {};
  return [
    fileOf('drillyard.json', { schemaVersion: 1, world: 'world.json', toolPackages: packages }),
    fileOf('drillyard/world.json', world),
    ...targets.map((document, index) => fileOf(placeOf('target', document.target.id, index), document)),
    ...scenarios.map((scenario, index) => fileOf(placeOf('scenario', scenario.id, index), scenario)),
    ...drills.map((drill, index) => fileOf(placeOf('drill', drill.id, index), drill)),
  ];
}

function fileOf(path: string, document: object): SourceFileInput {
  return { path, content: `${JSON.stringify(document, null, 2)}\n` };
}

/** By place, too: of two definitions with one id the compiler tells, and both are there to be read. */
function placeOf(kind: 'target' | 'scenario' | 'drill', id: string, index: number): string {
  return `drillyard/${kind}s/${String(index + 1).padStart(3, '0')}-${id}.${kind}.json`;
}

function starterRows({ entry, instanceId }: ChosenTool): StatePatch[] {
  const rows = entry.starter?.state ?? [];
  return instanceId === undefined ? rows : rows.map((patch) => ({ ...patch, instanceId }));
}

function worldActors(definitions: ToolTestDefinitions | undefined, tools: readonly ChosenTool[]): ScenarioActor[] {
  const grants = tools.flatMap(({ entry: { manifest }, instanceId }) =>
    manifest.operations.map(({ id }) => ({ packageId: manifest.id, ...defined({ instanceId }), operationId: id })),
  );
  if (definitions === undefined) return [{ id: 'agent', attributes: {}, grants }];
  const actors = new Map<string, ScenarioActor>();
  for (const { scenarioId, inlineScenario, timeline } of definitions.drills) {
    if (scenarioId !== undefined || inlineScenario !== undefined) continue;
    const workers = timeline.workloads.flatMap(({ actorIds }) => actorIds.map((actorId): NamedActor => ({ actorId })));
    for (const { actorId, actorInstanceId } of [...timeline.interactions, ...workers] as NamedActor[]) {
      const instance = defined({ instanceId: actorInstanceId });
      actors.set(`${actorId} ${actorInstanceId ?? ''}`, { id: actorId, ...instance, attributes: {}, grants });
    }
  }
  const { startActorsMax, setupGrantsMax } = limits;
  if (actors.size > startActorsMax) throw tooMany(`expected at most ${startActorsMax} actors, which drills without a scenario name`);
  if (actors.size * grants.length > setupGrantsMax) {
    const found = `${actors.size} actors may do ${grants.length} operations each`;
    throw tooMany(`${found}; expected at most ${setupGrantsMax} grants, or scenarios that bring actors with fewer`);
  }
  return [...actors.values()];
}

function tooMany(message: string): ServiceError {
  const issues = [{ path: '/testDefinitions/drills', code: 'too_many', message }];
  return new ServiceError('control.INVALID_REQUEST', { message: 'The tool setup is not acceptable.', issues });
}

interface NamedActor {
  actorId: string;
  actorInstanceId?: string;
}
