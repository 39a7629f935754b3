// The data of a report as a source of the viewer: everything is here already, or is not in the page at all.
import type { RowChangesQuery, RowChangesReply, SearchQuery, TimelineQuery, TimelineReply } from '../../contract/inspector/journal.js';
import type { EvidenceEntry, EvidenceKind } from '../../contract/world/evidence.js';
import { entryIsProblem, entryText } from '../../reports/entry-text.js';
import type { PageData } from '../../reports/page-data.js';
import { causeOf } from '../../reports/story.js';
import { foldCase } from '../../text/fold-case.js';
import type { EvidenceSource } from '../evidence-source.js';
import type { FilterChoices } from '../journal-filter.js';
import { JournalPages } from '../journal-pages.js';
import { tuning } from '../tuning.js';
import { HeldState } from './held-state.js';

export function heldSource({ runId, entries, total, start, transcript }: PageData): EvidenceSource {
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
    rowChanges: async (query) => rowChangesAmong(entries, query),
    chain: async (sequence) => chainAmong(entries, bySequence, sequence),
    transcript: async () => transcript ?? { lines: [], left: 0 },
    story: async () => [],
    search: async (query) => {
      const words = foldCase(query.q ?? '');
      texts ??= words === '' ? undefined : entries.map((entry) => foldCase(JSON.stringify(entry)));
      const found = entries.filter((entry, index) => isWanted(entry, query) && (words === '' || texts?.[index]?.includes(words)));
      if (query.view === 'sequences')
        return { schemaVersion: 1, matches: [], sequences: found.map(({ sequence }) => sequence), toSequence: total };
      const matches = found.slice(0, query.limit).map(({ sequence, kind, virtualTimeUs }) => {
        return { sequence, kind, virtualTimeUs, preview: '', at: 0, length: 0 };
      });
      return { schemaVersion: 1, matches, toSequence: total };
    },
    timeline: async (query) => timelineAmong(entries, query),
  };
}

/** All but the text. */
function isWanted(entry: EvidenceEntry, query: SearchQuery): boolean {
  const { kind, actorId, packageId, operationId, outcome, problems, fromSequence = 1, toSequence = Number.POSITIVE_INFINITY } = query;
  const call = entry.kind === 'operation' ? entry : undefined;
  return (
    entry.sequence >= fromSequence &&
    entry.sequence <= toSequence &&
    (kind === undefined || kind.split(',').includes(entry.kind)) &&
    (actorId === undefined || ('actorId' in entry && entry.actorId === actorId)) &&
    (operationId === undefined || (call?.invocation.packageId === packageId && call?.invocation.operationId === operationId)) &&
    (outcome === undefined || call?.outcome.kind === outcome) &&
    (problems === undefined || isProblem(entry))
  );
}

const isProblem = (entry: EvidenceEntry): boolean => entry.kind === 'fault' || entry.kind === 'refused_request' || entryIsProblem(entry);

/** Whom and what the calls name that are here. */
export function choicesAmong(entries: readonly EvidenceEntry[]): FilterChoices {
  const calls = entries.filter((entry) => entry.kind === 'operation');
  const operations = calls.map(({ invocation: { packageId, operationId } }) => `${packageId}.${operationId}`);
  return { actors: [...new Set(calls.map(({ actorId }) => actorId))], operations: [...new Set(operations)].sort() };
}

function rowChangesAmong(entries: readonly EvidenceEntry[], query: RowChangesQuery): RowChangesReply {
  const { packageId, instanceId = packageId, namespace, rowId } = query;
  const changes = entries.flatMap((entry) =>
    entry.kind === 'state_change' &&
    entry.packageId === packageId &&
    entry.instanceId === instanceId &&
    entry.namespace === namespace &&
    entry.rowId === rowId
      ? [{ sequence: entry.sequence, change: entry.change }]
      : [],
  );
  return { schemaVersion: 1, changes, total: changes.length };
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
  // Of an empty bucket: what comes after it.
  let next = entries.find((entry) => at(entry) > window.to)?.sequence ?? (entries.at(-1)?.sequence ?? 0) + 1;
  for (let bucket = buckets - 1; bucket >= 0; bucket--) next = firstSequences[bucket] ||= next;
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
