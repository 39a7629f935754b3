// The local inspector on runs: those saved and active, their reports, and requests for new ones.
import type { ErrorEnvelope } from '../errors.js';
import type { RunComparison } from '../hosted/runs.js';
import type { Cursor, PositiveCount, Seed, Slug } from '../primitives.js';
import type { Repetition } from '../run/repetition.js';
import type { AssertionStatus, AttachmentDescriptor, RunStatus, Verdict } from '../run/run.js';
import type { RunInvocation, RunReport, StoryLine } from '../run/run-events.js';
import type { Transcript } from '../run/transcript.js';
import type { tags } from '../tags.js';
import type { TrialStatistics } from '../trial-statistics.js';
import type { EvidenceKind } from '../world/evidence.js';
import type { AttachmentId, InvocationId, PageLimit, RequestId, RunId, RunName } from './ids.js';

export interface InspectorRunsQuery {
  /** Default 100. */
  limit?: PageLimit;
  cursor?: Cursor;
  verdict?: Verdict;
  /** A drill, or the file of a drill with cases. */
  drillId?: Slug;
  /** In the run's id, seed or headline, or in the id, title or tags of its drill, or the id of its target; without case. */
  q?: string & tags.MinLength<1> & tags.MaxLength<200>;
}
/** One line of the list of runs, from a report whose manifest and report.json hold together. */
export interface SavedRun extends Pick<RunReport, 'runId' | 'drill' | 'target'> {
  status: RunStatus;
  verdict: Verdict;
  /** What decided it, in one line. */
  headline: string;
  /** Of the trial; that of the run is in `invocation`. */
  seed: string;
  trial: number;
  trialCount: number;
  attempt: number;
  attemptLimit: number;
  /** Of the command or request that made it: its id, and the seed of the run. Absent in reports of earlier versions. */
  invocation?: RunInvocation;
  scenarioId?: string;
  buildHash: string;
  setupHash: string;
  startedAtMs: number;
  finishedAtMs: number;
  startedAtVirtualUs: number;
  finishedAtVirtualUs: number;
  /** Entries of the journal. */
  entries: number;
  assertions: { passed: number; failed: number; inconclusive: number; invalid: number };
  attachments: number;
  stateHash: string;
  evidenceHash: string;
  trajectoryHash: string;
  /** Of the report folder: what the list is ordered by. */
  modifiedAtMs: number;
}
/** An attempt that runs now, in this server. */
export interface ActiveRun {
  runId: string;
  requestId: string;
  drillId: string;
  title?: string;
  trial: number;
  trialCount: number;
  attempt: number;
  attemptLimit: number;
  startedAtMs: number;
  /** The interaction that is being played. */
  interactionId?: string;
  interactionsFinished: number;
  /** Where its world stands; absent until it has one. */
  virtualTimeUs?: number;
  evidenceSequence?: number;
}
export interface UnavailableRun {
  /** The name of the report folder, where that is a run id. */
  runId?: string;
  /** Never a path of the machine. */
  name: string;
  modifiedAtMs: number;
  problems: { file: string; code: string; message: string }[];
}
export interface RunsReply {
  schemaVersion: 1;
  /** The latest first: by modification time of the report folder, then by run id. */
  runs: SavedRun[];
  /** Reports of this page's stretch that cannot be used; each took one of its places. None where the list is filtered. */
  unavailable: UnavailableRun[];
  /** Every attempt that runs now, on every page, beside the limit. */
  active: ActiveRun[];
  nextCursor?: string;
}
export interface InspectorRunPath {
  runId: RunId;
}
export interface RunNamePath {
  name: RunName;
}
export interface RunNameReply {
  schemaVersion: 1;
  runId: string;
}
/** `saved`: from its sealed report; `active`: it runs in this server; `retained`: there is no report, only its world. */
export type RunSource = 'saved' | 'active' | 'retained';
/** The story of a failure: what led to it, in up to five lines; none for a run in which nothing went wrong. */
export interface StoryReply {
  schemaVersion: 1;
  lines: StoryLine[];
}
/** What the agent said, so far where it is at work; lines of a log where the drill keeps that. Nothing of a run without a report. */
export interface TranscriptReply extends Transcript {
  schemaVersion: 1;
}
export interface RunEntryPath {
  runId: RunId;
  sequence: PositiveCount;
}
export interface InspectorRunReply {
  schemaVersion: 1;
  runId: string;
  source: RunSource;
  /** The report document (report.json) without the journal; absent while it runs, and where there is none. */
  report?: RunReport;
  active?: ActiveRun;
  /** `indexed`: so many entries are in `counts`; fewer than there are only in the first seconds of a very large journal. */
  evidence: { fromSequence: number; toSequence: number; counts: KindCounts; indexed: number };
}
export type KindCounts = { [Kind in EvidenceKind]: number };

