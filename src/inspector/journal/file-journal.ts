// An indexed journal of a file, read by its story: the index says where problems and calls are, so that only those are parsed.
import type { EvidenceEntry, OperationEntry } from '../../contract/world/evidence.js';
import { codeOf } from '../../reports/entry-scan.js';
import type { StoryJournal } from '../../reports/story.js';
import type { JournalFile } from './journal-file.js';

const [operation, fault, refused] = [codeOf('operation'), codeOf('fault'), codeOf('refused_request')];

export function fileJournal(journal: JournalFile): StoryJournal {
  return {
    last: journal.length,
    entry: (sequence) => (sequence >= 1 && sequence <= journal.length ? journal.entry(sequence) : undefined),
    *problemsBefore(sequence): Generator<EvidenceEntry> {
      for (let at = Math.min(sequence, journal.length + 1) - 1; at >= 1; at--) {
        const kind = journal.kinds.at(at - 1);
        if (kind === fault || kind === refused || journal.failures.at(at - 1) === 1) yield journal.entry(at);
      }
    },
    *callsAfter(sequence): Generator<OperationEntry> {
      for (let at = sequence + 1; at <= journal.length; at++)
        if (journal.kinds.at(at - 1) === operation) yield journal.entry(at) as OperationEntry;
    },
  };
}
