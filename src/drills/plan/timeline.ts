// A drill's timeline extracted: every interaction with its time, in the order in which they run.
import type { Drill, Task, Workload } from '../../contract/run/drill.js';

export interface PlannedInteraction {
  /** Of an interaction: its own. Of a workload: `<workload>-<actor>-<occurrence, from 1>`. */
  id: string;
  atUs: number;
  actorId: string;
  actorInstanceId?: string;
  task: Task;
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
