// A run and a world over the API of the inspector, as the viewer reads them.
import { defined } from '../../../contract/defined.js';
import type { InspectorEvidenceQuery } from '../../../contract/inspector/journal.js';
import type { PlayWorld } from '../../../contract/inspector/worlds.js';
import { isJsonObject } from '../../../contract/json.js';
import type { EvidenceEntry } from '../../../contract/world/evidence.js';
import type { NamespaceView } from '../../../contract/world/world-protocol.js';
import type { EvidenceSource } from '../../../viewer/evidence-source.js';
import { JournalPages } from '../../../viewer/journal-pages.js';
import type { ApiClient } from './client.js';
import { project } from './live.tsx';

export function runSource(client: ApiClient, runId: string): EvidenceSource {
  const path = { runId };
  const { entries, entriesAt } = wholePages((query) => client.call('listEvidence', { path, query }));
  return {
    id: runId,
    journal: new JournalPages(entries),
    hasState: true,
    entries,
    entriesAt,
    namespaces: (atSequence) => client.call('listNamespaces', { path, query: defined({ atSequence }) }),
    state: (query) => client.call('listState', { path, query }),
    membersOf,
    rowChanges: (query) => client.call('listRowChanges', { path, query }),
    chain: (sequence) => client.call('getChain', { path: { runId, sequence } }),
    transcript: async () => client.call('getTranscript', { path }),
    story: async () => (await client.call('getStory', { path })).lines,
    search: (query, signal) => client.call('searchEvidence', { path, query }, signal),
    timeline: (query, signal) => client.call('getTimeline', { path, query }, signal),
  };
}

/** Of its journal since the last whole reset: another reset, another source. */
export function worldSource(client: ApiClient, { worldId, resets }: Pick<PlayWorld, 'worldId' | 'resets'>): EvidenceSource {
  const path = { worldId };
  const { entries, entriesAt } = wholePages((query) => client.call('listWorldEvidence', { path, query }));
  return {
    id: `${worldId} ${resets}`,
    journal: new JournalPages(entries),
    hasState: true,
    entries,
    entriesAt,
    namespaces: (atSequence) => client.call('listWorldNamespaces', { path, query: defined({ atSequence }) }),
    state: (query) => client.call('listWorldState', { path, query }),
    membersOf,
    rowChanges: (query) => client.call('listWorldRowChanges', { path, query }),
    chain: (sequence) => client.call('getWorldChain', { path: { worldId, sequence } }),
    transcript: async () => ({ lines: [], left: 0 }),
    story: async () => [],
    search: (query, signal) => client.call('searchWorldEvidence', { path, query }, signal),
    timeline: (query, signal) => client.call('getWorldTimeline', { path, query }, signal),
  };
}

/** None where the tool of the run is not the one that is compiled here. */
function membersOf({ packageId, namespace }: Pick<NamespaceView, 'packageId' | 'namespace'>): string[] {
  const tool = project.value?.tools.find(({ toolId }) => toolId === packageId);
  const schema = tool?.definition.state.find((one) => one.namespace === namespace)?.schema;
  return isJsonObject(schema) && isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
}

/** A fault in the words of the tool that is compiled here. */
export function meaningInProject({ packageId, faultId }: { packageId: string; faultId: string }): string | undefined {
  const tool = project.value?.tools.find(({ toolId }) => toolId === packageId);
  return tool?.definition.faults.find(({ id }) => id === faultId)?.description;
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
