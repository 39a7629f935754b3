// What arrives at each route of the local inspector, checked (route-validators.ts).
import typia from 'typia';
import type { ErrorEnvelope } from '../errors.js';
import type * as Inspector from '../inspector/inspector.js';
import type { InspectorRouteId, InspectorRoutes } from '../inspector/inspector.js';
import type * as Journal from '../inspector/journal.js';
import type * as Recordings from '../inspector/recordings.js';
import type * as Runs from '../inspector/runs.js';
import type * as Source from '../inspector/source.js';
import type * as Worlds from '../inspector/worlds.js';
import type { Refinements, Report } from '../shape-refine.js';
import { type DescribedRoutes, fits, none, type RouteChecks, routeContract } from './route-validators.js';
import { wordings } from './validators.js';

/** The generated checks say `RegExp("...")` at every use, which would compile the pattern again; in this module that is a look-up. */
// biome-ignore lint/suspicious/noShadowRestrictedNames: shadowing it is the point
const RegExp = wordings.patternOf;

const noMembers = fits(() => typia.createEquals<Runs.NoMembers>());
const implementationPath = fits(() => typia.createEquals<Inspector.ImplementationPath>());
const runPath = fits(() => typia.createEquals<Runs.InspectorRunPath>());
const runEntryPath = fits(() => typia.createEquals<Runs.RunEntryPath>());
const worldEntryPath = fits(() => typia.createEquals<Worlds.WorldEntryPath>());
const attachmentPath = fits(() => typia.createEquals<Runs.InspectorAttachmentPath>());
const requestPath = fits(() => typia.createEquals<Runs.RequestPath>());
const worldPath = fits(() => typia.createEquals<Worlds.WorldPath>());
const evidenceQuery = fits(() => typia.createEquals<Journal.InspectorEvidenceQuery>());
const namespacesQuery = fits(() => typia.createEquals<Journal.InspectorNamespacesQuery>());
const searchQuery = fits(() => typia.createEquals<Journal.SearchQuery>());
const timelineQuery = fits(() => typia.createEquals<Journal.TimelineQuery>());
const stateQuery = fits(() => typia.createEquals<Journal.InspectorStateQuery>());
const rowChangesQuery = fits(() => typia.createEquals<Journal.RowChangesQuery>());

const recordingRequest = fits(() => typia.createEquals<Recordings.RecordingRequest>());

const checks: RouteChecks<InspectorRoutes> = {
  getProject: { path: none, query: none, body: none },
  refresh: { path: none, query: none, body: noMembers },
  openEditor: { path: none, query: none, body: fits(() => typia.createEquals<Inspector.EditorRequest>()) },
  getImplementation: { path: implementationPath, query: none, body: none },
  listSource: { path: none, query: none, body: none },
  getSource: { path: fits(() => typia.createEquals<Source.SourcePath>()), query: none, body: none },
  findSource: { path: none, query: fits(() => typia.createEquals<Source.SourceFindQuery>()), body: none },

  listRuns: { path: none, query: fits(() => typia.createEquals<Runs.InspectorRunsQuery>()), body: none },
  findRun: { path: fits(() => typia.createEquals<Runs.RunNamePath>()), query: none, body: none },
  getRun: { path: runPath, query: none, body: none },
  listEvidence: { path: runPath, query: evidenceQuery, body: none },
  searchEvidence: { path: runPath, query: searchQuery, body: none },
  getChain: { path: runEntryPath, query: none, body: none },
  getStory: { path: runPath, query: none, body: none },
  getTranscript: { path: runPath, query: none, body: none },
  getTimeline: { path: runPath, query: timelineQuery, body: none },
  listNamespaces: { path: runPath, query: namespacesQuery, body: none },
  listState: { path: runPath, query: stateQuery, body: none },
  listRowChanges: { path: runPath, query: rowChangesQuery, body: none },
  listFaults: { path: runPath, query: none, body: none },
  listScheduledEvents: { path: runPath, query: none, body: none },
  listCallbacks: { path: runPath, query: none, body: none },
  listAssertions: { path: runPath, query: none, body: none },
  getReportAvailability: { path: runPath, query: none, body: none },
  getReport: { path: runPath, query: none, body: none },
  getReportZip: { path: runPath, query: none, body: none },
  listAttachments: { path: runPath, query: none, body: none },
  getAttachment: { path: attachmentPath, query: none, body: none },

  startRun: { path: none, query: none, body: fits(() => typia.createEquals<Runs.InspectorStartRunRequest>()) },
  listRunRequests: { path: none, query: none, body: none },
  getRunRequest: { path: requestPath, query: none, body: none },
  cancelRunRequest: { path: requestPath, query: none, body: noMembers },

  compareRuns: { path: none, query: none, body: fits(() => typia.createEquals<Runs.CompareRequest>()) },
  recordRun: { path: runPath, query: none, body: recordingRequest },
  recordWorld: { path: worldPath, query: none, body: recordingRequest },
  listEvents: { path: none, query: fits(() => typia.createEquals<Inspector.EventsQuery>()), body: none },

  createWorld: { path: none, query: none, body: fits(() => typia.createEquals<Worlds.CreateWorldRequest>()) },
  listWorlds: { path: none, query: none, body: none },
  getWorld: { path: worldPath, query: none, body: none },
  deleteWorld: { path: worldPath, query: none, body: none },
  callWorld: { path: worldPath, query: none, body: fits(() => typia.createEquals<Worlds.WorldCallRequest>()) },
  advanceWorld: { path: worldPath, query: none, body: fits(() => typia.createEquals<Worlds.WorldAdvanceRequest>()) },
  setWorldFault: { path: worldPath, query: none, body: fits(() => typia.createEquals<Worlds.WorldFaultRequest>()) },
  resetWorld: { path: worldPath, query: none, body: fits(() => typia.createEquals<Worlds.WorldResetRequest>()) },
  forkWorld: { path: worldPath, query: none, body: fits(() => typia.createEquals<Worlds.WorldForkRequest>()) },
  compareWorld: { path: worldPath, query: none, body: none },
  listWorldEvidence: { path: worldPath, query: evidenceQuery, body: none },
  searchWorldEvidence: { path: worldPath, query: searchQuery, body: none },
  getWorldChain: { path: worldEntryPath, query: none, body: none },
  getWorldTimeline: { path: worldPath, query: timelineQuery, body: none },
  listWorldNamespaces: { path: worldPath, query: namespacesQuery, body: none },
  listWorldState: { path: worldPath, query: stateQuery, body: none },
  listWorldRowChanges: { path: worldPath, query: rowChangesQuery, body: none },
  listWorldFaults: { path: worldPath, query: none, body: none },
  listWorldScheduledEvents: { path: worldPath, query: none, body: none },
  listWorldActors: { path: worldPath, query: none, body: none },
  listWorldTools: { path: worldPath, query: fits(() => typia.createEquals<Worlds.WorldToolsQuery>()), body: none },
};

