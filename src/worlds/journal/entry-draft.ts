// Entries of the kinds that are not hot, as canonical text cut where the members that the journal knows by position (sequence,
// transaction, time, correlation) go in between. Raw newlines never occur in JSON, so one text holds all the segments.
import { canonicalJson } from '../../contract/canonical-json.js';
import { invariant } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json.js';
import type { EntryCommon, EvidenceEntry } from '../../contract/world/evidence.js';

type Draft<E> = E extends EvidenceEntry ? Omit<E, Exclude<keyof EntryCommon, 'causeSequence'>> : never;
/** Any entry but those with a faster way in: rows (Records drafts them) and events (Journal.draftEvent). */
export type EntryDraft = Draft<Exclude<EvidenceEntry, { kind: 'state_change' | 'event' }>>;

/** The common members that stand between segments, in canonical order. Nothing is above virtualTimeUs. */
const cuts = ['causeSequence', 'correlationId', 'kind', 'schemaVersion', 'transactionId', 'virtualTimeUs'];

/** Members of segment k lie below cuts[k]; each ends in a comma. */
export function draftSegments(entry: EntryDraft): string {
  const members = entry as unknown as { [key: string]: JsonValue | undefined };
  let text = '';
  let cut = 0;
  for (const key of Object.keys(members).sort()) {
    const value = members[key];
    if (value === undefined || key === 'kind' || key === 'causeSequence') continue;
    while (key > (cuts[cut] as string)) {
      text += '\n';
      invariant(++cut < cuts.length, `an entry has no member ${key}`);
    }
    text += `${JSON.stringify(key)}:${canonicalJson(value)},`;
  }
  return text + '\n'.repeat(cuts.length - 1 - cut);
}
