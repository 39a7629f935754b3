// A run and a live world give the same things to look at: a journal, and state at a moment. Views hold this and do not know which it is.
import type {
  ChainReply,
  InspectorEvidenceQuery,
  InspectorNamespacesReply,
  InspectorStateQuery,
  InspectorStateReply,
  RowChangesQuery,
  RowChangesReply,
  SearchQuery,
  SearchReply,
  TimelineQuery,
  TimelineReply,
} from '../../../contract/inspector/journal.js';
import type { StoryLine } from '../../../contract/run/run-events.js';
import type { EvidenceEntry } from '../../../contract/world/evidence.js';
import type { ApiClient } from '../state/client.js';
import { JournalPages } from './journal-pages.js';

export interface EvidenceSource {
  readonly id: string;
  readonly journal: JournalPages;
  entries(fromSequence: number, limit: number): Promise<EvidenceEntry[]>;
  entriesAt(sequences: readonly number[]): Promise<EvidenceEntry[]>;
  namespaces(atSequence: number | undefined): Promise<InspectorNamespacesReply>;
  state(query: InspectorStateQuery): Promise<InspectorStateReply>;
  rowChanges(query: RowChangesQuery): Promise<RowChangesReply>;
  /** What led to an entry and what it led to, however far apart. */
  chain(sequence: number): Promise<Omit<ChainReply, 'schemaVersion'>>;
  /** What led to a failure; nothing of a run in which nothing went wrong, of one without a report, and of a world. */
  story(): Promise<readonly StoryLine[]>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchReply>;
  timeline(query: TimelineQuery, signal: AbortSignal): Promise<TimelineReply>;
}

export function runSource(client: ApiClient, runId: string): EvidenceSource {
  const path = { runId };
  const { entries, entriesAt } = wholePages((query) => client.call('listEvidence', { path, query }));
  return {
    id: runId,
    journal: new JournalPages(entries),
    entries,
    entriesAt,
    namespaces: (atSequence) => client.call('listNamespaces', { path, query: atSequence === undefined ? {} : { atSequence } }),
    state: (query) => client.call('listState', { path, query }),
    rowChanges: (query) => client.call('listRowChanges', { path, query }),
    chain: (sequence) => client.call('getChain', { path: { runId, sequence } }),
    story: async () => (await client.call('getStory', { path })).lines,
    search: (query, signal) => client.call('searchEvidence', { path, query }, signal),
    timeline: (query, signal) => client.call('getTimeline', { path, query }, signal),
  };
}

export function worldSource(client: ApiClient, worldId: string): EvidenceSource {
  const path = { worldId };
  const { entries, entriesAt } = wholePages((query) => client.call('listWorldEvidence', { path, query }));
  return {
    id: worldId,
    journal: new JournalPages(entries),
    entries,
    entriesAt,
    namespaces: (atSequence) => client.call('listWorldNamespaces', { path, query: atSequence === undefined ? {} : { atSequence } }),
    state: (query) => client.call('listWorldState', { path, query }),
    rowChanges: (query) => client.call('listWorldRowChanges', { path, query }),
    chain: (sequence) => client.call('getWorldChain', { path: { worldId, sequence } }),
    story: async () => [],
    search: (query, signal) => client.call('searchWorldEvidence', { path, query }, signal),
    timeline: (query, signal) => client.call('getWorldTimeline', { path, query }, signal),
  };
}

/** A page of the server ends early where its entries are large: these continue until they have all that was asked for. */
function wholePages(ask: (query: InspectorEvidenceQuery) => Promise<{ entries: EvidenceEntry[]; nextSequence?: number }>) {
  return {
    async entries(fromSequence: number, limit: number): Promise<EvidenceEntry[]> {
      const found: EvidenceEntry[] = [];
      for (let from: number | undefined = fromSequence; from !== undefined && found.length < limit; ) {
        const page: { entries: EvidenceEntry[]; nextSequence?: number } = await ask({ fromSequence: from, limit: limit - found.length });
        found.push(...page.entries);
        from = page.nextSequence;
      }
      return found;
    },
    async entriesAt(sequences: readonly number[]): Promise<EvidenceEntry[]> {
      const found: EvidenceEntry[] = [];
      for (let left = sequences; left.length > 0; ) {
        const { entries } = await ask({ sequences: left.join(',') });
        found.push(...entries);
        const last = entries.at(-1)?.sequence ?? Number.POSITIVE_INFINITY;
        left = left.filter((sequence) => sequence > last);
      }
      return found;
    },
  };
}
