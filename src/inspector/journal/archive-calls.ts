// What the archive is asked and what it answers: the messages between the server and the thread that reads reports and journals.
import type { ErrorFrame } from '../../contract/errors.js';
import type {
  AssertionsReply,
  CallbacksReply,
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
} from '../../contract/inspector/journal.js';
import type {
  ComparisonReply,
  InspectorAttachment,
  KindCounts,
  SavedRun,
  StoryReply,
  UnavailableRun,
} from '../../contract/inspector/runs.js';
import type { WorldComparisonReply } from '../../contract/inspector/worlds.js';
import type { RunReport } from '../../contract/run/run-events.js';
import type { PageOfEntries } from './page-text.js';

/** A report folder; the server made the path out of its report directory and a run id. */
export interface ReportPlace {
  folder: string;
  runId: string;
}
/** Where a journal is read: in a report, or in the copy of one that still grows, or has no report. */
export type JournalPlace = ({ kind: 'report' } & ReportPlace) | { kind: 'mirror'; id: string };
type Bare<T> = Omit<T, 'schemaVersion'>;
interface Call<Ask, Answer> {
  ask: Ask;
  answer: Answer;
}
type OfJournal<Query, Answer> = Call<{ place: JournalPlace; query: Query }, Answer>;

export interface ArchiveCalls {
  /** One line of the list of runs. */
  summary: Call<
    ReportPlace,
    { kind: 'saved'; run: Omit<SavedRun, 'modifiedAtMs'> } | { kind: 'unavailable'; problems: UnavailableRun['problems'] }
  >;
  document: Call<ReportPlace, RunReport>;
  assertions: Call<ReportPlace, Bare<AssertionsReply>>;
  facts: OfJournal<undefined, { toSequence: number; counts: KindCounts; indexed: number }>;
  /** `entries`: the lines as the text of a JSON array, in bytes, as the file has them: a page is never made a string on its way. */
  evidence: OfJournal<InspectorEvidenceQuery, PageOfEntries>;
  search: OfJournal<SearchQuery, Bare<SearchReply>>;
  chain: OfJournal<{ sequence: number }, Bare<ChainReply>>;
  story: Call<ReportPlace, Bare<StoryReply>>;
  timeline: OfJournal<TimelineQuery, Bare<TimelineReply>>;
  callbacks: OfJournal<undefined, Bare<CallbacksReply>>;
  namespaces: OfJournal<{ atSequence?: number }, Bare<InspectorNamespacesReply>>;
  state: OfJournal<InspectorStateQuery, Bare<InspectorStateReply>>;
  rowChanges: OfJournal<RowChangesQuery, Bare<RowChangesReply>>;
  /** Everything about the folder, checked. */
  verify: Call<ReportPlace, { problems: UnavailableRun['problems'] }>;
  html: Call<ReportPlace, Uint8Array>;
  zip: Call<ReportPlace, Uint8Array>;
  attachments: Call<ReportPlace, InspectorAttachment[]>;
  attachment: Call<ReportPlace & { attachmentId: string }, Uint8Array>;
  compare: Call<{ left: ReportPlace; right: ReportPlace }, ComparisonReply['comparison']>;
  /** What a run did after an entry, beside a journal that continues from there. */
  continued: Call<
    { report: ReportPlace; afterSequence: number; place: JournalPlace; worldInstanceId: string },
    Pick<WorldComparisonReply, 'differences' | 'firstDivergence'>
  >;
  /** Appends lines to a mirror, which begins with the first ones. */
  mirror: Call<{ id: string; file: string; lines: string }, { toSequence: number }>;
  dropMirror: Call<{ id: string }, undefined>;
}
export type ArchiveCall = keyof ArchiveCalls;

export interface ArchiveQuestion {
  method: ArchiveCall;
  ask: ArchiveCalls[ArchiveCall]['ask'];
}
/** `bug`: the stack of what was not a refusal. */
export type ArchiveReply = { answer: unknown } | { refusal: ErrorFrame } | { bug: string };

/** The archive as the server calls it. */
export interface ArchiveApi {
  ask(id: number, question: ArchiveQuestion): Promise<ArchiveReply>;
  /** That question is not wanted any more. */
  takeBack(id: number): void;
}
