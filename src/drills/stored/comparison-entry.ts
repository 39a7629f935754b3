// Entry of the two threads of a comparison: one compares and reads the left run, the other reads the right one for it.
import type { RunComparison } from '../../contract/hosted/runs.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { compareSides, sideOf } from './compare-runs.js';
import { type ComparisonTask, type SideTask, withSideApart } from './compare-sealed.js';
import type { ReadSide } from './read-side.js';
import { type SealedPlace, SealedReport } from './sealed-report.js';

export function compare({ left, right }: ComparisonTask): Promise<RunComparison> {
  return withSideApart(right, async (other) => compareSides(await sideAt(left), other));
}

export async function answerOfSide(task: SideTask): Promise<ReadSide | Map<number, EvidenceEntry>> {
  const side = await sideAt(task.place);
  return task.kind === 'read' ? side.read() : side.entriesAt(task.sequences);
}

const sideAt = async ({ folder, manifestDigest }: SealedPlace) => sideOf(await new SealedReport(folder, manifestDigest).run());
