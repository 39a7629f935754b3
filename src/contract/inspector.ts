// The local inspector's interface: what each route takes and gives, by its id. One place for the server, the
// web app and the tests; inspector-routes.ts says where each lies, inspector-validators.ts checks what arrives.
//   INSPECTOR-1. Replies are closed objects. A reply of `EvidenceEntry`s is the journal's own text, not made anew.
//   INSPECTOR-2. Ids select: nothing a client sends is ever a path, a name of a file, or part of one.
import type { EvidenceEntry } from './evidence.js';
import type { FileId } from './inspector-ids.js';
import type {
  AssertionsReply,
  CallbacksReply,
  EvidenceQuery,
  EvidenceReply,
  FaultsReply,
  NamespacesQuery,
  NamespacesReply,
  ScheduledEventsReply,
  SearchQuery,
  SearchReply,
  StateQuery,
  StateReply,
  TimelineQuery,
  TimelineReply,
} from './inspector-journal.js';
import type {
  ActiveRun,
  AttachmentPath,
  AttachmentsReply,
  AvailabilityReply,
  CompareRequest,
  ComparisonReply,
  NoMembers,
  RequestedRun,
  RequestPath,
  RunPath,
  RunReply,
  RunRequest,
  RunRequestReply,
  RunRequestsReply,
  RunsQuery,
  RunsReply,
  StartRunRequest,
} from './inspector-runs.js';
import type {
  CreateWorldRequest,
  DeletedWorldReply,
  PlayWorld,
  WorldActorsReply,
  WorldAdvanceReply,
  WorldAdvanceRequest,
  WorldCallReply,
  WorldCallRequest,
  WorldFaultReply,
  WorldFaultRequest,
  WorldForkRequest,
  WorldPath,
  WorldReply,
  WorldResetRequest,
  WorldsReply,
  WorldToolsQuery,
  WorldToolsReply,
} from './inspector-worlds.js';
import type { PositiveCount, Slug } from './primitives.js';
import type { ImplementationSource, ProjectView } from './project-view.js';
import type { tags } from './tags.js';

export interface ProjectReply {
  schemaVersion: 1;
  project: ProjectView;
  /** Rises by one with each refresh, from 1. */
  generation: number;
  loadedAtMs: number;
  /** The embedding application gave an agent, so drills of `external` targets can run. */
  externalAgent: boolean;
  /** Why drills of a target cannot be run here, by target id; a target that is not named can. */
  unavailableTargets: { targetId: string; code: string; message: string }[];
  engineVersion: string;
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
  /** The source was loaded anew: ask for the project again. */
  | { type: 'project'; generation: number; buildHash?: string; errors: number }
  /** With the latest 50 of its runs. */
  | { type: 'run-request'; request: RunRequest }
  | { type: 'run'; phase: 'started' | 'progress'; run: ActiveRun }
  | { type: 'run'; phase: 'finished'; run: RequestedRun & { requestId: string } }
  /** A journal has grown to `toSequence`. */
  | { type: 'evidence'; id: string; toSequence: number; virtualTimeUs: number }
  /** New entries of what is followed, at most 500 a message, without gaps. */
  | { type: 'entries'; id: string; entries: EvidenceEntry[]; toSequence: number }
  | { type: 'world'; change: 'created' | 'changed'; world: PlayWorld }
  | { type: 'world'; change: 'deleted'; worldId: string };

interface Shape<Path, Query, Body, Reply> {
  path: Path;
  query: Query;
  body: Body;
  reply: Reply;
}
type None = undefined;
/** Text that is no JSON: the HTML report, a stream. */
type Text = string;

export interface InspectorRoutes {
  getProject: Shape<None, None, None, ProjectReply>;
  refresh: Shape<None, None, NoMembers, ProjectReply>;
  getImplementation: Shape<ImplementationPath, None, None, ImplementationReply>;

  listRuns: Shape<None, RunsQuery, None, RunsReply>;
  getRun: Shape<RunPath, None, None, RunReply>;
  listEvidence: Shape<RunPath, EvidenceQuery, None, EvidenceReply>;
  searchEvidence: Shape<RunPath, SearchQuery, None, SearchReply>;
  getTimeline: Shape<RunPath, TimelineQuery, None, TimelineReply>;
  listNamespaces: Shape<RunPath, NamespacesQuery, None, NamespacesReply>;
  listState: Shape<RunPath, StateQuery, None, StateReply>;
  listFaults: Shape<RunPath, None, None, FaultsReply>;
  listScheduledEvents: Shape<RunPath, None, None, ScheduledEventsReply>;
  listCallbacks: Shape<RunPath, None, None, CallbacksReply>;
  listAssertions: Shape<RunPath, None, None, AssertionsReply>;
  getReportAvailability: Shape<RunPath, None, None, AvailabilityReply>;
  getReport: Shape<RunPath, None, None, Text>;
  listAttachments: Shape<RunPath, None, None, AttachmentsReply>;
  getAttachment: Shape<AttachmentPath, None, None, Uint8Array>;

  startRun: Shape<None, None, StartRunRequest, RunRequestReply>;
  listRunRequests: Shape<None, None, None, RunRequestsReply>;
  getRunRequest: Shape<RequestPath, None, None, RunRequestReply>;
  cancelRunRequest: Shape<RequestPath, None, NoMembers, RunRequestReply>;

  compareRuns: Shape<None, None, CompareRequest, ComparisonReply>;
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
  listWorldEvidence: Shape<WorldPath, EvidenceQuery, None, EvidenceReply>;
  searchWorldEvidence: Shape<WorldPath, SearchQuery, None, SearchReply>;
  getWorldTimeline: Shape<WorldPath, TimelineQuery, None, TimelineReply>;
  listWorldNamespaces: Shape<WorldPath, NamespacesQuery, None, NamespacesReply>;
  listWorldState: Shape<WorldPath, StateQuery, None, StateReply>;
  listWorldFaults: Shape<WorldPath, None, None, FaultsReply>;
  listWorldScheduledEvents: Shape<WorldPath, None, None, ScheduledEventsReply>;
  listWorldActors: Shape<WorldPath, None, None, WorldActorsReply>;
  listWorldTools: Shape<WorldPath, WorldToolsQuery, None, WorldToolsReply>;
}
export type InspectorRouteId = keyof InspectorRoutes;
