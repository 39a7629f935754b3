// What led to an entry and what it led to, however far apart: the index knows the cause of each entry, so the effects are found by one look
// through a column of numbers.
import type { ChainReply } from '../../contract/inspector/journal.js';
import { limits } from '../../contract/limits.js';
import type { EvidenceEntry } from '../../contract/world/evidence.js';
import type { JournalFile } from './journal-file.js';

export function chainOf(journal: JournalFile, sequence: number): Omit<ChainReply, 'schemaVersion'> {
  if (sequence > journal.length) return { causes: [], effects: [], effectsTotal: 0 };
  const causes: EvidenceEntry[] = [];
  // A cause comes before what it causes, so the walk ends.
  for (let cause = journal.causes.at(sequence - 1); cause > 0 && causes.length < limits.inspectorCausesMax; ) {
    causes.unshift(journal.entry(cause));
    cause = journal.causes.at(cause - 1);
  }
  const found: number[] = [];
  let effectsTotal = 0;
  const column = journal.causes.values();
  for (let at = column.indexOf(sequence, sequence); at >= 0; at = column.indexOf(sequence, at + 1)) {
    effectsTotal++;
    if (found.length < limits.inspectorEffectsMax) found.push(at + 1);
  }
  return { causes, effects: found.map((effect) => journal.entry(effect)), effectsTotal };
}
