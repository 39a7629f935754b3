// The data of a report as a source of the viewer: everything is here already, or is not in the page at all.
import type { TimelineQuery, TimelineReply } from '../../contract/inspector/journal.js';
import type { EvidenceEntry, EvidenceKind } from '../../contract/world/evidence.js';
import { entryIsProblem, entryText } from '../../reports/entry-text.js';
import type { PageData } from '../../reports/page-data.js';
import { causeOf } from '../../reports/story.js';
import type { EvidenceSource } from '../evidence-source.js';
import { JournalPages } from '../journal-pages.js';
import { tuning } from '../tuning.js';
import { HeldState } from './held-state.js';

export function heldSource({ runId, entries, total, start }: PageData): EvidenceSource {
  const bySequence = new Map(entries.map((entry) => [entry.sequence, entry]));
  const state = new HeldState(start ?? [], entries);
  const isWhole = entries.length === total;
  let texts: string[] | undefined;
  const from = (sequence: number, limit: number): EvidenceEntry[] => {
    const first = entries.findIndex((entry) => entry.sequence >= sequence);
    return first < 0 ? [] : entries.slice(first, first + limit);
  };
  return {
    id: runId,
    // Of a journal that is here in parts the list names the sequences itself.
    journal: new JournalPages(async (position, limit) => (isWhole ? entries.slice(position - 1, position - 1 + limit) : [])),
    ...(isWhole ? {} : { held: entries.map(({ sequence }) => sequence) }),
    hasState: start !== undefined,
    entries: async (sequence, limit) => from(sequence, limit),
    entriesAt: async (sequences) => sequences.flatMap((sequence) => bySequence.get(sequence) ?? []),
    namespaces: async (atSequence = total) => ({ schemaVersion: 1, atSequence, namespaces: state.namespacesAt(atSequence) }),
    state: async (query) => ({ schemaVersion: 1, ...state.rowsAt(query, query.atSequence ?? total) }),
    chain: async (sequence) => chainAmong(entries, bySequence, sequence),
    story: async () => [],
    search: async ({ q, kind }) => {
      const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
      const kinds = kind?.split(',');
      texts ??= words.length === 0 ? undefined : entries.map((entry) => JSON.stringify(entry).toLowerCase());
      const found = entries.filter(
        (entry, index) => (kinds === undefined || kinds.includes(entry.kind)) && words.every((word) => texts?.[index]?.includes(word)),
      );
      return { schemaVersion: 1, matches: [], sequences: found.map(({ sequence }) => sequence), toSequence: total };
    },
    timeline: async (query) => timelineAmong(entries, query),
  };
}

function chainAmong(entries: readonly EvidenceEntry[], bySequence: ReadonlyMap<number, EvidenceEntry>, sequence: number) {
  const causes: EvidenceEntry[] = [];
  const own = bySequence.get(sequence);
  for (let cause = own === undefined ? undefined : causeOf(own); cause !== undefined; ) {
    const found = bySequence.get(cause);
    if (found === undefined) break;
    causes.unshift(found);
    cause = causeOf(found);
  }
  const effects = entries.filter((entry) => causeOf(entry) === sequence);
  return { causes, effects: effects.slice(0, tuning.effectsShown), effectsTotal: effects.length };
}

/** Of the entries that are here. */
function timelineAmong(
  entries: readonly EvidenceEntry[],
  { axis = 'time', from, to, buckets = tuning.timelineBucketsMax }: TimelineQuery,
): TimelineReply {
  const at = (entry: EvidenceEntry): number => (axis === 'time' ? entry.virtualTimeUs : entry.sequence);
  const [start, end] = [at(entries[0] as EvidenceEntry), at(entries.at(-1) as EvidenceEntry)];
  const window = { from: from ?? start, to: to ?? end };
  const bucketSize = Math.max((window.to - window.from) / buckets, 1);
  const density: { [kind: string]: number[] } = {};
  const firstSequences: number[] = new Array(buckets).fill(0);
  for (const entry of entries) {
    const bucket = Math.min(Math.floor((at(entry) - window.from) / bucketSize), buckets - 1);
    if (bucket < 0 || at(entry) > window.to) continue;
    const counts = density[entry.kind] ?? new Array<number>(buckets).fill(0);
    density[entry.kind] = counts;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    if (firstSequences[bucket] === 0) firstSequences[bucket] = entry.sequence;
  }
  const isMarked = (kind: EvidenceKind): boolean => kind === 'fault' || kind === 'fault_control';
  const marks = entries
    .filter((entry) => (isMarked(entry.kind) || entryIsProblem(entry)) && at(entry) >= window.from && at(entry) <= window.to)
    .map((entry) => ({
      sequence: entry.sequence,
      at: at(entry),
      kind: entry.kind,
      label: entryText(entry),
      failed: entryIsProblem(entry),
    }));
  const reply = { axis, start, end, ...window, bucketSize, density, firstSequences, interactions: [], checkpoints: [] };
  return { schemaVersion: 1, ...reply, marks, marksTotal: marks.length };
}
