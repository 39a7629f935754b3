import type { Timeline } from './drill.js';

/** How many interactions a timeline plays, without laying them out. */
export function timelineLength({ interactions, workloads }: Pick<Timeline, 'interactions' | 'workloads'>): number {
  return workloads.reduce((sum, { actorIds, occurrences }) => sum + actorIds.length * occurrences, interactions.length);
}

/** The latest of its times, from its start: no safe integer where that lies beyond all virtual times. */
export function timelineLengthUs({ horizonUs, interactions, workloads }: Timeline): number {
  const starts = interactions.map(({ afterStartUs }) => afterStartUs);
  const lastOccurrences = workloads.map(({ startAfterUs, everyUs, occurrences }) => startAfterUs + (occurrences - 1) * everyUs);
  return [...starts, ...lastOccurrences].reduce((latest, atUs) => Math.max(latest, atUs), horizonUs);
}
