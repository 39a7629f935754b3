// A drill's timeline extracted: every interaction with its time, in the order in which they run.
import type { Drill, Task, Timeline, Workload } from '../../contract/run/drill.js';

export interface PlannedInteraction {
  /** Of an interaction: its own. Of a workload: `<workload>-<actor>-<occurrence, from 1>`. */
  id: string;
  atUs: number;
  actorId: string;
  actorInstanceId?: string;
  task: Task;
}

/** How many interactions there are, without laying them out. */
export function timelineLength({ interactions, workloads }: Timeline): number {
  return workloads.reduce((sum, { actorIds, occurrences }) => sum + actorIds.length * occurrences, interactions.length);
}

/** The latest of its times, from its start: no safe integer where that lies beyond all virtual times. */
export function timelineLengthUs({ horizonUs, interactions, workloads }: Timeline): number {
  const starts = interactions.map(({ afterStartUs }) => afterStartUs);
  const lastOccurrences = workloads.map(({ startAfterUs, everyUs, occurrences }) => startAfterUs + (occurrences - 1) * everyUs);
  return [...starts, ...lastOccurrences].reduce((latest, atUs) => Math.max(latest, atUs), horizonUs);
}

/** Ordered by time; at equal times as declared, interactions before workloads, and inside a workload by occurrence and then actor. */
export function layTimeline({ timeline }: Pick<Drill, 'timeline'>, startUs: number): PlannedInteraction[] {
  const planned: PlannedInteraction[] = [];
  for (const { afterStartUs, ...interaction } of timeline.interactions) planned.push({ ...interaction, atUs: startUs + afterStartUs });
  for (const workload of timeline.workloads) layWorkload(workload, startUs, planned);
  // Array.sort is stable.
  return planned.sort((left, right) => left.atUs - right.atUs);
}

function layWorkload(
  { id, actorIds, task, startAfterUs, everyUs, occurrences }: Workload,
  startUs: number,
  planned: PlannedInteraction[],
): void {
  for (let occurrence = 0; occurrence < occurrences; occurrence++) {
    for (const actorId of actorIds)
      planned.push({ id: `${id}-${actorId}-${occurrence + 1}`, atUs: startUs + startAfterUs + occurrence * everyUs, actorId, task });
  }
}