/** What types cannot say: which members exclude each other. */
const refinements = {
  EditorRequest: (place: Inspector.EditorRequest, report: Report) => {
    if (Object.keys(place).length !== 1) report('', 'required', 'one of "diagnostic", "drillId" and "scenarioId" is required');
  },
  InspectorStartRunRequest: (asked: Runs.InspectorStartRunRequest, report: Report) => {
    const [first, second] = (['drillId', 'suiteId', 'repeatOf', 'failedOf'] as const).filter((name) => asked[name] !== undefined);
    if (first === undefined) report('', 'required', 'one of "drillId", "suiteId", "repeatOf" and "failedOf" is required');
    if (second !== undefined) report(`/${second}`, 'conflict', `"${first}" already says what runs`);
    const { trial, trials } = asked;
    if (trial !== undefined && (first === 'repeatOf' || first === 'failedOf'))
      report('/trial', 'conflict', `"${first}" already says which`);
    if (trial !== undefined && trials !== undefined && trial > trials) report('/trial', 'too_large', `expected at most trials, ${trials}`);
  },
  CreateWorldRequest: ({ drillId, scenarioId, runId, atSequence, seed }: Worlds.CreateWorldRequest, report: Report) => {
    if (drillId !== undefined && scenarioId !== undefined) report('/scenarioId', 'conflict', 'name a scenario or a drill, not both');
    if (runId !== undefined && (drillId ?? scenarioId ?? seed) !== undefined)
      report('/runId', 'conflict', 'a run has its own start and seed');
    if ((runId === undefined) !== (atSequence === undefined)) report('/atSequence', 'conflict', '"runId" and "atSequence" go together');
  },
  InspectorEvidenceQuery: ({ sequences, fromSequence }: Journal.InspectorEvidenceQuery, report: Report) => {
    if (sequences !== undefined && fromSequence !== undefined)
      report('/fromSequence', 'conflict', '"sequences" already says which entries');
  },
  SearchQuery: ({ fromSequence, toSequence }: Journal.SearchQuery, report: Report) => {
    if (fromSequence !== undefined && toSequence !== undefined && fromSequence > toSequence)
      report('/toSequence', 'too_small', 'expected at least "fromSequence"');
  },
  TimelineQuery: ({ from, to }: Journal.TimelineQuery, report: Report) => {
    if (from !== undefined && to !== undefined && from > to) report('/to', 'too_small', 'expected at least "from"');
  },
} satisfies Refinements;

interface Everything {
  routes: DescribedRoutes<InspectorRoutes>;
  error: ErrorEnvelope;
}
const { components } = typia.json.schemas<[Everything], '3.1'>();
export const inspectorContract = routeContract<InspectorRouteId>({ schemas: components.schemas, checks, refinements, patternOf: RegExp });
