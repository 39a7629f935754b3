// How long the lists of a source may be. Their bytes are bounded where files are read; these bound what is made of them: checks that ask of
// each item for each other, judgements, turns of a world.
import { limits } from '../contract/limits.js';
import type { Drill, Suite } from '../contract/run/drill.js';
import { listBounds } from '../contract/run/list-bounds.js';
import { timelineLength } from '../contract/run/timeline-length.js';
import type { Scenario } from '../contract/world/scenario.js';
import type { ToolManifest } from '../contract/world/tool-manifest.js';
import { grouped } from '../text/counted.js';
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
  for (const { item, document } of drills) {
    check(document, listsOfDrill(item));
    const played = timelineLength(item.timeline);
    const max = limits.timelineInteractionsMax;
    const message = `the timeline plays ${grouped(played)} interactions, workloads included; at most ${grouped(max)} fit one run`;
    if (played > max) diagnostics.report('DY2006', document.place('/timeline/workloads'), message);
  }
  for (const { item, document } of suites) check(document, listsOfSuite(item));
  for (const { compiled, document } of tools) check(document, listsOfTool(compiled.manifest));
  checkRouteCount(diagnostics, tools);
}

/** Reported once, of the tool that has one too many. */
function checkRouteCount(diagnostics: Diagnostics, tools: readonly Pick<CompiledSource, 'compiled' | 'document'>[]): void {
  let count = 0;
  for (const { compiled, document } of tools) {
    const before = count;
    count += compiled.manifest.http.length;
    if (before <= limits.projectRoutesMax && count > limits.projectRoutesMax)
      diagnostics.report(
        'DY2006',
        document.place('/manifest/http'),
        `with these the tools have ${count} wire routes; at most ${limits.projectRoutesMax} are taken`,
      );
  }
}

/** The lists of `value` that `bounds` names. */
function listsIn<Member extends string>(
  value: NoInfer<{ readonly [member in Member]: readonly unknown[] }>,
  bounds: { readonly [member in Member]: number },
  base = '',
): BoundedList[] {
  return (Object.keys(bounds) as Member[]).map((member) => [`${base}/${member}`, value[member], bounds[member]]);
}

function listsOfStart(start: Start, base: string): BoundedList[] {
  return [
    ...listsIn(start, listBounds.ScenarioInput, base),
    ...start.actors.flatMap((actor, index) => listsIn(actor, listBounds.ScenarioActorInput, `${base}/actors/${index}`)),
  ];
}

function listsOfDrill({ assertions, timeline, tags, inlineScenario }: Drill): BoundedList[] {
  const max = listBounds.LongDrillInput.assertions;
  // Both together: each is judged at the end, and invariants after every interaction, too.
  const invariants = listBounds.TimelineInput.invariants - assertions.length;
  return [
    ...listsIn({ assertions, tags }, { assertions: max, tags: listBounds.LongDrillInput.tags }),
    ...(assertions.length > max ? [] : listsIn(timeline, { invariants }, '/timeline')),
    ...(inlineScenario === undefined ? [] : listsOfStart(inlineScenario, '/inlineScenario')),
  ];
}

function listsOfSuite(suite: Suite): BoundedList[] {
  return listsIn(suite, listBounds.SuiteInput);
}

function listsOfTool(manifest: ToolManifest): BoundedList[] {
  const { operations, faults } = manifest;
  return [
    ...listsIn(manifest, listBounds.ToolManifestInput, '/manifest'),
    ...operations.flatMap(({ declaredErrors = [] }, index) =>
      listsIn({ declaredErrors }, listBounds.ToolOperationInput, `/manifest/operations/${index}`),
    ),
    ...faults.flatMap((fault, index) => listsIn(fault, listBounds.ToolFault, `/manifest/faults/${index}`)),
  ];
}
