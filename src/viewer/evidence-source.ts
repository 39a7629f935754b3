// What the viewer reads: a journal, what led to an entry, and state at a moment. A run and a world over the inspector's API give it, and so
// does the data of a report; the viewer does not know which it is.
import type {
  ChainReply,
  InspectorNamespacesReply,
  InspectorStateQuery,
  InspectorStateReply,
  RowChangesQuery,
  RowChangesReply,
  SearchQuery,
  SearchReply,
  TimelineQuery,
  TimelineReply,
} from '../contract/inspector/journal.js';
import type { StoryLine } from '../contract/run/run-events.js';
import type { Transcript } from '../contract/run/transcript.js';
import type { EvidenceEntry } from '../contract/world/evidence.js';
import type { NamespaceView } from '../contract/world/world-protocol.js';
import type { JournalPages } from './journal-pages.js';

export interface EvidenceSource {
  readonly id: string;
  readonly journal: JournalPages;
  /** The sequences that are there, in order, where the source holds only some of a journal. */
  readonly held?: readonly number[];
  /** False: there is no state to look at. */
  readonly hasState: boolean;
  entries(fromSequence: number, limit: number): Promise<EvidenceEntry[]>;
  entriesAt(sequences: readonly number[]): Promise<EvidenceEntry[]>;
  namespaces(atSequence: number | undefined): Promise<InspectorNamespacesReply>;
  state(query: InspectorStateQuery): Promise<InspectorStateReply>;
  /** The members that the schema of a namespace names, in its order, where the schema is known. */
  membersOf?(space: Pick<NamespaceView, 'packageId' | 'namespace'>): readonly string[];
  /** Every change of a row. */
  rowChanges(query: RowChangesQuery): Promise<RowChangesReply>;
  /** What led to an entry and what it led to, however far apart. */
  chain(sequence: number): Promise<Omit<ChainReply, 'schemaVersion'>>;
  /** What the agent said while it worked. */
  transcript(): Promise<Transcript>;
  /** What led to a failure; nothing of a run in which nothing went wrong, of one without a report, and of a world. */
  story(): Promise<readonly StoryLine[]>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchReply>;
  timeline(query: TimelineQuery, signal: AbortSignal): Promise<TimelineReply>;
}
