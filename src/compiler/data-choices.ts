// Data chosen for a source from outside of it: the rows of some tool instances, instead of what the source gives them.
//   DATA-CHOICES-1. The choice is written into the start it is for, the world's or one scenario's layer; setups, hashes and the view follow
//     from there.
//   DATA-CHOICES-2. In that start the chosen instances have the chosen rows and no others. What is layered above still applies.
import { limits } from '../contract/limits.js';
import type { Scenario, StatePatch } from '../contract/world/scenario.js';
import type { Diagnostics } from './diagnostics.js';
import type { ProjectDocuments } from './project-documents.js';
import { rowKey, rowsAfter } from './setups.js';
import type { SoundValues } from './sound-values.js';
import type { SourceDocument } from './source-document.js';
import { checkStart } from './start-checks.js';
import type { ToolCatalog } from './tool-catalog.js';

export interface DataChoices {
  target: { kind: 'baseline' } | { kind: 'scenario'; scenarioId: string };
  /** `state`: upserts of that instance. */
  rows: { packageId: string; instanceId: string; state: StatePatch[] }[];
}

/** The project with the choice written into it. What does not fit is reported at the root file, for it lies in no other. */
export function chooseRows(
  checking: { diagnostics: Diagnostics; catalog: ToolCatalog; sound: SoundValues },
  project: ProjectDocuments,
  { target, rows }: DataChoices,
  rootFile: SourceDocument,
): ProjectDocuments {
  const { world, scenarios } = project;
  const count = rows.reduce((sum, chosen) => sum + chosen.state.length, 0);
  if (count > limits.startRowsMax) {
    checking.diagnostics.report(
      'DY2006',
      rootFile.place(''),
      `the chosen data has ${count} rows; at most ${limits.startRowsMax} are taken`,
    );
    return project;
  }
  const state = rows.flatMap((chosen) => chosen.state);
  checkStart(checking, {
    start: { actors: [], state, faults: [], initialEvents: [] },
    document: rootFile,
    base: '',
    setup: { virtualTimeUs: 0 },
    rowsBelow: [],
  });
  for (const { packageId, state: own } of rows) {
    // Of rows it is said already.
    if (own.length === 0 && !checking.catalog.has(packageId))
      checking.diagnostics.report('DY3005', rootFile.place(''), `data is chosen for package '${packageId}', which does not exist`);
  }
  const instances = new Set(rows.map(instanceKey));
  const others = (patches: readonly StatePatch[]) => patches.filter((patch) => !instances.has(instanceKey(patch)));
  if (target.kind === 'baseline') {
    return world === undefined
      ? project
      : { ...project, world: { ...world, item: { ...world.item, state: [...others(world.item.state), ...state] } } };
  }
  const { scenarioId } = target;
  if (!scenarios.some(({ item }) => item.id === scenarioId) && !project.broken.scenario.has(scenarioId)) {
    checking.diagnostics.report('DY3003', rootFile.place(''), `the chosen data is for scenario '${scenarioId}', which does not exist`);
  }
  const below = world?.item.state ?? [];
  const chosen = (item: Scenario): Scenario => ({
    ...item,
    state: [...others(item.state), ...deletions(below, { instances, kept: state }), ...state],
  });
  return {
    ...project,
    scenarios: scenarios.map((located) => (located.item.id === scenarioId ? { ...located, item: chosen(located.item) } : located)),
  };
}

function instanceKey({ packageId, instanceId }: { packageId: string; instanceId?: string }): string {
  return `${packageId} ${instanceId ?? packageId}`;
}

/** Of the rows below that are not put again. */
function deletions(
  below: readonly StatePatch[],
  { instances, kept }: { instances: ReadonlySet<string>; kept: readonly StatePatch[] },
): StatePatch[] {
  const ours = below.filter((patch) => instances.has(instanceKey(patch)));
  const there = rowsAfter(ours as Parameters<typeof rowsAfter>[0]);
  for (const patch of kept) there.delete(rowKey(patch));
  return ours.flatMap((patch): StatePatch[] => {
    // Each row once, wherever it was put last.
    if (!there.delete(rowKey(patch))) return [];
    const { packageId, instanceId = packageId, namespace, rowId } = patch;
    return [{ action: 'delete', packageId, instanceId, namespace, rowId }];
  });
}
