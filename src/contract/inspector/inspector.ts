// The local inspector's interface: what each route takes and gives, by its id. One place for the server, the
// web app and the tests; routes.ts says where each lies, inspector-validators.ts checks what arrives.
//   INSPECTOR-1. Replies are closed objects. A reply of `EvidenceEntry`s is the journal's own text, not encoded again.
//   INSPECTOR-2. Ids select: nothing a client sends is ever a path, a name of a file, or part of one.
import type { Count, PositiveCount, Slug } from '../primitives.js';
import type { RouteParts as Shape } from '../route-table.js';
import type { ImplementationSource, ProjectView } from '../run/project-view.js';
import type { tags } from '../tags.js';
import type { EvidenceEntry } from '../world/evidence.js';
import type { FileId } from './ids.js';
import type {
  AssertionsReply,
  CallbacksReply,
  ChainReply,
  FaultsReply,
  InspectorEvidenceQuery,
  InspectorEvidenceReply,
  InspectorNamespacesQuery,
  InspectorNamespacesReply,
  InspectorStateQuery,
  InspectorStateReply,
  RowChangesQuery,
  RowChangesReply,
  ScheduledEventsReply,
  SearchQuery,
  SearchReply,
  TimelineQuery,
  TimelineReply,
} from './journal.js';
import type { RecordingReply, RecordingRequest } from './recordings.js';
import type {
  ActiveRun,
  AttachmentsReply,
  AvailabilityReply,
  CompareRequest,
  ComparisonReply,
  InspectorAttachmentPath,
  InspectorRunPath,
  InspectorRunReply,
  InspectorRunsQuery,
  InspectorStartRunRequest,
  NoMembers,
  RequestedRun,
  RequestPath,
  RunEntryPath,
  RunNamePath,
  RunNameReply,
  RunRequest,
  RunRequestReply,
  RunRequestsReply,
  RunsReply,
  StoryReply,
  TranscriptReply,
} from './runs.js';
import type { SourceFileReply, SourceFindQuery, SourceFindReply, SourceListReply, SourcePath } from './source.js';
import type {
  CreateWorldRequest,
  DeletedWorldReply,
  PlayWorld,
  WorldActorsReply,
  WorldAdvanceReply,
  WorldAdvanceRequest,
  WorldCallReply,
  WorldCallRequest,
  WorldComparisonReply,
  WorldEntryPath,
  WorldFaultReply,
  WorldFaultRequest,
  WorldForkRequest,
  WorldPath,
  WorldReply,
  WorldResetRequest,
  WorldsReply,
  WorldToolsQuery,
  WorldToolsReply,
} from './worlds.js';

export interface InspectorProjectReply {
  schemaVersion: 1;
  project: ProjectView;
  /** The line that each diagnostic is about, in their order; '' where there is none. */
  excerpts: string[];
  /** Rises by one with each refresh, from 1. */
  generation: number;
  loadedAtMs: number;
  /** The embedding application gave an agent, so drills of `external` targets can run. */
  externalAgent: boolean;
  /** Why drills of a target cannot be run here, by target id; a target that is not named can. */
  unavailableTargets: { targetId: string; code: string; message: string }[];
  engineVersion: string;
  /** Places of the source can be opened in an editor: `DRILLYARD_EDITOR` names one. */
  editor: boolean;
}
/** One place of the source: a diagnostic by its number, from 0, or where a drill or a scenario is declared. */
export interface EditorRequest {
  diagnostic?: Count;
  drillId?: Slug;
  scenarioId?: Slug;
}
export interface EditorPlace {
  /** Relative to the repository. */
  file: string;
  line: number;
}
export interface EditorReply extends EditorPlace {
  schemaVersion: 1;
}
export interface ImplementationPath {
  toolId: Slug;
  fileId: FileId;
}
export interface ImplementationReply {
  schemaVersion: 1;
  source: ImplementationSource;
}

export interface EventsQuery {
  /** The entries themselves of this run or world, as they come. */
  follow?: string & tags.Pattern<'^(run|world)_[0-9a-z]{12,32}$'>;
  /** With `follow`. Default: what comes from now on. */
  fromSequence?: PositiveCount;
}
/** One message of GET events: `event:` is the type, `data:` this object as JSON. A comment line (`:`) now and then keeps it open. */
export type InspectorEvent =
  | { type: 'hello'; generation: number; active: ActiveRun[] }
  /** The source was reloaded: request the project again. */
  | { type: 'project'; generation: number; buildHash?: string; errors: number }
  /** These files changed, and with them what these drills follow from; after the `project` that they became. */
  | { type: 'source'; files: string[]; drills: string[] }
  /** With the latest 50 of its runs. */
  | { type: 'run-request'; request: RunRequest }
  | { type: 'run'; phase: 'started' | 'progress'; run: ActiveRun }
  | { type: 'run'; phase: 'finished'; run: RequestedRun & { requestId: string } }
  /** A journal has grown to `toSequence`. */
  | { type: 'evidence'; id: string; toSequence: number; virtualTimeUs: number }
  /** The agent of a run has said this many things. */
  | { type: 'transcript'; id: string; lines: number }
  /** New entries of what is followed, at most 500 a message, without gaps. */
  | { type: 'entries'; id: string; entries: EvidenceEntry[]; toSequence: number }
  | { type: 'world'; change: 'created' | 'changed'; world: PlayWorld }
  | { type: 'world'; change: 'deleted'; worldId: string };

