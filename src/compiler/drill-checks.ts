// Drills and suites: the target and the scenario exist, the actors are in it. Assertions: assertion-checks.ts.
import type { Drill, Suite } from '../contract/run/drill.js';
import type { WorldSetup } from '../contract/world/scenario.js';
import { type Checking, checkAssertions } from './assertion-checks.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import type { LocatedValue } from './project-documents.js';
import type { SourceDocument } from './source-document.js';
import { checkActor } from './start-checks.js';

/** Ids that exist, those of broken documents included. */
export type KnownIds = { readonly [kind in 'target' | 'scenario' | 'drill']: ReadonlySet<string> };
interface Place {
  document: SourceDocument;
  path: string;
}

export function checkDrillReferences(diagnostics: Diagnostics, known: KnownIds, { item, document }: LocatedValue<Drill>): void {
  reportUnknown(diagnostics, 'DY3002', { document, path: '/targetId' }, { what: 'target', id: item.targetId, known: known.target });
  if (item.scenarioId === undefined) return;
  reportUnknown(diagnostics, 'DY3003', { document, path: '/scenarioId' }, { what: 'scenario', id: item.scenarioId, known: known.scenario });
}

/** `setup` is what the drill runs in. */
export function checkDrill(checking: Checking, { item, document }: LocatedValue<Drill>, setup: WorldSetup): void {
  const { diagnostics } = checking;
  const { interactions, workloads, invariants } = item.timeline;
  // The short form has its one interaction at the top.
  const long = typeof document.value === 'object' && document.value !== null && 'timeline' in document.value;
  const seen = new Set<string>();
  const own = (id: string, path: string) => {
    if (seen.has(id)) diagnostics.report('DY3001', document.place(path), `'${id}' is the id of two interactions or workloads`);
    seen.add(id);
  };
  for (const [index, { id, actorId, actorInstanceId }] of interactions.entries()) {
    const path = long ? `/timeline/interactions/${index}` : '';
    if (long) own(id, `${path}/id`);
    checkActor(diagnostics, { document, path: `${path}/actorId`, actors: setup.actors }, { actorId, actorInstanceId });
  }
  for (const [index, { id, actorIds }] of workloads.entries()) {
    const path = `/timeline/workloads/${index}`;
    own(id, `${path}/id`);
    for (const [place, actorId] of actorIds.entries())
      checkActor(diagnostics, { document, path: `${path}/actorIds/${place}`, actors: setup.actors }, { actorId });
  }
  const lists = [
    { assertions: item.assertions, base: '/assertions' },
    { assertions: invariants, base: '/timeline/invariants' },
  ];
  checkAssertions(checking, lists, { document, setup, timeline: item.timeline });
}

/** `drillTags`: every tag of every drill; undefined where they cannot be known. */
export function checkSuite(
  diagnostics: Diagnostics,
  known: KnownIds,
  drillTags: ReadonlySet<string> | undefined,
  { item, document }: LocatedValue<Suite>,
): void {
  for (const [index, id] of item.drills.entries()) {
    reportUnknown(diagnostics, 'DY3004', { document, path: `/drills/${index}` }, { what: 'drill', id, known: known.drill });
  }
  for (const [index, tag] of item.tags.entries()) {
    if (drillTags === undefined || drillTags.has(tag)) continue;
    diagnostics.report('DY3013', document.place(`/tags/${index}`), `no drill has the tag '${tag}'`, {
      suggestion: didYouMean(tag, [...drillTags]),
    });
  }
}

function reportUnknown(
  diagnostics: Diagnostics,
  code: DiagnosticCode,
  { document, path }: Place,
  { what, id, known }: { what: string; id: string; known: ReadonlySet<string> },
): void {
  if (!known.has(id))
    diagnostics.report(code, document.place(path), `there is no ${what} '${id}'`, { suggestion: didYouMean(id, [...known]) });
}
