// Which drills a run is about. A name that nothing has, and a choice that leaves nothing, are refused: nothing is never "all passed".
import { defined } from '../../contract/defined.js';
import { ServiceError } from '../../contract/errors.js';
import type { CompiledBuild, CompiledDrill } from '../../contract/run/build.js';
import type { Drill, Suite } from '../../contract/run/drill.js';
import { nearest } from '../../text/nearest.js';
import { tuning } from '../tuning.js';
import type { Selection } from './options.js';

export interface SelectedDrills {
  /** In the build's order, each once. */
  drills: CompiledDrill[];
  suite?: Suite;
}

export function selectDrills(build: CompiledBuild, selection: Selection): SelectedDrills {
  const { suite: suiteId, drills: ids = [], tags = [], filter } = selection;
  const suite = suiteId === undefined ? defaultSuite(build, selection) : build.suites.find(({ id }) => id === suiteId);
  if (suiteId !== undefined && suite === undefined)
    throw unknown(
      'suite',
      suiteId,
      build.suites.map(({ id }) => id),
    );
  const known = new Set(build.drills.flatMap(({ drill: { id, caseOf } }) => (caseOf === undefined ? [id] : [id, caseOf])));
  for (const id of ids) if (!known.has(id)) throw unknown('drill', id, [...known]);
  const knownTags = new Set(build.drills.flatMap(({ drill }) => drill.tags));
  for (const tag of tags) if (!knownTags.has(tag)) throw unknown('tag', tag, [...knownTags].sort());
  const drills = build.drills
    .filter(({ drill }) => suite === undefined || inSuite(suite, drill))
    .filter(({ drill }) => ids.length === 0 || isNamed(ids, named(drill)))
    .filter(({ drill }) => tags.length === 0 || tags.some((tag) => drill.tags.includes(tag)))
    .filter(({ drill }) => filter === undefined || matchesFilter(filter, drill));
  if (drills.length === 0)
    throw new ServiceError('control.NOT_FOUND', {
      message:
        build.drills.length === 0
          ? "The repository has no drills. A drill is a file below its source root that ends in '.drill.yaml'."
          : `No drill is selected. There are: ${few(build.drills.map(({ drill }) => drill.id))}. 'drillyard plan' shows what a choice selects.`,
      details: {
        selection: {
          ...defined({ suite: suiteId }),
          drills: [...ids],
          tags: [...tags],
          ...defined({ filter }),
        },
      },
    });
  return { drills, ...defined({ suite }) };
}

function defaultSuite(build: CompiledBuild, { drills = [], tags = [], filter }: Selection): Suite | undefined {
  if (drills.length > 0 || tags.length > 0 || filter !== undefined) return undefined;
  return build.suites.find(({ id }) => id === 'default');
}

/** The id of a file with cases names all of them. */
export function isNamed(ids: readonly string[], { drillId, caseOf }: { drillId: string; caseOf?: string }): boolean {
  return ids.includes(drillId) || (caseOf !== undefined && ids.includes(caseOf));
}

function named({ id, caseOf }: Pick<Drill, 'id' | 'caseOf'>) {
  return { drillId: id, ...defined({ caseOf }) };
}

function inSuite(suite: Suite, drill: Pick<Drill, 'id' | 'caseOf' | 'tags'>): boolean {
  if (suite.drills.length === 0 && suite.tags.length === 0) return true;
  return isNamed(suite.drills, named(drill)) || suite.tags.some((tag) => drill.tags.includes(tag));
}

function matchesFilter(filter: string, { id, title }: { id: string; title?: string }): boolean {
  const literal = filter.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(literal.join('.*'), 'i');
  return pattern.test(id) || (title !== undefined && pattern.test(title));
}

function unknown(kind: 'suite' | 'drill' | 'tag', id: string, known: readonly string[]): ServiceError {
  const near = nearest(id, known);
  const hint =
    near !== undefined ? `Did you mean "${near}"?` : known.length === 0 ? `This repository has no ${kind}s.` : `There are: ${few(known)}.`;
  return new ServiceError('control.NOT_FOUND', { message: `There is no ${kind} "${id}". ${hint}`, details: { [kind]: id } });
}

function few(ids: readonly string[]): string {
  return `${ids.slice(0, tuning.idsListed).join(', ')}${ids.length > tuning.idsListed ? ', ...' : ''}`;
}
