// Two sealed reports compared. Long journals are read by two threads at once, a side each, and the caller's thread is free meanwhile.
import { Semaphore } from '../../async/semaphore.js';
import type { RunComparison } from '../../contract/hosted/runs.js';
import { startThread } from '../../workers/thread.js';
import { tuning } from '../tuning.js';
import { compareRuns } from './compare-runs.js';
import type { ReadSide } from './read-side.js';
import type { SealedPlace, SealedReport } from './sealed-report.js';

const turns = new Semaphore(tuning.comparisonsAtOnce);

export interface ComparisonTask {
  left: SealedPlace;
  right: SealedPlace;
}

export async function compareSealed(left: SealedReport, right: SealedReport): Promise<RunComparison> {
  const [one, other] = [await left.run(), await right.run()];
  const entries = one.result.evidenceRange.toSequence + other.result.evidenceRange.toSequence;
  if (entries <= tuning.comparedHereEntriesMax) return compareRuns(one, other);
  const task: ComparisonTask = { left: left.place, right: right.place };
  return turns.run(async () => (await runInThread('compare', task)) as RunComparison);
}

/** In a thread for this side alone. */
export async function readSideApart(place: SealedPlace): Promise<ReadSide> {
  return (await runInThread('read', place)) as ReadSide;
}

async function runInThread(run: 'compare' | 'read', task: ComparisonTask | SealedPlace): Promise<unknown> {
  const entry = new URL('./comparison-entry.js', import.meta.url);
  const thread = startThread({ entry, run, resourceLimits: { maxYoungGenerationSizeMb: tuning.comparisonYoungMb } });
  try {
    return await thread.run(task);
  } finally {
    await thread.end();
  }
}
