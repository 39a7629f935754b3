// A journal that grows while somebody looks at it: what of it is asked again, and how often.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EvidenceSource } from './evidence-source.ts';
import { useLoad } from './kit/loading.tsx';
import { tuning } from './tuning.js';

/** Of a number that grows all the time the latest of each second: drawing it at each entry would never end. After a rest at once. */
export function useSettled(count: number): number {
  const [settled, setSettled] = useState(count);
  const latest = useRef(count);
  latest.current = count;
  const settledAtMs = useRef(Number.NEGATIVE_INFINITY);
  const isBehind = settled !== count;
  useEffect(() => {
    if (!isBehind) return;
    const waitMs = Math.max(settledAtMs.current + tuning.growthRestMs - performance.now(), 0);
    const timer = setTimeout(() => {
      settledAtMs.current = performance.now();
      setSettled(latest.current);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [isBehind]);
  return settled;
}

/** How many entries there are of each kind: as the source said, or counted again while there come more. */
export function useKinds(source: EvidenceSource, count: number, known: KindFigures | undefined): KindFigures | undefined {
  const settled = useSettled(count);
  const isKnown = known !== undefined;
  const counted = useLoad(
    `kinds ${source.id} ${isKnown ? 'known' : settled}`,
    async () => {
      if (isKnown) return undefined;
      const { density } = await source.timeline({ axis: 'sequence', buckets: 1 }, new AbortController().signal);
      return Object.fromEntries(Object.entries(density).map(([kind, [entries = 0]]) => [kind, entries]));
    },
    { keep: true },
  );
  return known ?? counted.value;
}
export interface KindFigures {
  readonly [kind: string]: number;
}
