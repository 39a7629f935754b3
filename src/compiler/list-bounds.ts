// How long the lists of a source may be. Their bytes are bounded where files are read; these bound what is made of them: checks that ask of
// each item for each other, judgements, turns of a world.
import { limits } from '../contract/limits.js';
import type { Drill, Suite } from '../contract/run/drill.js';
import type { Scenario } from '../contract/world/scenario.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import type { Diagnostics } from './diagnostics.js';
import type { ProjectDocuments } from './project-documents.js';
import type { SourceDocument } from './source-document.js';
import type { CompiledSource } from './tool-compile.js';

type Start = Pick<Scenario, 'actors' | 'state' | 'faults' | 'initialEvents'>;
/** A list by its JSON Pointer. */
type BoundedList = readonly [path: string, list: readonly unknown[], max: number];

export function checkLists(
  diagnostics: Diagnostics,
  { world, scenarios, drills, suites }: Pick<ProjectDocuments, 'world' | 'scenarios' | 'drills' | 'suites'>,
  tools: readonly Pick<CompiledSource, 'compiled' | 'document'>[],
): void {
  const check = (document: SourceDocument, lists: readonly BoundedList[]): void => {
    for (const [path, list, max] of lists) {
      if (list.length > max)
        diagnostics.report('DY2006', document.place(path), `there are ${list.length} of them; at most ${max} are taken`);
    }
  };
  if (world !== undefined) check(world.document, listsOfStart(world.item, ''));
  for (const { item, document } of scenarios) check(document, listsOfStart(item, ''));
  for (const { item, document } of drills) check(document, listsOfDrill(item));
  for (const { item, document } of suites) check(document, listsOfSuite(item));
  for (const { compiled, document } of tools) check(document, listsOfTool(compiled.manifest));
}

function listsOfStart({ actors, state, faults, initialEvents }: Start, base: string): BoundedList[] {
  return [
    [`${base}/actors`, actors, limits.startActorsMax],
    ...actors.map(({ grants }, index): BoundedList => [`${base}/actors/${index}/grants`, grants, limits.actorGrantsMax]),
    [`${base}/state`, state, limits.startRowsMax],
    [`${base}/faults`, faults, limits.startFaultsMax],
    [`${base}/initialEvents`, initialEvents, limits.startEventsMax],
  ];
}

function listsOfDrill({ assertions, timeline, tags, inlineScenario }: Drill): BoundedList[] {
  const invariantsMax = Math.max(0, limits.drillAssertionsMax - assertions.length);
  return [
    ['/assertions', assertions, limits.drillAssertionsMax],
    // Both together: each is judged at the end, and invariants after every interaction, too.
    ...(assertions.length > limits.drillAssertionsMax ? [] : [['/timeline/invariants', timeline.invariants, invariantsMax] as const]),
    ['/tags', tags, limits.tagsMax],
    ...(inlineScenario === undefined ? [] : listsOfStart(inlineScenario, '/inlineScenario')),
  ];
}

function listsOfSuite({ drills, tags }: Suite): BoundedList[] {
  return [
    ['/drills', drills, limits.suiteDrillsMax],
    ['/tags', tags, limits.tagsMax],
  ];
}

function listsOfTool(manifest: ToolManifest): BoundedList[] {
  const lists = ['state', 'operations', 'events', 'subscriptions', 'faults', 'http', 'callbacks', 'connections', 'compatibility'] as const;
  return [
    ...lists.map((name): BoundedList => [`/manifest/${name}`, manifest[name], limits.manifestListItemsMax]),
    ...manifest.operations.map(({ declaredErrors = [] }, index): BoundedList => {
      return [`/manifest/operations/${index}/declaredErrors`, declaredErrors, limits.manifestListItemsMax];
    }),
    ...manifest.faults.map(
      ({ appliesTo }, index): BoundedList => [`/manifest/faults/${index}/appliesTo`, appliesTo, limits.manifestListItemsMax],
    ),
  ];
}
