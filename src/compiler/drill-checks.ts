// Drills and suites: the target and the scenario exist, the actors are in it, every assertion speaks of something that the tools declare.
import type { Assertion } from '../contract/assertion.js';
import type { Drill, Suite } from '../contract/drill.js';
import type { ScenarioActor, WorldSetup } from '../contract/scenario.js';
import type { DiagnosticCode } from './diagnostic-table.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import type { Located } from './project-documents.js';
import { namedInstances } from './setups.js';
import type { SourceDocument } from './source-document.js';
import { checkActor } from './start-checks.js';
import type { ToolCatalog } from './tool-catalog.js';

/** Ids that exist, those of broken documents included. */
export type KnownIds = { readonly [kind in 'target' | 'scenario' | 'drill']: ReadonlySet<string> };
interface Checking {
  diagnostics: Diagnostics;
  catalog: ToolCatalog;
}
interface Place {
  document: SourceDocument;
  path: string;
}

export function checkDrillReferences(diagnostics: Diagnostics, known: KnownIds, { item, document }: Located<Drill>): void {
  reportUnknown(diagnostics, 'DY3002', { document, path: '/targetId' }, { what: 'target', id: item.targetId, known: known.target });
  if (item.scenarioId === undefined) return;
  reportUnknown(diagnostics, 'DY3003', { document, path: '/scenarioId' }, { what: 'scenario', id: item.scenarioId, known: known.scenario });
}

/** `setup` is what the drill runs in. */
export function checkDrill(checking: Checking, { item, document }: Located<Drill>, setup: WorldSetup): void {
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
    checkActor(diagnostics, { document, path: `${path}/actorId`, actors: setup.actors }, actorId, actorInstanceId);
  }
  for (const [index, { id, actorIds }] of workloads.entries()) {
    const path = `/timeline/workloads/${index}`;
    own(id, `${path}/id`);
    for (const [place, actorId] of actorIds.entries())
      checkActor(diagnostics, { document, path: `${path}/actorIds/${place}`, actors: setup.actors }, actorId, undefined);
  }
  const lists = [
    { assertions: item.assertions, base: '/assertions' },
    { assertions: invariants, base: '/timeline/invariants' },
  ];
  checkAssertions(checking, lists, { document, setup });
}

function checkAssertions(
  checking: Checking,
  lists: { assertions: readonly Assertion[]; base: string }[],
  { document, setup }: { document: SourceDocument; setup: WorldSetup },
): void {
  const instances = namedInstances(setup);
  const seen = new Set<string>();
  for (const { assertions, base } of lists) {
    for (const [index, assertion] of assertions.entries()) {
      const path = `${base}/${index}`;
      if (seen.has(assertion.id)) checking.diagnostics.report('DY3001', document.place(`${path}/id`), `assertion '${assertion.id}' is given twice`);
      seen.add(assertion.id);
      checkAssertion(checking, assertion, { document, path, instances, actors: setup.actors });
    }
  }
}

type AssertionPlace = Place & { instances: ReadonlySet<string>; actors: readonly ScenarioActor[] };

function checkAssertion(checking: Checking, assertion: Assertion, at: AssertionPlace): void {
  const { catalog } = checking;
  const { document, path } = at;
  switch (assertion.kind) {
    case 'state.value':
    case 'state.count':
      catalog.find('namespaces', { packageId: assertion.packageId, id: assertion.namespace }, { document, path });
      checkInstance(checking, assertion, at);
      break;
    case 'operation.count':
    case 'operation.arguments':
    case 'operation.denied':
      checkOperation(checking, assertion.operation, { ...at, path: `${path}/operation` });
      break;
    case 'operation.order':
      for (const [index, operation] of assertion.operations.entries())
        checkOperation(checking, operation, { ...at, path: `${path}/operations/${index}` });
      break;
    case 'event.count':
      catalog.find('events', { packageId: assertion.event.packageId, id: assertion.event.eventId }, { document, path: `${path}/event` });
      checkInstance(checking, assertion.event, { ...at, path: `${path}/event` });
      break;
    case 'callback.count':
      catalog.find('callbacks', { packageId: assertion.packageId, id: assertion.callbackId }, { document, path });
      checkInstance(checking, assertion, at);
      break;
    default:
      assertion satisfies never;
  }
}

type OperationFilter = { packageId: string; instanceId?: string; operationId: string; actorId?: string };

function checkOperation(checking: Checking, { actorId, ...operation }: OperationFilter, at: AssertionPlace): void {
  const { document, path, actors } = at;
  checking.catalog.find('operations', { packageId: operation.packageId, id: operation.operationId }, { document, path });
  checkInstance(checking, operation, at);
  // Any instance of the actor will do here.
  const ids = [...new Set(actors.map(({ id }) => id))];
  if (actorId === undefined || ids.includes(actorId)) return;
  checking.diagnostics.report('DY3010', document.place(`${path}/actorId`), `there is no actor '${actorId}'`, {
    suggestion: didYouMean(actorId, ids),
  });
}

function checkInstance(
  { diagnostics, catalog }: Checking,
  { packageId, instanceId }: { packageId: string; instanceId?: string },
  { document, path, instances }: AssertionPlace,
): void {
  if (instanceId === undefined || instanceId === packageId || !catalog.has(packageId) || instances.has(`${packageId} ${instanceId}`)) return;
  const known = [packageId, ...[...instances].filter((key) => key.startsWith(`${packageId} `)).map((key) => key.slice(packageId.length + 1))];
  diagnostics.report('DY3012', document.place(`${path}/instanceId`), `the world has no instance '${instanceId}' of '${packageId}'`, {
    suggestion: didYouMean(instanceId, [...new Set(known)]),
  });
}

export function checkSuite(diagnostics: Diagnostics, known: KnownIds, drillTags: ReadonlySet<string>, { item, document }: Located<Suite>): void {
  for (const [index, id] of item.drills.entries()) {
    reportUnknown(diagnostics, 'DY3004', { document, path: `/drills/${index}` }, { what: 'drill', id, known: known.drill });
  }
  for (const [index, tag] of item.tags.entries()) {
    if (drillTags.has(tag)) continue;
    diagnostics.report('DY3013', document.place(`/tags/${index}`), `no drill has the tag '${tag}'`, { suggestion: didYouMean(tag, [...drillTags]) });
  }
}

function reportUnknown(
  diagnostics: Diagnostics,
  code: DiagnosticCode,
  { document, path }: Place,
  { what, id, known }: { what: string; id: string; known: ReadonlySet<string> },
): void {
  if (!known.has(id)) diagnostics.report(code, document.place(path), `there is no ${what} '${id}'`, { suggestion: didYouMean(id, [...known]) });
}
