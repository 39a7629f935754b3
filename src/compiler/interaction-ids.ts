// The interactions that a drill has, by id. Those of workloads are named by occurrence: `<workload>-<actor>-<number from 1>`.
import type { Timeline } from '../contract/run/drill.js';

export function hasInteraction({ interactions, workloads }: Timeline, interactionId: string): boolean {
  const isOccurrence = workloads.some(({ id, actorIds, occurrences }) =>
    actorIds.some((actorId) => {
      const prefix = `${id}-${actorId}-`;
      const number = interactionId.startsWith(prefix) ? interactionId.slice(prefix.length) : '';
      return /^[1-9]\d*$/.test(number) && Number(number) <= occurrences;
    }),
  );
  return isOccurrence || interactions.some(({ id }) => id === interactionId);
}

/** For a suggestion: of each workload the first. */
export function interactionExamples({ interactions, workloads }: Timeline): string[] {
  return [...interactions.map(({ id }) => id), ...workloads.map(({ id, actorIds }) => `${id}-${actorIds[0]}-1`)];
}
