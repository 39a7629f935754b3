// Entry of the two threads of a comparison: one compares and reads the left run, the other reads the right one for it.
import type { RunComparison } from '../../contract/hosted/runs.js';
import { compareRuns } from './compare-runs.js';
import { type ComparisonTask, readSideApart } from './compare-sealed.js';
import { type ReadSide, readSide } from './read-side.js';
import { type SealedPlace, SealedReport } from './sealed-report.js';

export async function compare({ left, right }: ComparisonTask): Promise<RunComparison> {
  return compareRuns(await runOf(left), await runOf(right), () => readSideApart(right));
}

export async function read(place: SealedPlace): Promise<ReadSide> {
  return readSide(await runOf(place));
}

const runOf = ({ folder, manifestDigest }: SealedPlace) => new SealedReport(folder, manifestDigest).run();
