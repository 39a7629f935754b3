// A run and a live world give the same things to look at: a journal, and state at a moment. Views hold this and do not know which it is.
import type { EvidenceEntry } from '../../contract/evidence.js';
import type {
  NamespacesReply,
  SearchQuery,
  SearchReply,
  StateQuery,
  StateReply,
  TimelineQuery,
  TimelineReply,
} from '../../contract/inspector-journal.js';
import type { ApiClient } from './client.js';
import { JournalPages } from './journal-pages.js';

export interface EvidenceSource {
  readonly id: string;
  readonly journal: JournalPages;
  entries(fromSequence: number, limit: number): Promise<EvidenceEntry[]>;
  entriesAt(sequences: readonly number[]): Promise<EvidenceEntry[]>;
  namespaces(atSequence: number | undefined): Promise<NamespacesReply>;
  state(query: StateQuery): Promise<StateReply>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchReply>;
  timeline(query: TimelineQuery, signal: AbortSignal): Promise<TimelineReply>;
}

export function runSource(client: ApiClient, runId: string): EvidenceSource {
  const path = { runId };
  const entries = async (fromSequence: number, limit: number) =>
    (await client.call('listEvidence', { path, query: { fromSequence, limit } })).entries;
  return {
    id: runId,
    journal: new JournalPages(entries),
    entries,
    entriesAt: async (sequences) => (await client.call('listEvidence', { path, query: { sequences: sequences.join(',') } })).entries,
    namespaces: (atSequence) => client.call('listNamespaces', { path, query: atSequence === undefined ? {} : { atSequence } }),
    state: (query) => client.call('listState', { path, query }),
    search: (query, signal) => client.call('searchEvidence', { path, query }, signal),
    timeline: (query, signal) => client.call('getTimeline', { path, query }, signal),
  };
}

export function worldSource(client: ApiClient, worldId: string): EvidenceSource {
  const path = { worldId };
  const entries = async (fromSequence: number, limit: number) =>
    (await client.call('listWorldEvidence', { path, query: { fromSequence, limit } })).entries;
  return {
    id: worldId,
    journal: new JournalPages(entries),
    entries,
    entriesAt: async (sequences) => (await client.call('listWorldEvidence', { path, query: { sequences: sequences.join(',') } })).entries,
    namespaces: (atSequence) => client.call('listWorldNamespaces', { path, query: atSequence === undefined ? {} : { atSequence } }),
    state: (query) => client.call('listWorldState', { path, query }),
    search: (query, signal) => client.call('searchWorldEvidence', { path, query }, signal),
    timeline: (query, signal) => client.call('getWorldTimeline', { path, query }, signal),
  };
}
