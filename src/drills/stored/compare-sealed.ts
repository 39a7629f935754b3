// Two sealed reports compared. Long journals are read by two threads at once, a side each, and the caller's thread is free meanwhile.
import type { RunComparison } from '../../contract/hosted/runs.js';
import { TaskTurns } from '../../workers/task-turns.js';
import { startThread, type Thread } from '../../workers/thread.js';
import { tuning } from '../tuning.js';
import { type ComparedSide, compareRuns } from './compare-runs.js';
import { type SealedPlace, SealedReport } from './sealed-report.js';

/** Of the process, as its processors are. How many of one party wait is bounded by who lets it in. */
const turns = new TaskTurns<() => void>(tuning.comparisonsAtOnce);
let running = 0;

/** What the threads are asked (comparison-entry.ts). */
export interface ComparisonTask {
  left: SealedPlace;
  right: SealedPlace;
}
export type SideTask = { kind: 'read'; place: SealedPlace } | { kind: 'entries'; place: SealedPlace; sequences: ReadonlySet<number> };

/** `party`: who asks, such as an organization; those of several parties take turns. */
export async function compareSealed(left: SealedReport, right: SealedReport, party = ''): Promise<RunComparison> {
  const [one, other] = [await left.run(), await right.run()];
  const entries = one.result.evidenceRange.toSequence + other.result.evidenceRange.toSequence;
  if (entries <= tuning.comparedHereEntriesMax) return compareRuns(one, other);
  const task: ComparisonTask = { left: left.place, right: right.place };
  return inTurn(party, () => withThread('compare', async (thread) => (await thread.run(task)) as RunComparison));
}

async function inTurn<T>(party: string, work: () => Promise<T>): Promise<T> {
  await new Promise<void>((begin) => {
    turns.push(party, begin);
    beginNext();
  });
  try {
    return await work();
  } finally {
    turns.ended(party);
    running -= 1;
    beginNext();
  }
}

function beginNext(): void {
  if (running >= tuning.comparisonsAtOnce) return;
  const begin = turns.next();
  if (begin === undefined) return;
  running += 1;
  begin();
}

/** `use` has the run as a side that a thread for it alone reads. */
export function withSideApart<T>(place: SealedPlace, use: (side: ComparedSide) => Promise<T>): Promise<T> {
  return withThread('answerOfSide', async (thread) => {
    // The thread starts meanwhile.
    const { result } = await new SealedReport(place.folder, place.manifestDigest).run();
    const ask = <Answer>(task: SideTask): Promise<Answer> => thread.run(task) as Promise<Answer>;
    return use({
      result,
      read: () => ask({ kind: 'read', place }),
      entriesAt: (sequences) => ask({ kind: 'entries', place, sequences }),
    });
  });
}

async function withThread<T>(run: 'compare' | 'answerOfSide', use: (thread: Thread) => Promise<T>): Promise<T> {
  const entry = new URL('./comparison-entry.js', import.meta.url);
  const thread = startThread({ entry, run, resourceLimits: { maxYoungGenerationSizeMb: tuning.comparisonYoungMb } });
  try {
    return await use(thread);
  } finally {
    await thread.end();
  }
}
