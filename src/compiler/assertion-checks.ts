// Assertions: each speaks of something that the tools, the drill's setup and its timeline have.
import type { Assertion, Footprint } from '../contract/assertion.js';
import type { Timeline } from '../contract/drill.js';
import type { ScenarioActor, WorldSetup } from '../contract/scenario.js';
import { checkAssertionNames } from './assertion-names.js';
import type { Diagnostics } from './diagnostics.js';
import { didYouMean } from './did-you-mean.js';
import { namedInstances } from './setups.js';
import type { SourceDocument } from './source-document.js';
import type { ToolCatalog } from './tool-catalog.js';

export interface Checking {
  diagnostics: Diagnostics;
  catalog: ToolCatalog;
}

export function checkAssertions(
  checking: Checking,
  lists: { assertions: readonly Assertion[]; base: string }[],
  { document, setup, timeline }: { document: SourceDocument; setup: WorldSetup; timeline: Timeline },
): void {
  const instances = namedInstances(setup);
  const seen = new Set<string>();
  for (const { assertions, base } of lists) {
    for (const [index, assertion] of assertions.entries()) {
      const path = `${base}/${index}`;
      if (seen.has(assertion.id))
        checking.diagnostics.report('DY3001', document.place(`${path}/id`), `assertion '${assertion.id}' is given twice`);
      seen.add(assertion.id);
      checkAssertionNames(checking, assertion, { document, path });
      checkAssertion(checking, assertion, { document, path, instances, actors: setup.actors, timeline });
    }
  }
}

interface AssertionPlace {
  document: SourceDocument;
  path: string;
  instances: ReadonlySet<string>;
  actors: readonly ScenarioActor[];
  timeline: Timeline;
}

function checkAssertion(checking: Checking, assertion: Assertion, at: AssertionPlace): void {
  const { catalog } = checking;
  const { document, path } = at;
  switch (assertion.kind) {
    case 'state.value':
    case 'state.count':
      checkRows(checking, assertion, at);
      break;
    case 'operation.count':
    case 'operation.arguments':
    case 'operation.denied':
    case 'effect.at_most_once':
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
    case 'fault.count':
      checkFault(checking, assertion.fault, { ...at, path: `${path}/fault` });
      break;
    case 'output.value':
      checkInteraction(checking, assertion.interactionId, { ...at, path: `${path}/interactionId` });
      break;
    case 'state.unchanged':
      checkFootprints(checking, assertion.except, { ...at, path: `${path}/except` });
      checkFootprints(checking, assertion.scope, { ...at, path: `${path}/scope` });
      break;
    case 'state.diff':
      for (const [index, change] of assertion.changes.entries()) checkRows(checking, change, { ...at, path: `${path}/changes/${index}` });
      checkFootprints(checking, assertion.scope, { ...at, path: `${path}/scope` });
      break;
    case 'expr':
      // What the expression itself says: expression-checks.ts.
      for (const [name, rows] of Object.entries(assertion.state)) checkRows(checking, rows, { ...at, path: `${path}/state/${name}` });
      break;
    case 'time.reached':
      break;
    default:
      assertion satisfies never;
  }
}

function checkRows(checking: Checking, rows: Required<Pick<Footprint, 'packageId' | 'namespace'>> & Footprint, at: AssertionPlace): void {
  checking.catalog.find('namespaces', { packageId: rows.packageId, id: rows.namespace }, at);
  checkInstance(checking, rows, at);
}

function checkFootprints(checking: Checking, footprints: readonly Footprint[] = [], at: AssertionPlace): void {
  for (const [index, footprint] of footprints.entries()) {
    const { namespace, ...rest } = footprint;
    const here = { ...at, path: `${at.path}/${index}` };
    if (namespace !== undefined) checkRows(checking, { ...rest, namespace }, here);
    else if (checking.catalog.findPackage(rest.packageId, here)) checkInstance(checking, rest, here);
  }
}

function checkFault(
  checking: Checking,
  fault: { packageId: string; instanceId?: string; faultId: string; operationId?: string },
  at: AssertionPlace,
): void {
  const { packageId, faultId, operationId } = fault;
  const tool = checking.catalog.find('faults', { packageId, id: faultId }, at);
  checkInstance(checking, fault, at);
  if (tool === undefined || operationId === undefined || !checking.catalog.find('operations', { packageId, id: operationId }, at)) return;
  const hit = tool.faults.get(faultId);
  if (hit === undefined || hit.has(operationId)) return;
  const place = at.document.place(`${at.path}/operationId`);
  checking.diagnostics.report('DY4007', place, `fault '${faultId}' never happens to calls of '${operationId}'`, {
    suggestion: didYouMean(operationId, [...hit]),
  });
}

/** Those of workloads are named by occurrence: `<workload>-<actor>-<number from 1>`. */
function checkInteraction({ diagnostics }: Checking, interactionId: string, { document, path, timeline }: AssertionPlace): void {
  const { interactions, workloads } = timeline;
  const isOccurrence = workloads.some(({ id, actorIds, occurrences }) =>
    actorIds.some((actorId) => {
      const prefix = `${id}-${actorId}-`;
      const number = interactionId.startsWith(prefix) ? interactionId.slice(prefix.length) : '';
      return /^[1-9]\d*$/.test(number) && Number(number) <= occurrences;
    }),
  );
  if (isOccurrence || interactions.some(({ id }) => id === interactionId)) return;
  const known = [...interactions.map(({ id }) => id), ...workloads.map(({ id, actorIds }) => `${id}-${actorIds[0]}-1`)];
  diagnostics.report('DY3015', document.place(path), `the drill has no interaction '${interactionId}'`, {
    suggestion: didYouMean(interactionId, known),
  });
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
  if (instanceId === undefined || instanceId === packageId || !catalog.has(packageId) || instances.has(`${packageId} ${instanceId}`))
    return;
  const known = [
    packageId,
    ...[...instances].filter((key) => key.startsWith(`${packageId} `)).map((key) => key.slice(packageId.length + 1)),
  ];
  diagnostics.report('DY3012', document.place(`${path}/instanceId`), `the world has no instance '${instanceId}' of '${packageId}'`, {
    suggestion: didYouMean(instanceId, [...new Set(known)]),
  });
}
