// Which entries lie in a stretch of virtual time, and which stretch entries take: asked of the source, as a picture knows no more of a long
// run than the buckets that it draws.
import type { EvidenceSource } from './evidence-source.ts';
import type { SequenceRange } from './journal-filter.ts';
import type { AxisView } from './timeline-scale.js';

/** Undefined where there is none. Both ends belong to the stretch. */
export async function entriesBetween(
  source: EvidenceSource,
  { fromUs, toUs }: { fromUs: number; toUs: number },
  signal: AbortSignal,
): Promise<SequenceRange | undefined> {
  const firstFrom = async (us: number): Promise<number | undefined> =>
    (await source.timeline({ axis: 'time', from: us, to: us, buckets: 1 }, signal)).firstSequences[0];
  const [first, after] = await Promise.all([firstFrom(Math.ceil(fromUs)), firstFrom(Math.floor(toUs) + 1)]);
  return first === undefined || after === undefined || after <= first ? undefined : { from: first, to: after - 1 };
}

/** In virtual time. null where the source does not have both ends. */
export async function stretchBetween(source: EvidenceSource, { from, to }: SequenceRange): Promise<AxisView | null> {
  const entries = await source.entriesAt(from === to ? [from] : [from, to]);
  const [first, last] = [entries[0], entries.at(-1)];
  return first?.sequence === from && last?.sequence === to ? { from: first.virtualTimeUs, to: last.virtualTimeUs } : null;
}