export type ReportFormat = 'html' | 'json' | 'junit' | 'text';
export interface AvailabilityReply {
  schemaVersion: 1;
  runId: string;
  /** Its files were all checked, just now or since they last changed. */
  available: boolean;
  formats: ReportFormat[];
  problems: { file: string; code: string; message: string }[];
  /** Its world is kept, and can be read. */
  world: boolean;
}
export interface InspectorAttachment extends Pick<AttachmentDescriptor, 'id' | 'name' | 'mediaType' | 'bytes' | 'hash'> {
  /** In the report folder, with forward slashes; '' when its bytes were not kept. */
  path: string;
  available: boolean;
  interactionId?: string;
}
export interface AttachmentsReply {
  schemaVersion: 1;
  attachments: InspectorAttachment[];
}
export interface InspectorAttachmentPath {
  runId: RunId;
  attachmentId: AttachmentId;
}

/** Exactly one of `drillId`, `suiteId`, `repeatOf` and `failedOf`. */
export interface InspectorStartRunRequest {
  drillId?: Slug;
  suiteId?: Slug;
  /** This saved run once more: its drill, its trial, and the seed of its run unless `seed` says another. */
  repeatOf?: RunId;
  /** The trials of this invocation, or of the latest, that did not pass; with its seed unless `seed` says another. */
  failedOf?: InvocationId | 'latest';
  /** Default: the world's. `fresh`: one that is made for it. */
  seed?: Seed | 'fresh';
  trials?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<10000>;
  /** Of every drill, this trial alone, with the seed that it has among all of them; no gate over trials is asked then. */
  trial?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<10000>;
  retries?: number & tags.Type<'int32'> & tags.Minimum<0> & tags.Maximum<10>;
  concurrency?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<64>;
  /** All of it again and again until something does not pass, so often at most; each time is an invocation of its own. */
  untilFailed?: number & tags.Type<'int32'> & tags.Minimum<1> & tags.Maximum<1000>;
}
export type RunRequestState = 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';
export interface RequestedRun {
  runId: string;
  drillId: string;
  trial: number;
  attempt: number;
  state: 'running' | 'finished';
  status?: RunStatus;
  verdict?: Verdict;
  trajectoryHash?: string;
  /** Of what `repeatOf` asked for: whether it went as it did then, and why not. */
  repetition?: Repetition;
  /** Its report was written. */
  reported?: boolean;
  failedAssertions?: { assertionId: string; status: AssertionStatus; message: string }[];
}
/** Correlation alone: evidence and reports know runs, never requests. Kept in memory while the server runs. */
export interface RunRequest {
  requestId: string;
  state: RunRequestState;
  asked: InspectorStartRunRequest;
  /** The drills that `drillId`, `repeatOf` or `failedOf` stand for. */
  drillIds?: string[];
  createdAtMs: number;
  startedAtMs?: number;
  finishedAtMs?: number;
  cancelAsked: boolean;
  /** Of `untilFailed`: which time it is, from 1. */
  round?: number;
  /** Known once it is planned; of `untilFailed` that of the present time. */
  plan?: { invocationId: string; runs: number; drills: number; concurrency: number; seed: string };
  /** Real runs, as they begin; of more than 1,000 the latest. */
  runs: RequestedRun[];
  runsTotal: number;
  /** `statistics`: of the first attempts of several trials. Of `untilFailed` those of the present time, as is `summary`. */
  drills: {
    drillId: string;
    verdict: Verdict;
    trialsPassed: number;
    trialCount: number;
    flaky?: true;
    statistics?: TrialStatistics;
  }[];
  /** `skipped`: drills that say that they do not run, where there are any. */
  summary?: {
    verdict: Verdict;
    passed: number;
    failed: number;
    inconclusive: number;
    skipped?: number;
    /** Of all drills. */
    trialsPassed: number;
    trials: number;
  };
  /** On `failed`: why nothing more was run. */
  failure?: Pick<ErrorEnvelope, 'code' | 'message' | 'issues' | 'details'>;
}
export interface RequestPath {
  requestId: RequestId;
}
export interface RunRequestReply {
  schemaVersion: 1;
  request: RunRequest;
}
export interface RunRequestsReply {
  schemaVersion: 1;
  /** The latest first. */
  requests: RunRequest[];
}
// biome-ignore lint/complexity/noBannedTypes: an object without members is what it means
export type NoMembers = {};

export interface CompareRequest {
  left: RunId;
  right: RunId;
}
export interface ComparisonReply {
  schemaVersion: 1;
  comparison: RunComparison;
}
