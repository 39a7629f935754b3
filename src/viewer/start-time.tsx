// When a journal begins, in virtual time: what times in lists are counted from.
import type { EvidenceSource } from './evidence-source.ts';
import { useLoad } from './kit/loading.tsx';

export function useStart(source: EvidenceSource, count: number): number {
  const first = useLoad(`start ${source.id} ${count > 0}`, async () => (count > 0 ? (await source.entries(1, 1))[0] : undefined));
  return first.value?.virtualTimeUs ?? 0;
}
