// Counts the entries of one sort, and cites them.
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import { type Check, Citations } from './finding.js';

export function entryCounter(
  isOurs: (entry: EvidenceEntry) => boolean,
  tell: (count: number, sequences: number[]) => ReturnType<Check['finding']>,
): Check {
  const cited = new Citations();
  let count = 0;
  return {
    observe: (entry) => {
      if (!isOurs(entry)) return;
      count += 1;
      cited.add(entry.sequence);
    },
    finding: () => tell(count, cited.sequences),
  };
}
