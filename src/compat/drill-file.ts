// A drill: its assertions, and its workloads, whose interactions have other ids there.
import { isJsonObject, type JsonObject, type JsonValue } from '../contract/json.js';
import type { ReadShape } from '../contract/run/dialect.js';
import { readAssertion } from './assertions.js';
import { present, ShapeReader } from './members.js';
import { tuning } from './tuning.js';

export function readDrill(drill: JsonValue): ReadShape {
  const reader = new ShapeReader();
  if (!isJsonObject(drill)) return reader.done(drill);
  const read = (assertion: JsonObject, path: string) => readAssertion(reader, assertion, path);
  const assertions = reader.each(drill, 'assertions', { path: '', read });
  const { timeline } = drill;
  if (!isJsonObject(timeline)) return reader.done(present({ ...drill, assertions }));
  const invariants = reader.each(timeline, 'invariants', { path: '/timeline', read });
  const { workloads, ...rest } = timeline;
  const interactions = interactionsOf(reader, timeline);
  const kept = interactions === undefined ? { workloads } : { interactions };
  return reader.done({ ...drill, ...present({ assertions }), timeline: present({ ...rest, invariants, ...kept }) });
}

/** With those of workloads written out as `<id>-<n>-<actor>`; undefined where some workload is not one. */
function interactionsOf(reader: ShapeReader, { interactions = [], workloads }: JsonObject): JsonValue[] | undefined {
  if (!Array.isArray(workloads) || !Array.isArray(interactions)) return undefined;
  const written: JsonValue[] = [];
  for (const workload of workloads) {
    const { id, actorIds, task, startAfterUs = 0, everyUs, occurrences, ...strange } = isJsonObject(workload) ? workload : {};
    const isOne = typeof id === 'string' && Array.isArray(actorIds) && typeof startAfterUs === 'number' && typeof everyUs === 'number';
    if (!isOne || typeof occurrences !== 'number' || Object.keys(strange).length > 0) return undefined;
    if (occurrences * actorIds.length > tuning.workloadInteractionsMax) {
      reader.refuse('/timeline/workloads', `a workload of more than ${tuning.workloadInteractionsMax} interactions`, 'workloads');
      continue;
    }
    for (let number = 1; number <= occurrences; number++)
      for (const actorId of actorIds)
        written.push(present({ id: `${id}-${number}-${actorId}`, afterStartUs: startAfterUs + (number - 1) * everyUs, actorId, task }));
  }
  return [...interactions, ...written];
}
