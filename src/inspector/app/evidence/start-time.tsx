// When a journal begins, in virtual time: what times in lists are counted from.
import { useLoad } from '../state/loading.tsx';
import type { EvidenceSource } from './evidence-source.ts';

export function useStart(source: EvidenceSource, count: number): number {
  const first = useLoad(`start ${source.id} ${count > 0}`, async () => (count > 0 ? await source.journal.entry(1) : undefined));
  return first.value?.virtualTimeUs ?? 0;
}
