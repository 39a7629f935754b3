// What the address of a report remembers after its `#`: the entry that is looked at, and what the journal is narrowed to.
//   #entry-14, #range=22-30, #entry-14&kind=operation&q=refund
import { filterOfQuery, type JournalFilter, queryOfFilter } from '../journal-filter.js';

export interface AddressedPlace {
  sequence: number | undefined;
  /** Absent: the address says nothing of it, as a link to an entry does. */
  filter?: JournalFilter;
}

/** Undefined for an address of something else, as that of an assertion. */
export function placeOfHash(hash: string): AddressedPlace | undefined {
  const words = hash.slice(1);
  const [entry = '', digits] = /^entry-(\d{1,15})(?:&|$)/.exec(words) ?? [];
  const query = words.slice(entry.length);
  if (query === '' ? entry === '' : !/^[a-z]+=/.test(query)) return undefined;
  return {
    sequence: digits === undefined ? undefined : Number(digits),
    ...(query === '' ? {} : { filter: filterOfQuery(Object.fromEntries(new URLSearchParams(query))) }),
  };
}

/** '' where nothing is looked at, and all is shown. */
export function hashOfPlace({ sequence, filter }: { sequence: number | undefined; filter: JournalFilter }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(queryOfFilter(filter))) if (value !== undefined) query.set(name, value);
  const parts = [...(sequence === undefined ? [] : [`entry-${sequence}`]), ...(query.size === 0 ? [] : [query.toString()])];
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}