type None = undefined;
/** Text that is no JSON: the HTML report, a stream. */
type Text = string;

export interface InspectorRoutes {
  getProject: Shape<None, None, None, InspectorProjectReply>;
  refresh: Shape<None, None, NoMembers, InspectorProjectReply>;
  openEditor: Shape<None, None, EditorRequest, EditorReply>;
  getImplementation: Shape<ImplementationPath, None, None, ImplementationReply>;
  listSource: Shape<None, None, None, SourceListReply>;
  getSource: Shape<SourcePath, None, None, SourceFileReply>;
  findSource: Shape<None, SourceFindQuery, None, SourceFindReply>;

  listRuns: Shape<None, InspectorRunsQuery, None, RunsReply>;
  findRun: Shape<RunNamePath, None, None, RunNameReply>;
  getRun: Shape<InspectorRunPath, None, None, InspectorRunReply>;
  listEvidence: Shape<InspectorRunPath, InspectorEvidenceQuery, None, InspectorEvidenceReply>;
  searchEvidence: Shape<InspectorRunPath, SearchQuery, None, SearchReply>;
  getChain: Shape<RunEntryPath, None, None, ChainReply>;
  getStory: Shape<InspectorRunPath, None, None, StoryReply>;
  getTranscript: Shape<InspectorRunPath, None, None, TranscriptReply>;
  getTimeline: Shape<InspectorRunPath, TimelineQuery, None, TimelineReply>;
  listNamespaces: Shape<InspectorRunPath, InspectorNamespacesQuery, None, InspectorNamespacesReply>;
  listState: Shape<InspectorRunPath, InspectorStateQuery, None, InspectorStateReply>;
  listRowChanges: Shape<InspectorRunPath, RowChangesQuery, None, RowChangesReply>;
  listFaults: Shape<InspectorRunPath, None, None, FaultsReply>;
  listScheduledEvents: Shape<InspectorRunPath, None, None, ScheduledEventsReply>;
  listCallbacks: Shape<InspectorRunPath, None, None, CallbacksReply>;
  listAssertions: Shape<InspectorRunPath, None, None, AssertionsReply>;
  getReportAvailability: Shape<InspectorRunPath, None, None, AvailabilityReply>;
  getReport: Shape<InspectorRunPath, None, None, Text>;
  getReportZip: Shape<InspectorRunPath, None, None, Uint8Array>;
  listAttachments: Shape<InspectorRunPath, None, None, AttachmentsReply>;
  getAttachment: Shape<InspectorAttachmentPath, None, None, Uint8Array>;

  startRun: Shape<None, None, InspectorStartRunRequest, RunRequestReply>;
  listRunRequests: Shape<None, None, None, RunRequestsReply>;
  getRunRequest: Shape<RequestPath, None, None, RunRequestReply>;
  cancelRunRequest: Shape<RequestPath, None, NoMembers, RunRequestReply>;

  compareRuns: Shape<None, None, CompareRequest, ComparisonReply>;
  recordRun: Shape<InspectorRunPath, None, RecordingRequest, RecordingReply>;
  recordWorld: Shape<WorldPath, None, RecordingRequest, RecordingReply>;
  listEvents: Shape<None, EventsQuery, None, Text>;

  createWorld: Shape<None, None, CreateWorldRequest, WorldReply>;
  listWorlds: Shape<None, None, None, WorldsReply>;
  getWorld: Shape<WorldPath, None, None, WorldReply>;
  deleteWorld: Shape<WorldPath, None, None, DeletedWorldReply>;
  callWorld: Shape<WorldPath, None, WorldCallRequest, WorldCallReply>;
  advanceWorld: Shape<WorldPath, None, WorldAdvanceRequest, WorldAdvanceReply>;
  setWorldFault: Shape<WorldPath, None, WorldFaultRequest, WorldFaultReply>;
  resetWorld: Shape<WorldPath, None, WorldResetRequest, WorldReply>;
  forkWorld: Shape<WorldPath, None, WorldForkRequest, WorldReply>;
  compareWorld: Shape<WorldPath, None, None, WorldComparisonReply>;
  listWorldEvidence: Shape<WorldPath, InspectorEvidenceQuery, None, InspectorEvidenceReply>;
  searchWorldEvidence: Shape<WorldPath, SearchQuery, None, SearchReply>;
  getWorldChain: Shape<WorldEntryPath, None, None, ChainReply>;
  getWorldTimeline: Shape<WorldPath, TimelineQuery, None, TimelineReply>;
  listWorldNamespaces: Shape<WorldPath, InspectorNamespacesQuery, None, InspectorNamespacesReply>;
  listWorldState: Shape<WorldPath, InspectorStateQuery, None, InspectorStateReply>;
  listWorldRowChanges: Shape<WorldPath, RowChangesQuery, None, RowChangesReply>;
  listWorldFaults: Shape<WorldPath, None, None, FaultsReply>;
  listWorldScheduledEvents: Shape<WorldPath, None, None, ScheduledEventsReply>;
  listWorldActors: Shape<WorldPath, None, None, WorldActorsReply>;
  listWorldTools: Shape<WorldPath, WorldToolsQuery, None, WorldToolsReply>;
}
export type InspectorRouteId = keyof InspectorRoutes;
