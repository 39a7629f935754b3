// The entries that a report holds, read as a journal by its story. Of a long journal some are missing: what stands between is passed over.
import type { EvidenceEntry, OperationEntry } from '../contract/world/evidence.js';
import { entryIsProblem } from './entry-text.js';
import type { EvidenceView } from './evidence-view.js';
import type { StoryJournal } from './story.js';

export function viewJournal({ shown, total }: Pick<EvidenceView, 'shown' | 'total'>): StoryJournal {
  const entries = shown.map(({ entry }) => entry);
  const positions = new Map(entries.map(({ sequence }, index) => [sequence, index]));
  const firstFrom = (sequence: number): number => {
    const index = entries.findIndex((entry) => entry.sequence >= sequence);
    return index < 0 ? entries.length : index;
  };
  return {
    last: total,
    entry: (sequence) => entries[positions.get(sequence) ?? -1],
    *problemsBefore(sequence): Generator<EvidenceEntry> {
      for (let index = firstFrom(sequence) - 1; index >= 0; index--) {
        const entry = entries[index] as EvidenceEntry;
        if (entryIsProblem(entry)) yield entry;
      }
    },
    *callsAfter(sequence): Generator<OperationEntry> {
      for (let index = firstFrom(sequence + 1); index < entries.length; index++) {
        const entry = entries[index] as EvidenceEntry;
        if (entry.kind === 'operation') yield entry;
      }
    },
  };
}
